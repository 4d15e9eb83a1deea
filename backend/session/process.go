package session

import (
	"context"
	"strings"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/proc"
)

// Processes is what runs of a server now.
type Processes struct {
	Tree      []proc.Info   // parents before children, commands without secrets; empty when nothing runs
	Memory    int64         // bytes of all of them
	Shared    bool          // Memory counts pages that several share more than once
	CPU       time.Duration // of all that live
	Starts    int           // attempts to connect since the application opened
	Recovered int           // times the connection came back by itself
	LastEnd   string        // why the process before this one ended, or the last one; "" when none did
	LastEndAt time.Time
}

// Processes looks at the processes of a server. One that is reached by HTTP has none.
func (s *Session) Processes(ctx context.Context, name string) (Processes, error) {
	if err := s.CheckName(name); err != nil {
		return Processes{}, err
	}
	row := s.row(name)
	starts, total := s.runtime.Starts(name)
	out := Processes{Starts: total, Recovered: row.Recovered}
	out.LastEnd, out.LastEndAt = lastEnd(starts)
	running := s.runtime.Running(name)
	if running.PID == 0 {
		return out, nil
	}
	tree, err := proc.Tree(ctx, running.PID)
	if err != nil {
		return out, err
	}
	written, _ := s.Definition(name) // zero for one that was removed a moment ago
	for i := range tree {
		p := &tree[i]
		p.Command = withoutSecrets(p.Command, written, running.Definition)
		out.Memory += p.Memory
		out.CPU += p.CPU
		out.Shared = out.Shared || p.Shared && !p.Zombie
	}
	out.Tree = tree
	return out, nil
}

// lastEnd is the newest end that a timeline tells of, newest start first.
func lastEnd(starts []mcphost.Start) (string, time.Time) {
	for _, start := range starts {
		switch {
		case !start.Ended.IsZero():
			return start.End, start.Ended
		case start.Outcome == mcphost.StartFailed || start.Outcome == mcphost.StartCut:
			return start.Message, start.Began.Add(start.Took)
		}
	}
	return "", time.Time{}
}

// withoutSecrets hides in a command line what arguments give away, what the definition
// keeps secret, and what stands in the place of a reference.
func withoutSecrets(command []string, written, started mcpconf.Definition) []string {
	var referred []string
	for i, arg := range written.Args {
		if i < len(started.Args) && strings.Contains(strings.ReplaceAll(arg, "${workspace}", ""), "${") && started.Args[i] != arg {
			referred = append(referred, started.Args[i])
		}
	}
	shown := mcpconn.ShownArgs(command)
	for i, word := range shown {
		for _, value := range referred {
			if value != "" {
				word = strings.ReplaceAll(word, value, mcpconn.Hidden)
			}
		}
		shown[i] = mcpconn.Redact(started, word)
	}
	return shown
}

// Starts lists the last starts of a server, newest first, and how many there were since the
// application opened.
func (s *Session) Starts(name string) ([]mcphost.Start, int, error) {
	if err := s.CheckName(name); err != nil {
		return nil, 0, err
	}
	starts, total := s.runtime.Starts(name)
	return starts, total, nil
}
