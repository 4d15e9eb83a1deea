package session

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"patchbay/backend/approval"
	"patchbay/backend/fsx"
	"patchbay/backend/mcpconf"
	"patchbay/backend/settings"
	"patchbay/backend/watch"
)

// Options say how a process works with sessions.
type Options struct {
	Version   string
	TrustAll  bool          // --trust: every enabled name is trusted, for this process
	Ephemeral bool          // nothing is written to the history
	Headless  bool          // nobody can be asked: what needs an approval is rejected
	Mode      approval.Mode // "" = the settings'
	Logger    *slog.Logger  // nil discards
	// Browse opens an address in the person's browser, for signing in to a server; nil where
	// there is none.
	Browse func(address string) error
}

// Manager owns the sessions of a process and what they share.
type Manager struct {
	owners *owners
	list   *watch.Value[List]
	closed func() error // once
	shows  sync.Mutex   // one Show after another

	mu         sync.Mutex
	sessions   map[string]*Session           // open ones
	workspaces map[string]*mcpconf.Workspace // by canonical folder
	current    string
	looks      uint64 // begun, for the list
	published  uint64 // the newest of them that the list shows
}

// List is the sessions and which one is shown.
type List struct {
	Current  string
	Sessions []Info // newest first
}

// Info is one line of the session list.
type Info struct {
	ID        string
	Title     string // "" before the first message
	Workspace string
	Updated   time.Time
	Running   bool
	ReadOnly  bool // another process holds it
}

// Open opens the owners: files are read, nothing is written and no server starts. What a
// process that was killed left behind is ended meanwhile.
func Open(o Options) (*Manager, error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(io.Discard, nil))
	}
	m := &Manager{
		sessions:   map[string]*Session{},
		workspaces: map[string]*mcpconf.Workspace{},
		list:       watch.NewValue(List{}),
	}
	var err error
	if m.owners, err = openOwners(o, m.publish, m.concerned); err != nil {
		return nil, err
	}
	m.closed = sync.OnceValue(m.close)
	m.publish()
	return m, nil
}

// NewSession begins a conversation in a workspace, or a plain chat when dir is "". It
// enters the history with its first message.
func (m *Manager) NewSession(dir string) (*Session, error) {
	workspace, conf, err := m.openWorkspace(dir)
	if err != nil {
		return nil, err
	}
	s := newSession(uuid.NewString(), workspace, conf, m.owners)
	m.add(s)
	return s, nil
}

// OpenSession opens a conversation of the history, or returns it when it is open already.
func (m *Manager) OpenSession(ctx context.Context, id string) (*Session, error) {
	return m.openSession(ctx, id, false)
}

// ViewSession opens a conversation that another process holds, to be read as it is now:
// nothing is sent in it. OpenSession takes it over once the other process is gone.
func (m *Manager) ViewSession(ctx context.Context, id string) (*Session, error) {
	return m.openSession(ctx, id, true)
}

func (m *Manager) openSession(ctx context.Context, id string, readOnly bool) (*Session, error) {
	if s := m.Session(id); s != nil && !s.readOnly {
		return s, nil
	}
	if m.owners.History == nil {
		return nil, fmt.Errorf("unknown session: %s", id)
	}
	info, err := m.owners.History.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	workspace, conf, err := m.openWorkspace(info.Workspace)
	if err != nil {
		return nil, err
	}
	s := newSession(id, workspace, conf, m.owners)
	s.readOnly = readOnly
	if err := s.restore(ctx, info); err != nil {
		s.close(ctx)
		return nil, err
	}
	first, left := m.add(s)
	if left != nil {
		left.close(ctx) // an older view, or this one when somebody opened it meanwhile
	}
	return first, nil
}

// Resume opens the newest conversation of a workspace that no other process holds, or
// begins one.
func (m *Manager) Resume(ctx context.Context, dir string) (*Session, error) {
	workspace := dir
	if dir != "" {
		var err error
		if workspace, err = fsx.Canonical(dir); err != nil {
			return nil, fmt.Errorf("open the workspace: %w", err)
		}
	}
	list, _ := m.list.Get()
	for _, info := range list.Sessions {
		if info.Workspace == workspace && !info.ReadOnly {
			return m.OpenSession(ctx, info.ID)
		}
	}
	return m.NewSession(dir)
}

// LastWorkspace is the folder of the newest conversation, "" when there is none.
func (m *Manager) LastWorkspace() string {
	list, _ := m.list.Get()
	for _, info := range list.Sessions {
		return info.Workspace
	}
	return ""
}

// Rename gives a conversation another title.
func (m *Manager) Rename(ctx context.Context, id, title string) error {
	if m.owners.History == nil {
		return fmt.Errorf("unknown session: %s", id)
	}
	if err := m.owners.History.Rename(ctx, id, title); err != nil {
		return err
	}
	m.publish()
	return nil
}

// Delete closes a conversation and removes it from the history, with its long results.
func (m *Manager) Delete(ctx context.Context, id string) error {
	m.mu.Lock()
	s := m.sessions[id]
	delete(m.sessions, id)
	if m.current == id {
		m.current = ""
	}
	m.mu.Unlock()
	if s != nil {
		s.close(ctx)
	}
	defer m.publish()
	if m.owners.History != nil && (s == nil || s.isSaved()) {
		if err := m.owners.History.Delete(ctx, id); err != nil {
			return err
		}
	}
	return m.owners.deleteOutput(id)
}

