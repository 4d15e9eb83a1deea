package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"patchbay/backend/agent"
	"patchbay/backend/model"
	"patchbay/backend/settings"
	"patchbay/backend/tool"
)

// Prompt is what a person sends.
type Prompt struct {
	Text string
	// Services are the service ids the turn opens; nil is the rule "what is connected
	// here", which late servers join. An empty list opens none.
	Services *[]string
	Attached []model.Attachment // see Attach
}

// run is one turn.
type run struct {
	id     string
	cancel context.CancelCauseFunc
	done   chan struct{}
	kept   []bool      // of each message that it added: the history has it; the turn's own
	loop   *agent.Loop // of the turn once it runs
	over   bool        // Done was told; what is left is tidying up
}

var (
	errStopped = errors.New("stopped by the user")
	errClosed  = errors.New("the session is closed")
)

// ErrBusy refuses a second turn beside a running one.
var ErrBusy = errors.New("a turn is running in this session. Stop it or wait until it has ended")

// ErrReadOnly refuses a turn in a session that another process held when it was opened.
var ErrReadOnly = errors.New("another process holds this session: it is read-only here. Close it there, then choose it in the list again")

// Send starts a turn. It returns an error, and sends nothing, when a turn runs, when no
// model can be chosen, or when a named service is unknown or unavailable.
func (s *Session) Send(p Prompt) error {
	parts, err := s.parts(p)
	if err != nil {
		return err
	}
	return s.begin(parts)
}

// turnParts are what a turn is made of, fixed before it begins.
type turnParts struct {
	text     string
	attached []model.Attachment
	client   model.Client
	info     ModelInfo
	allow    []string
	// clicked are calls that a person asked for, before the model is asked.
	clicked []model.ToolCall
	// before runs once the session is the turn's own; when it fails there is no turn.
	before func(runID string) error
}

func (s *Session) parts(p Prompt) (turnParts, error) {
	if s.readOnly {
		return turnParts{}, ErrReadOnly
	}
	if strings.TrimSpace(p.Text) == "" {
		return turnParts{}, errors.New("the message is empty")
	}
	client, info, err := s.owners.client()
	if err != nil {
		return turnParts{}, err
	}
	allow, err := s.allow(p.Services)
	return turnParts{text: p.Text, attached: p.Attached, client: client, info: info, allow: allow}, err
}

// begin starts a turn when none runs, and returns when that is certain.
func (s *Session) begin(parts turnParts) error {
	s.awaitOver()
	ctx, cancel := context.WithCancelCause(s.ctx)
	r := &run{id: uuid.NewString(), cancel: cancel, done: make(chan struct{})}
	begun := make(chan error, 1)
	s.mu.Lock()
	switch {
	case s.closed:
		s.mu.Unlock()
		cancel(errClosed)
		return errClosed
	case s.run != nil:
		s.mu.Unlock()
		cancel(ErrBusy)
		return ErrBusy
	}
	s.run = r
	s.wg.Go(func() { s.turn(ctx, r, parts, begun) })
	s.mu.Unlock()
	return <-begun
}

// awaitOver lets a turn that has told its Done finish: whoever read that may send again.
func (s *Session) awaitOver() {
	s.mu.Lock()
	r := s.run
	over := r != nil && r.over
	s.mu.Unlock()
	if over {
		<-r.done
	}
}

// Stop ends the running turn; without one it does nothing.
func (s *Session) Stop() {
	s.mu.Lock()
	r := s.run
	s.mu.Unlock()
	if r != nil {
		r.cancel(errStopped)
	}
}

// RunID is the running turn's id, "" between turns.
func (s *Session) RunID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run == nil {
		return ""
	}
	return s.run.id
}

// probeLimit bounds the look at stale connections before a turn.
const probeLimit = 3 * time.Second

func (s *Session) turn(ctx context.Context, r *run, parts turnParts, begun chan<- error) {
	defer close(r.done)
	defer s.owners.publish()
	defer r.cancel(nil)
	if parts.before != nil {
		if err := parts.before(r.id); err != nil {
			s.end(r, nil)
			begun <- err
			return
		}
	}
	begun <- nil
	s.owners.publish()
	s.runtime.SetActive(true)
	probe, cancel := context.WithTimeout(ctx, probeLimit)
	s.runtime.Probe(probe)
	cancel()
	s.mu.Lock()
	history := slices.Clone(s.messages)
	s.mu.Unlock()
	user := model.Message{Role: model.User, Text: parts.text, Attached: parts.attached, AtMs: time.Now().UnixMilli()}
	loop := s.loop(r, parts)
	s.mu.Lock()
	r.loop = loop
	s.mu.Unlock()
	added, _ := loop.Run(ctx, history, user)
	s.runtime.SetActive(false) // before the next turn can set it
	s.end(r, added)
}

// end takes over what a turn added; the next one may begin.
func (s *Session) end(r *run, added []agent.Entry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range added {
		s.messages = append(s.messages, e.Message)
	}
	s.kept = append(s.kept, r.kept...)
	s.run = nil
}

// tellLeftOut says which opened servers the turn goes without. The command line has said
// so before.
func (s *Session) tellLeftOut(runID string, allow []string) {
	if s.owners.Headless {
		return
	}
	snap, _ := s.Rows().Get()
	if down := downServers(snap.Rows, allow); len(down) > 0 {
		s.emit(agent.Event{RunID: runID, Kind: agent.Notice, AtMs: time.Now().UnixMilli(), Text: "Left out of this turn: " + strings.Join(down, "; ")})
	}
}

// loop assembles the parts of a turn.
func (s *Session) loop(r *run, parts turnParts) *agent.Loop {
	return agent.New(agent.Options{
		RunID: r.id, SessionID: s.id, Workspace: s.workspace,
		Client: parts.client, Model: parts.info.Name, Practice: parts.info.Source == settings.Practice,
		Table:    func() *tool.Table { return s.table(parts.allow) },
		Approver: s.owners.Approvals,
		Emit: func(e agent.Event) {
			if s.emit(e); e.Kind == agent.UserMessage {
				s.tellLeftOut(r.id, parts.allow)
			}
		},
		Save: func(e agent.Entry) error {
			err := s.save(e)
			r.kept = append(r.kept, err == nil)
			return err
		},
		System:    func() string { return s.systemPrompt(parts.allow) },
		ModelText: s.modelText,
		Question:  s.question,
		TakenOut:  s.takenOut,
		Clicked:   parts.clicked,
	})
}

// emit publishes an event and folds it into the transcript.
func (s *Session) emit(e agent.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e.Seq = s.events.Append(func(seq uint64) agent.Event { e.Seq = seq; return e })
	if e.Kind == agent.Done && s.run != nil && s.run.id == e.RunID {
		s.run.over = true
	}
	s.folded.Add(e)
}

// Transcript is the conversation so far, deltas merged, with the sequence number of its
// newest event and the running turn.
func (s *Session) Transcript() (events []agent.Event, seq uint64, runID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		runID = s.run.id
	}
	return s.folded.Events(), s.events.Last(), runID
}
