package session

import (
	"context"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
)

// trialEnd bounds how long the end of a trial's process is waited for; the host ends it in
// any case.
const trialEnd = 15 * time.Second

// Trial is a dry run: a definition that is not saved, started once by itself beside what
// the session runs.
type Trial struct {
	Definition mcpconf.Definition
	session    *Session
	edits      string
}

// TrialReport is how far a Trial is.
type TrialReport struct {
	Row    mcphost.Row // busy while it runs
	Tools  []Listed
	Stages []mcphost.StageTime
}

// NewTrial checks a definition as saving it would. edits names the definition that it is to
// replace, whose tools are then no reason for a conflict; "" for a new one.
func (s *Session) NewTrial(def mcpconf.Definition, edits string) (*Trial, error) {
	def, err := s.checkNew(def, edits)
	if err != nil {
		return nil, err
	}
	return &Trial{Definition: def, session: s, edits: edits}, nil
}

// Run starts the server with a connection of its own and calls report with every step until
// it is connected or failed, or ctx ends. It returns when the server's process is gone.
func (t *Trial) Run(ctx context.Context, id string, report func(TrialReport)) {
	if ctx.Err() != nil {
		return
	}
	s, def := t.session, t.Definition
	rt := s.owners.host.NewRuntime(mcphost.RuntimeOptions{
		Session: "trial " + id, Workspace: s.workspace, Alone: true,
		Taken: func() map[string]string { return s.runtime.Taken(t.edits) },
	})
	defer func() {
		end, cancel := context.WithTimeout(context.Background(), trialEnd)
		defer cancel()
		if err := rt.Close(end); err != nil {
			s.owners.Logger.Warn("end a trial", "server", def.Name, "error", err)
		}
	}()
	rt.Apply(mcphost.Plan{Servers: []mcpconf.Resolved{
		{Name: def.Name, Definition: &def, State: mcpconf.Wanted, Enabled: true, Trusted: true},
	}})
	for rev := uint64(0); ; {
		snap, next, err := rt.Snapshot().Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		if len(snap.Rows) == 0 {
			continue
		}
		row := snap.Rows[0]
		report(TrialReport{Row: row, Tools: listed(def.Name, rt.Tools(def.Name), row.Conflicts), Stages: rt.Stages(def.Name)})
		if row.State != mcphost.Busy {
			return
		}
	}
}
