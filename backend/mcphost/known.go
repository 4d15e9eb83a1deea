package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"patchbay/backend/tool"
)

// known is what a pass leaves of a server for readers, beside its row. Immutable.
type known struct {
	link   *link     // nil when it was never started
	view   *presence // nil while it is not connected
	list   *listing  // nil before the first list
	checks checks
	holds  bool // it has the names of list
}

func (s *server) known(v verdict) known {
	return known{link: s.link, view: s.view, list: s.list, checks: s.checks, holds: s.list != nil && !v.clash()}
}

// taken are the names that RuntimeOptions say others hold.
func (rt *Runtime) taken() map[string]string {
	if rt.opts.Taken == nil {
		return nil
	}
	return rt.opts.Taken()
}

// Stages lists the finished steps of a server's last start in order, those of a running one
// so far; nil when it was never started.
func (rt *Runtime) Stages(name string) []StageTime {
	k := rt.current.Load().servers[name]
	if k.link == nil {
		return nil
	}
	s := k.link.snapshot()
	return append(slices.Clone(s.stages), k.checks.of(s)...)
}

// Instructions is what the last connection's server says about its own use.
func (rt *Runtime) Instructions(name string) string {
	if l := rt.current.Load().servers[name].link; l != nil {
		return l.snapshot().info.Instructions
	}
	return ""
}

// Tools lists the tools of a server as it last listed them, held back and clashing ones
// included; nil when it never did.
func (rt *Runtime) Tools(name string) []ListedTool {
	if l := rt.current.Load().servers[name].list; l != nil {
		return l.tools
	}
	return nil
}

// Taken tells who holds each tool name that the server called except may not have: the
// built-in tools and the other servers.
func (rt *Runtime) Taken(except string) map[string]string {
	taken := map[string]string{}
	for name, k := range rt.current.Load().servers {
		if name == except || !k.holds {
			continue
		}
		for _, held := range k.list.names {
			taken[held] = name
		}
	}
	for _, name := range rt.host.opts.Reserved {
		taken[name] = OwnerBuiltin
	}
	return taken
}

// LogPage is a part of a server's log.
type LogPage struct {
	Lines []LogLine
	Next  uint64 // what to ask for next
	Lost  bool   // lines between what was asked for and Lines are gone
}

// sequenceBits is how many bits of LogLine.Seq count the lines of one link; what is above
// them is the link's number. The page keeps numbers exact up to 53 bits.
const sequenceBits = 32

func (l *link) sequence(seq uint64) uint64 { return l.number<<sequenceBits | seq }

// Log returns what a server wrote to stderr and as log messages after a sequence number, 0
// for all that is kept. A connection that was made anew (an edited definition) begins a log
// of its own, whose lines come after those of the one before.
func (rt *Runtime) Log(name string, after uint64) LogPage {
	l := rt.current.Load().servers[name].link
	if l == nil {
		return LogPage{Next: after}
	}
	from, other := after&(1<<sequenceBits-1), after>>sequenceBits != l.number
	if other {
		from = 0
	}
	lines, last, gap := l.log.Since(from)
	page := LogPage{Lines: lines, Next: l.sequence(last)}
	page.Lost = after > 0 && (gap || other)
	return page
}

// ErrNotConnected refuses a call of a server that is not connected.
var ErrNotConnected = errors.New("not connected")

// Call calls a tool of a connected server by the server's own name, also when the model may
// not: held back, or while its server's names clash. The error says why it cannot be called.
func (rt *Runtime) Call(ctx context.Context, server, original string, arguments json.RawMessage) (tool.Result, error) {
	k := rt.current.Load().servers[server]
	if k.view == nil {
		return tool.Result{}, fmt.Errorf("MCP server %s is %w", server, ErrNotConnected)
	}
	at := slices.IndexFunc(k.list.tools, func(t ListedTool) bool { return t.Name == original })
	if at < 0 {
		return tool.Result{}, fmt.Errorf("MCP server %s lists no tool %s", server, original)
	}
	return checked(k.view.call(ctx, original, arguments, nil), k.list.tools[at].OutputSchema), nil
}
