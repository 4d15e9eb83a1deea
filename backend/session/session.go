// Package session is one conversation: what is wanted of its servers, the runtime that
// makes it so, the running turn, and the events that every reader shows.
package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"patchbay/backend/agent"
	"patchbay/backend/builtin"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
	"patchbay/backend/model"
	"patchbay/backend/tool"
	"patchbay/backend/watch"
)

// Untitled names a session before its first message.
const Untitled = "New session"

// keptEvents is how many events a live reader may fall behind before it must read the
// transcript again.
const keptEvents = 8192

// Session is one conversation of one process. Its methods return when a command is
// accepted; slow outcomes arrive as snapshots and events.
type Session struct {
	id        string
	workspace string // canonical, "" for a plain chat
	owners    *owners
	conf      *mcpconf.Workspace // nil for a plain chat
	runtime   *mcphost.Runtime
	builtins  *builtin.Set // nil for a plain chat
	wanted    *watch.Value[wanted]
	changed   *watch.Value[struct{}]
	events    *watch.Log[agent.Event]
	created   time.Time
	readOnly  bool            // another process has the lease
	ctx       context.Context // of the session's goroutines: the one stored lifetime
	cancel    context.CancelCauseFunc
	wg        sync.WaitGroup
	held      holding // what came along with prompts

	mu       sync.Mutex
	started  bool
	closed   bool
	run      *run            // the running turn, nil between turns
	messages []model.Message // what the next request starts from
	kept     []bool          // of each message: the history has it
	folded   agent.Folded    // the transcript
	retrying map[uint64]bool // calls that wait for their server, by their event
	title    string
	saved    bool // it is in the history
}

// ID is the session's id.
func (s *Session) ID() string { return s.id }

// Workspace is the canonical folder, "" for a plain chat.
func (s *Session) Workspace() string { return s.workspace }

// Rows publishes the rows of the session's servers.
func (s *Session) Rows() *watch.Value[mcphost.Snapshot] { return s.runtime.Snapshot() }

// Events is the stream of everything the session's turns do.
func (s *Session) Events() *watch.Log[agent.Event] { return s.events }

// Runtime gives readers the tools and logs of a server.
func (s *Session) Runtime() *mcphost.Runtime { return s.runtime }

// StorePath is mcp.json.
func (s *Session) StorePath() string { return s.owners.Store.Path() }

// WorkspaceConfigPath is workspace.json, "" for a plain chat.
func (s *Session) WorkspaceConfigPath() string {
	if s.conf == nil {
		return ""
	}
	return s.conf.Path()
}

// Changed has a new revision whenever a source of the plan changed.
func (s *Session) Changed() *watch.Value[struct{}] { return s.changed }

// Started reports whether servers may start.
func (s *Session) Started() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.started
}

// CutTools names the tools beyond what a request may carry.
func (s *Session) CutTools() []string {
	snap, _ := s.Rows().Get()
	_, left := s.table(s.litOf(snap.Rows)).Cut(tool.MaxTools)
	return left
}

// Definition is a defined server as the file says it.
func (s *Session) Definition(name string) (mcpconf.Definition, error) {
	if err := s.checkDefined(name); err != nil {
		return mcpconf.Definition{}, err
	}
	defs, _ := s.owners.Store.Value().Get()
	for _, d := range defs.Servers {
		if d.Name == name {
			return d, nil
		}
	}
	return mcpconf.Definition{}, &mcpconf.UnknownError{Name: name}
}

// Start lets the servers start; until then only the rows that need no start are known.
// Calling it again does nothing.
func (s *Session) Start() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.started || s.closed {
		return
	}
	s.started = true
	s.wg.Go(func() { s.rebuild(s.ctx) })
	s.wg.Go(func() { follow(s.ctx, s, s.wanted) })
	s.wg.Go(func() { follow(s.ctx, s, s.owners.Store.Value()) })
	s.wg.Go(func() { follow(s.ctx, s, s.owners.Trust.Value()) })
	if s.conf != nil {
		s.wg.Go(func() { follow(s.ctx, s, s.conf.Value()) })
	}
}

// Settled waits until what is wanted now has been applied and no attempt runs.
func (s *Session) Settled(ctx context.Context) error {
	s.runtime.Apply(s.plan())
	return s.runtime.Settled(ctx)
}

// FileErrors lists what is wrong with the two files now.
func (s *Session) FileErrors() []*mcpconf.FileError {
	var bad []*mcpconf.FileError
	if defs, _ := s.owners.Store.Value().Get(); defs.Err != nil {
		bad = append(bad, defs.Err)
	}
	if s.conf != nil {
		if e, _ := s.conf.Value().Get(); e.Err != nil {
			bad = append(bad, e.Err)
		}
	}
	return bad
}

// OutsideEdits lists the newest change of each file by another program.
func (s *Session) OutsideEdits() []*mcpconf.OutsideEdit {
	var edits []*mcpconf.OutsideEdit
	if e := s.owners.Store.LastOutsideEdit(); e != nil {
		edits = append(edits, e)
	}
	if s.conf != nil {
		if e := s.conf.LastOutsideEdit(); e != nil {
			edits = append(edits, e)
		}
	}
	return edits
}