// Show makes an open session the shown one.
func (m *Manager) Show(id string) {
	m.shows.Lock()
	defer m.shows.Unlock()
	m.mu.Lock()
	m.current = id
	open := slices.Collect(maps.Values(m.sessions))
	m.mu.Unlock()
	for _, s := range open {
		s.runtime.SetShown(s.id == id)
	}
	m.publish()
}

// Session returns an open session, nil when it is not open.
func (m *Manager) Session(id string) *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sessions[id]
}

// Current is the shown session, nil when there is none.
func (m *Manager) Current() *Session {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.sessions[m.current]
}

// List publishes the sessions.
func (m *Manager) List() *watch.Value[List] { return m.list }

// Settings owns theme, mode and profile.
func (m *Manager) Settings() *settings.Store { return m.owners.Settings }

// Approvals owns the open questions.
func (m *Manager) Approvals() *approval.Service { return m.owners.Approvals }

// Swept publishes one sentence about what a process that was killed had left behind and
// this one ended; "" when there was nothing.
func (m *Manager) Swept() *watch.Value[string] { return m.owners.swept }

// Store owns the definitions.
func (m *Manager) Store() *mcpconf.Store { return m.owners.Store }

// add makes the session known and returns it, or the one that has its id already; left is
// the one that is not used. A session that is only read gives way.
func (m *Manager) add(s *Session) (first, left *Session) {
	m.mu.Lock()
	first, left = m.sessions[s.id], s
	if first == nil || first.readOnly {
		m.sessions[s.id], first, left = s, s, first
	}
	m.mu.Unlock()
	m.publish()
	return first, left
}

// openWorkspace returns the canonical folder and the owner of its workspace.json, which
// the sessions of one workspace share.
func (m *Manager) openWorkspace(dir string) (string, *mcpconf.Workspace, error) {
	if dir == "" {
		return "", nil, nil
	}
	workspace, err := fsx.Canonical(dir)
	if err != nil {
		return "", nil, fmt.Errorf("open the workspace: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if conf := m.workspaces[workspace]; conf != nil {
		return workspace, conf, nil
	}
	conf, err := mcpconf.OpenWorkspace(workspace, m.owners.confOptions())
	if err != nil {
		return "", nil, err
	}
	m.workspaces[workspace] = conf
	return workspace, conf, nil
}

// listLimit bounds a look at the history for the list.
const listLimit = 5 * time.Second

// publish lists the open and the saved sessions again. Of two looks at once the one that
// began later has seen every change before it: it stays, whichever ends last.
func (m *Manager) publish() {
	m.mu.Lock()
	m.looks++
	look := m.looks
	m.mu.Unlock()
	list := m.look(m.saved())
	m.mu.Lock()
	defer m.mu.Unlock()
	if look > m.published {
		m.published = look
		m.list.Set(list)
		for _, info := range list.Sessions {
			if s := m.sessions[info.ID]; s != nil {
				s.setTitle(info.Title)
			}
		}
	}
}

// saved is the history by id.
func (m *Manager) saved() map[string]Info {
	infos := map[string]Info{}
	if m.owners == nil || m.owners.History == nil {
		return infos
	}
	ctx, cancel := context.WithTimeout(context.Background(), listLimit)
	defer cancel()
	saved, err := m.owners.History.List(ctx)
	if err != nil {
		m.owners.Logger.Warn("list the sessions", "error", err)
	}
	for _, s := range saved {
		infos[s.ID] = Info{ID: s.ID, Title: s.Title, Workspace: s.Workspace, Updated: time.UnixMilli(s.UpdatedMs), ReadOnly: s.HeldBy != 0}
	}
	return infos
}

// look completes the saved sessions with the open ones.
func (m *Manager) look(infos map[string]Info) List {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.sessions {
		info, saved := infos[s.id]
		if !saved {
			info = Info{ID: s.id, Workspace: s.workspace, Updated: s.created}
		}
		info.Running = s.RunID() != ""
		info.ReadOnly = info.ReadOnly || s.readOnly
		infos[s.id] = info
	}
	return List{Current: m.current, Sessions: slices.SortedFunc(maps.Values(infos), func(a, b Info) int {
		return cmp.Or(b.Updated.Compare(a.Updated), cmp.Compare(a.ID, b.ID))
	})}
}

// closeLimit bounds an orderly end; what is left then is killed with the process.
const closeLimit = 15 * time.Second

// Close ends every session and everything the process started. A second call waits for the
// first and returns what it returned.
func (m *Manager) Close() error { return m.closed() }

func (m *Manager) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closeLimit)
	defer cancel()
	m.mu.Lock()
	open := slices.Collect(maps.Values(m.sessions))
	m.mu.Unlock()
	var wait sync.WaitGroup
	for _, s := range open {
		wait.Go(func() { s.close(ctx) })
	}
	wait.Wait()
	err := m.owners.close()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, conf := range m.workspaces {
		conf.Close()
	}
	return err
}
