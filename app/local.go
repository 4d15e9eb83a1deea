package app

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/history"
	"patchbay/backend/session"
	"patchbay/backend/watch"
)

// Local is the Backend over the sessions of this process.
type Local struct {
	manager  *session.Manager
	media    *media
	servers  *watch.Value[MCPSnapshot]
	sessions *watch.Value[SessionsSnapshot]
	open     *watch.Value[ApprovalsSnapshot]
	asks     *watch.Value[AsksSnapshot]
	settings *watch.Value[SettingsSnapshot]
	trial    *watch.Value[Trial]
	trials   *trials
	byHand   *handCalls
	browser  *browser
	version  string
	cancel   context.CancelCauseFunc
	wg       sync.WaitGroup

	mu      sync.Mutex
	started bool

	changes sync.Mutex // one command that changes the files, or takes a change back, at a time
}

// NewLocal follows the manager until Close. Its sessions start with Start.
func NewLocal(m *session.Manager, version string) *Local { return newLocal(m, version, &browser{}) }

// newLocal is NewLocal whose sign-ins use b.
func newLocal(m *session.Manager, version string, b *browser) *Local {
	ctx, cancel := context.WithCancelCause(context.Background())
	l := &Local{
		manager: m, media: newMedia(), browser: b, version: version, cancel: cancel,
		servers:  watch.NewValue(emptyMCP(m)),
		sessions: watch.NewValue(SessionsSnapshot{Sessions: []SessionInfo{}}),
		open:     watch.NewValue(ApprovalsSnapshot{Questions: []Question{}}),
		asks:     watch.NewValue(AsksSnapshot{Asks: []Ask{}}),
		settings: watch.NewValue(SettingsSnapshot{}),
		trial:    watch.NewValue(Trial{Stages: []StageTime{}, Tools: []ServerTool{}, Conflicts: []Conflict{}}),
	}
	l.trials, l.byHand = newTrials(l.trial), newHandCalls()
	l.settings.Set(l.toSettings())
	l.wg.Go(func() { l.followServers(ctx) })
	l.wg.Go(func() { relay(ctx, m.List(), l.sessions, toSessions) })
	l.wg.Go(func() { relay(ctx, m.Approvals().Questions(), l.open, toQuestions) })
	l.wg.Go(func() { relay(ctx, m.Asks().Questions(), l.asks, l.toAsks) })
	l.wg.Go(func() { l.followSettings(ctx) })
	return l
}

// relay keeps to up to date with from.
func relay[A, B any](ctx context.Context, from *watch.Value[A], to *watch.Value[B], convert func(A) B) {
	for rev := uint64(0); ; {
		v, next, err := from.Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		to.Set(convert(v))
	}
}

func emptyMCP(m *session.Manager) MCPSnapshot {
	return MCPSnapshot{Store: m.Store().Path(), Rows: []ServerRow{}, FileErrors: []FileError{}, CutTools: []string{}, Outside: []OutsideEdit{}}
}

// followServers publishes the rows of the shown session; a switch of sessions changes what
// is followed.
func (l *Local) followServers(ctx context.Context) {
	for rev := uint64(0); ; {
		_, next, err := l.manager.List().Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		s := l.manager.Current()
		if s == nil {
			l.servers.Set(emptyMCP(l.manager))
			continue
		}
		if rev = l.followRows(ctx, s, rev); rev == 0 {
			return
		}
	}
}

// followRows publishes the rows of s until another session is shown. It returns a list
// revision from before the switch, 0 when ctx ended.
func (l *Local) followRows(ctx context.Context, s *session.Session, listRev uint64) uint64 {
	inner, stop := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	changed := watch.NewValue(struct{}{})
	kick := func() { changed.Set(struct{}{}) }
	wg.Go(func() { each(inner, s.Rows(), kick) })
	wg.Go(func() { each(inner, s.Changed(), kick) })
	wg.Go(func() { each(inner, l.manager.List(), kick) })
	wg.Go(func() { each(inner, l.manager.Swept(), kick) })
	wg.Go(func() { each(inner, l.manager.SignIns(), kick) })
	for rev := uint64(0); ; {
		_, next, err := changed.Wait(ctx, rev)
		if err != nil {
			return 0
		}
		rev = next
		_, at := l.manager.List().Get()
		if l.manager.Current() != s { // of one session there may be a view before
			return listRev
		}
		listRev = at
		snap, _ := s.Rows().Get()
		out := toMCP(s, snap)
		out.Swept, _ = l.manager.Swept().Get()
		l.servers.Set(out)
	}
}

// each calls do for every new value of v.
func each[T any](ctx context.Context, v *watch.Value[T], do func()) {
	for rev := uint64(0); ; {
		_, next, err := v.Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		do()
	}
}

// Servers publishes the shown session's rows.
func (l *Local) Servers() Source[MCPSnapshot] { return l.servers }

// SessionList publishes the sessions.
func (l *Local) SessionList() Source[SessionsSnapshot] { return l.sessions }

// Questions publishes the open approvals.
func (l *Local) Questions() Source[ApprovalsSnapshot] { return l.open }

// SettingsValue publishes the settings.
func (l *Local) SettingsValue() Source[SettingsSnapshot] { return l.settings }

// Media serves images and audio of tool results.
func (l *Local) Media() http.Handler { return l.media }