// Warnings lists what is odd in the configuration and how to put it right.
func (s *Session) Warnings() []string {
	var warnings []string
	for _, r := range s.plan().Servers {
		if r.Definition != nil {
			for _, w := range r.Definition.Warnings {
				warnings = append(warnings, fmt.Sprintf("%s: %s", r.Name, w))
			}
		}
		if r.Enabled && !r.Trusted && r.Definition != nil {
			warnings = append(warnings, fmt.Sprintf("%s is enabled by %s but not trusted here, so it was not started. To trust it: patchbay mcp enable %s, or --trust for one run.",
				r.Name, s.WorkspaceConfigPath(), r.Name))
		}
	}
	return warnings
}

// Enable enables a defined server in the workspace and trusts it there; in a plain chat it
// lights it for this session.
func (s *Session) Enable(name string) error {
	if err := s.checkDefined(name); err != nil {
		return err
	}
	if s.conf == nil {
		s.wanted.Update(func(w wanted) wanted {
			if !slices.Contains(w.enabled, name) {
				w.enabled = append(slices.Clone(w.enabled), name)
			}
			return w
		})
		return nil
	}
	if err := s.owners.Trust.Trust(s.workspace, name); err != nil {
		return err
	}
	return s.conf.Enable(name)
}

// Disable takes a server out of the workspace and forgets that it was paused.
func (s *Session) Disable(name string) error {
	if s.conf == nil {
		if !s.IsEnabled(name) {
			return &mcpconf.NotEnabledError{Name: name}
		}
	} else if err := s.conf.Disable(name); err != nil {
		return err
	}
	s.wanted.Update(func(w wanted) wanted {
		w.enabled = slices.DeleteFunc(slices.Clone(w.enabled), func(n string) bool { return n == name })
		w.paused = w.paused.Without(name)
		return w
	})
	return nil
}

// IsEnabled reports whether the workspace (a plain chat: this session) enables the name.
func (s *Session) IsEnabled(name string) bool {
	want, _ := s.wanted.Get()
	return slices.ContainsFunc(s.enablement(want).Names, func(e mcpconf.EnabledName) bool { return e.Name == name })
}

// Trust answers yes for names that came into workspace.json another way.
func (s *Session) Trust(names ...string) error {
	if s.workspace == "" || len(names) == 0 {
		return nil
	}
	return s.owners.Trust.Trust(s.workspace, names...)
}

// Pause leaves an enabled server out of this session.
func (s *Session) Pause(name string) error {
	if !s.IsEnabled(name) {
		return &mcpconf.NotEnabledError{Name: name}
	}
	s.wanted.Update(func(w wanted) wanted { w.paused = w.paused.With(name); return w })
	return nil
}

// Resume takes a paused server in again.
func (s *Session) Resume(name string) error {
	if want, _ := s.wanted.Get(); !want.paused.Has(name) {
		return &NotPausedError{Name: name}
	}
	s.wanted.Update(func(w wanted) wanted { w.paused = w.paused.Without(name); return w })
	return nil
}

// Retry asks for one more try of a server; on a connected one it restarts it.
func (s *Session) Retry(name string) error {
	if err := s.CheckName(name); err != nil {
		return err
	}
	s.wanted.Update(func(w wanted) wanted { return w.withAttempt(name) })
	return nil
}

// RetryFailed asks for one more try of every server that is in error.
func (s *Session) RetryFailed() {
	s.retryWhere(func(r mcphost.Row) bool { return r.State == mcphost.Error })
}

// RebuildAll asks for one more try of every server.
func (s *Session) RebuildAll() {
	s.retryWhere(func(mcphost.Row) bool { return true })
}

func (s *Session) retryWhere(pick func(mcphost.Row) bool) {
	snap, _ := s.Rows().Get()
	var names []string
	for _, r := range snap.Rows {
		if pick(r) {
			names = append(names, r.Name)
		}
	}
	s.wanted.Update(func(w wanted) wanted { return w.withAttempt(names...) })
}

// AddServer defines a server on this machine; it does not enable it.
func (s *Session) AddServer(def mcpconf.Definition) error { return s.owners.Store.Add(def) }

// RemoveServer deletes a definition, its name in this workspace, its pause, and its sign-in.
func (s *Session) RemoveServer(name string) error {
	forget := s.signOutAfter(name)
	if err := s.owners.Store.Remove(name); err != nil {
		return err
	}
	forget()
	if s.IsEnabled(name) {
		return s.Disable(name)
	}
	return nil
}

// CheckName is nil when the name is defined or enabled.
func (s *Session) CheckName(name string) error {
	if s.IsEnabled(name) {
		return nil
	}
	return s.checkDefined(name)
}

func (s *Session) checkDefined(name string) error {
	defs, _ := s.owners.Store.Value().Get()
	if slices.ContainsFunc(defs.Servers, func(d mcpconf.Definition) bool { return d.Name == name }) {
		return nil
	}
	if defs.Err != nil {
		return defs.Err
	}
	e := &mcpconf.UnknownError{Name: name}
	for _, d := range defs.Servers {
		if strings.EqualFold(d.Name, name) {
			e.Similar = d.Name
		}
	}
	return e
}

// NotPausedError refuses to resume a server that is not paused in the session.
type NotPausedError struct{ Name string }

// Error is the text of the contract.
func (e *NotPausedError) Error() string {
	return "MCP server is not paused in this session: " + e.Name
}
