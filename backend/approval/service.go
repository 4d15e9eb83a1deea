package approval

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"patchbay/backend/watch"
)

// Options say how a Service decides.
type Options struct {
	Path    string      // file of the workspace grants; its folder is made when needed
	Runtime string      // folder of locks
	Deny    bool        // nobody can be asked: what would be asked is rejected
	Mode    func() Mode // when to ask; read at every question
}

// Service decides calls: by mode, by grants, else by asking. The first answer wins.
type Service struct {
	opts      Options
	grants    *grantFile
	questions *watch.Value[[]Question]

	mu      sync.Mutex
	closed  bool
	open    map[string]*pending
	order   []string            // ids of open questions, oldest first
	session map[string][]string // grant keys by session id
}

// pending is an open question. Its channel is buffered and written once.
type pending struct {
	q      Question
	answer chan Answer
}

// NewService returns a Service without open questions. Without a Mode it is Safe, and
// without a Runtime folder locks stand beside the file of the grants.
func NewService(o Options) *Service {
	if o.Mode == nil {
		o.Mode = func() Mode { return Safe }
	}
	if o.Runtime == "" {
		o.Runtime = filepath.Dir(o.Path)
	}
	return &Service{
		opts:      o,
		grants:    &grantFile{path: o.Path, locks: o.Runtime},
		questions: watch.NewValue([]Question{}),
		open:      map[string]*pending{},
		session:   map[string][]string{},
	}
}

// Questions publishes the open questions, oldest first.
func (s *Service) Questions() *watch.Value[[]Question] { return s.questions }

// About completes a question with why the mode asks for it, "" when it does not, and
// whether a grant may cover the workspace: as Ask will.
func (s *Service) About(q Question) Question {
	q.Why, q.WorkspaceGrant = whyAsked(s.opts.Mode(), q), q.grantable()
	return q
}

// Ask decides one call. It waits without a limit when a person must answer; when ctx ends
// first the question is withdrawn.
func (s *Service) Ask(ctx context.Context, q Question) Answer {
	mode := s.opts.Mode()
	reason := whyAsked(mode, q)
	if reason == "" {
		return Answer{Decision: AllowOnce, By: ByMode}
	}
	if answer, granted := s.granted(q); granted {
		return answer
	}
	if s.opts.Deny {
		return Answer{Decision: Reject, By: ByPolicy}
	}
	if q.Why == "" {
		q.Why = reason
	}
	q.WorkspaceGrant = q.grantable()
	p := s.post(q)
	if p == nil {
		return Answer{Decision: Withdrawn, By: ByHost}
	}
	// A grant that was kept since the look above did not see this question.
	if answer, granted := s.granted(q); granted && s.take(p.q.ID) != nil {
		return answer
	}
	return s.wait(ctx, p)
}

func (s *Service) granted(q Question) (Answer, bool) {
	key := grantKey(q)
	s.mu.Lock()
	inSession := slices.Contains(s.session[q.SessionID], key)
	s.mu.Unlock()
	if inSession {
		return Answer{Decision: AllowSession, By: BySession}, true
	}
	if q.grantable() && s.grants.has(q.Workspace, key) {
		return Answer{Decision: AllowWorkspace, By: ByWorkspace}, true
	}
	return Answer{}, false
}

// post opens a question under an id that no other one has; nil after Close.
func (s *Service) post(q Question) *pending {
	if q.AtMs == 0 {
		q.AtMs = time.Now().UnixMilli()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	if q.ID == "" || s.open[q.ID] != nil {
		q.ID = uuid.NewString()
	}
	p := &pending{q: q, answer: make(chan Answer, 1)}
	s.open[q.ID] = p
	s.order = append(s.order, q.ID)
	s.publishLocked()
	return p
}

func (s *Service) wait(ctx context.Context, p *pending) Answer {
	select {
	case a := <-p.answer:
		return a
	case <-ctx.Done():
	}
	if s.take(p.q.ID) == nil {
		return <-p.answer // an answer was first
	}
	return Answer{Decision: Withdrawn, By: ByHost}
}

// take removes an open question; nil when it is not open.
func (s *Service) take(id string) *pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.open[id]
	if p == nil {
		return nil
	}
	delete(s.open, id)
	s.order = slices.DeleteFunc(s.order, func(other string) bool { return other == id })
	s.publishLocked()
	return p
}

func (s *Service) publishLocked() {
	list := make([]Question, 0, len(s.order))
	for _, id := range s.order {
		list = append(list, s.open[id].q)
	}
	s.questions.Set(list)
}

// ErrNotOpen refuses an answer to a question that was answered or withdrawn.
var ErrNotOpen = errors.New("this approval is no longer open: it was answered or its call has ended")

// Answer decides an open question. A grant is kept before the call runs; when it cannot be
// kept, the call is allowed once and the error says so. Other open questions that the
// grant covers are answered with it.
func (s *Service) Answer(id string, d Decision) error {
	if !slices.Contains([]Decision{AllowOnce, AllowSession, AllowWorkspace, Reject}, d) {
		return fmt.Errorf("unknown decision: %s", d)
	}
	p := s.take(id)
	if p == nil {
		return ErrNotOpen
	}
	var err error
	switch {
	case d == AllowSession:
		s.mu.Lock()
		s.session[p.q.SessionID] = append(s.session[p.q.SessionID], grantKey(p.q))
		s.mu.Unlock()
	case d == AllowWorkspace && p.q.Workspace == "":
		d, err = AllowOnce, errors.New("a plain chat has no workspace to allow this in; it was allowed once")
	case d == AllowWorkspace && !p.q.grantable():
		d, err = AllowOnce, errors.New("what goes to a running process cannot be allowed in the workspace; it was allowed once")
	case d == AllowWorkspace:
		if err = s.grants.add(p.q.Workspace, p.q); err != nil {
			d, err = AllowOnce, fmt.Errorf("allowed once only: %w", err)
		}
	}
	p.answer <- Answer{Decision: d, By: ByPerson}
	if d == AllowSession || d == AllowWorkspace {
		s.answerCovered()
	}
	return err
}

// answerCovered answers the open questions that a new grant covers.
func (s *Service) answerCovered() {
	list, _ := s.questions.Get()
	for _, q := range list {
		if answer, granted := s.granted(q); granted {
			if p := s.take(q.ID); p != nil {
				p.answer <- answer
			}
		}
	}
}

// Close withdraws every open question, and each one asked afterwards that a person would
// have to answer.
func (s *Service) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	list, _ := s.questions.Get()
	for _, q := range list {
		if p := s.take(q.ID); p != nil {
			p.answer <- Answer{Decision: Withdrawn, By: ByHost}
		}
	}
}