// Start lets the servers of open sessions start, and those of later ones at once.
func (l *Local) Start() {
	l.mu.Lock()
	l.started = true
	l.mu.Unlock()
	if s := l.manager.Current(); s != nil {
		s.Start()
	}
}

// Close ends every session and everything it started.
func (l *Local) Close() error {
	l.cancel(errClosing)
	l.wg.Wait()
	wait := l.trials.close()
	defer wait() // beside the sessions, so that both have the same time
	return l.manager.Close()
}

// FollowChat delivers the events of every session that is or will be open.
func (l *Local) FollowChat(ctx context.Context, deliver func(ChatEvent)) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	followed := map[*session.Session]bool{}
	var one sync.Mutex // deliver is never called twice at a time for one session; this keeps all in turn
	for rev := uint64(0); ; {
		list, next, err := l.manager.List().Wait(ctx, rev)
		if err != nil {
			return err
		}
		rev = next
		for _, info := range list.Sessions {
			s := l.manager.Session(info.ID)
			if s == nil || followed[s] {
				continue
			}
			followed[s] = true
			wg.Go(func() { l.followEvents(ctx, s, &one, deliver) })
		}
	}
}

// followEvents starts behind what the session's transcript holds already.
func (l *Local) followEvents(ctx context.Context, s *session.Session, one *sync.Mutex, deliver func(ChatEvent)) {
	for seq := uint64(0); ; {
		events, last, _, err := s.Events().Wait(ctx, seq)
		if err != nil {
			return
		}
		seq = last
		one.Lock()
		for _, e := range events {
			deliver(l.event(s.ID(), e))
		}
		one.Unlock()
	}
}

func (l *Local) event(sessionID string, e agent.Event) ChatEvent {
	return toEvent(sessionID, e, l.media.keep)
}

// Transcript is a conversation so far.
func (l *Local) Transcript(_ context.Context, id string) (Transcript, error) {
	s, err := l.session(id)
	if err != nil {
		return Transcript{}, err
	}
	events, seq, runID := s.Transcript()
	out := Transcript{SessionID: id, Seq: seq, RunID: runID, Events: []ChatEvent{}}
	for _, e := range events {
		out.Events = append(out.Events, l.event(id, e))
	}
	return out, nil
}

// SendMessage starts a turn with what is lit. What the message mentions is read before.
func (l *Local) SendMessage(ctx context.Context, id, text string, mentioned []Mention) error {
	s, err := l.session(id)
	if err != nil {
		return err
	}
	if len(mentioned) > 0 && s.RunID() != "" {
		return notBegun(session.ErrBusy) // before anything is read
	}
	attached, err := s.Attach(ctx, mentions(mentioned))
	if err != nil {
		return err
	}
	return notBegun(s.Send(session.Prompt{Text: text, Attached: attached}))
}

// StopTurn ends the running turn.
func (l *Local) StopTurn(_ context.Context, id string) error {
	s, err := l.session(id)
	if err == nil {
		s.Stop()
	}
	return err
}

// AnswerQuestion decides an open question.
func (l *Local) AnswerQuestion(_ context.Context, id string, decision ApprovalDecision) error {
	return l.manager.Approvals().Answer(id, approval.Decision(decision))
}

func (l *Local) session(id string) (*session.Session, error) {
	if s := l.manager.Session(id); s != nil {
		return s, nil
	}
	return nil, &CommandError{Code: CodeNotFound, Message: fmt.Sprintf("session %s is not open", id)}
}

// current is the shown session.
func (l *Local) current() (*session.Session, error) {
	if s := l.manager.Current(); s != nil {
		return s, nil
	}
	return nil, &CommandError{Code: CodeNotFound, Message: "no session is open. Begin one with New session"}
}

// show makes s the shown session.
func (l *Local) show(s *session.Session) {
	l.manager.Show(s.ID())
	l.mu.Lock()
	started := l.started
	l.mu.Unlock()
	if started {
		s.Start()
	}
}

// NewSession begins a conversation and shows it.
func (l *Local) NewSession(_ context.Context, workspace string) (string, error) {
	s, err := l.manager.NewSession(workspace)
	if err != nil {
		return "", err
	}
	l.show(s)
	return s.ID(), nil
}

// OpenSession shows a session of the list, to be read only while another process holds it.
func (l *Local) OpenSession(ctx context.Context, id string) error {
	s, err := l.manager.OpenSession(ctx, id)
	var leased *history.LeasedError
	if errors.As(err, &leased) {
		s, err = l.manager.ViewSession(ctx, id)
	}
	if err != nil {
		return err
	}
	l.show(s)
	return nil
}

// ShowWorkspace shows the newest session of a workspace, or a new one.
func (l *Local) ShowWorkspace(ctx context.Context, workspace string) error {
	if s := l.manager.Current(); s != nil && s.Workspace() == workspace {
		return nil
	}
	s, err := l.manager.Resume(ctx, workspace)
	if err != nil {
		return err
	}
	l.show(s)
	return nil
}

// RenameSession gives a session a title.
func (l *Local) RenameSession(ctx context.Context, id, title string) error {
	return l.manager.Rename(ctx, id, title)
}

// DeleteSession forgets a session; when it was shown, another of its workspace is.
func (l *Local) DeleteSession(ctx context.Context, id string) error {
	s := l.manager.Current()
	if err := l.manager.Delete(ctx, id); err != nil {
		return err
	}
	if s != nil && s.ID() == id {
		return l.ShowWorkspace(ctx, s.Workspace())
	}
	return nil
}
