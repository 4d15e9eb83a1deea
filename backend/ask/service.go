package ask

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
	"patchbay/backend/watch"
)

// Options are what a Service answers with.
type Options struct {
	// Model answers a sampling.
	Model func(ctx context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error)
	// ModelName is the model that would answer now, or why none can.
	ModelName func() (string, error)
}

// Service owns the open questions. They wait without a limit and cost nothing meanwhile;
// the first answer wins.
type Service struct {
	opts      Options
	questions *watch.Value[[]Question]

	mu      sync.Mutex
	closed  bool
	open    []*pending         // oldest first
	allowed map[[2]string]bool // samplings, by session and From.Key
}

// pending is an open question. Its channel is buffered and written once per stage.
type pending struct {
	q      Question // replaced, never changed in place
	answer chan Answer
	taken  bool // the stage is answered
}

// NewService returns a Service without open questions.
func NewService(o Options) *Service {
	return &Service{opts: o, questions: watch.NewValue([]Question{}), allowed: map[[2]string]bool{}}
}

// Questions publishes the open questions, oldest first.
func (s *Service) Questions() *watch.Value[[]Question] { return s.questions }

// errClosed is why a question is not asked any more.
var errClosed = errors.New("the application is closing")

// Elicit asks for a form or a visit, until ctx ends.
func (s *Service) Elicit(ctx context.Context, from From, req mcpconn.Elicitation) (mcpconn.ElicitAnswer, error) {
	q := Question{Kind: Form, Message: req.Message, Schema: req.Schema}
	if req.URL != "" {
		q = Question{Kind: Link, Message: req.Message, URL: req.URL}
	}
	p, err := s.post(from, q)
	if err != nil {
		return mcpconn.ElicitAnswer{}, err
	}
	defer s.drop(p)
	a, err := p.wait(ctx)
	if err != nil {
		return mcpconn.ElicitAnswer{}, err
	}
	return mcpconn.ElicitAnswer{Action: string(a.Action), Content: a.Content}, nil
}

// Sample asks whether the model may answer a server, has it answer, and asks whether that
// may go back. A server that is allowed for the session is not asked about.
func (s *Service) Sample(ctx context.Context, from From, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
	if s.isAllowed(from) {
		return s.opts.Model(ctx, req)
	}
	name, err := s.opts.ModelName()
	if err != nil {
		return mcpconn.SampleAnswer{}, err // nothing to ask about
	}
	p, err := s.post(from, Question{Kind: Sampling, Request: req, Model: name, Stage: Requested})
	if err != nil {
		return mcpconn.SampleAnswer{}, err
	}
	defer s.drop(p)
	a, err := p.wait(ctx)
	if err != nil {
		return mcpconn.SampleAnswer{}, err
	}
	if a.Action != Accept {
		return mcpconn.SampleAnswer{Rejected: true}, nil
	}
	req = edited(req, a)
	if a.ForSession {
		s.allow(from)
	}
	return s.answered(ctx, p, req, a.ForSession)
}

// answered has the model answer; a click on Reject ends that too.
func (s *Service) answered(ctx context.Context, p *pending, req mcpconn.Sampling, unseen bool) (mcpconn.SampleAnswer, error) {
	s.stage(p, func(q *Question) { q.Stage, q.Request = Answering, req })
	modelCtx, stop := context.WithCancel(ctx)
	defer stop()
	type outcome struct {
		answer mcpconn.SampleAnswer
		err    error
	}
	done := make(chan outcome, 1)
	go func() { // ends with modelCtx at the latest
		answer, err := s.opts.Model(modelCtx, req)
		done <- outcome{answer, err}
	}()
	var out outcome
	select {
	case out = <-done:
	case <-p.answer:
		return mcpconn.SampleAnswer{Rejected: true}, nil
	}
	if out.err != nil || unseen {
		return out.answer, out.err
	}
	if s.stage(p, func(q *Question) { q.Stage, q.Text, q.Model = Review, out.answer.Text, out.answer.Model }) {
		return mcpconn.SampleAnswer{Rejected: true}, nil // clicked at the last moment
	}
	a, err := p.wait(ctx)
	switch {
	case err != nil:
		return mcpconn.SampleAnswer{}, err
	case a.Action != Accept:
		return mcpconn.SampleAnswer{Rejected: true}, nil
	case a.Text != nil:
		out.answer.Text = *a.Text
	}
	return out.answer, nil
}

// edited is the request with the person's words in the place of the server's.
func edited(req mcpconn.Sampling, a Answer) mcpconn.Sampling {
	if a.System != nil {
		req.System = *a.System
	}
	req.Messages = slices.Clone(req.Messages)
	for i, text := range a.Messages {
		if i < len(req.Messages) && req.Messages[i].Content.Kind == tool.Text {
			req.Messages[i].Content.Text = text
		}
	}
	return req
}

func (s *Service) isAllowed(from From) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range from.Sessions {
		if !s.allowed[[2]string{id, from.Key}] {
			return false
		}
	}
	return len(from.Sessions) > 0
}

func (s *Service) allow(from From) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range from.Sessions {
		s.allowed[[2]string{id, from.Key}] = true
	}
}

// wait returns the answer, or the cause of ctx when that ends first.
func (p *pending) wait(ctx context.Context) (Answer, error) {
	select {
	case a := <-p.answer:
		return a, nil
	case <-ctx.Done():
		return Answer{}, context.Cause(ctx)
	}
}

// maxOpen is how many questions of one server may be open: nobody reads more.
const maxOpen = 16

var errTooMany = fmt.Errorf("%d questions of this server are open already", maxOpen)

// post opens a question, unless too many are or the service is closed.
func (s *Service) post(from From, q Question) (*pending, error) {
	q.ID, q.Server, q.Sessions, q.AtMs = uuid.NewString(), from.Server, slices.Clone(from.Sessions), time.Now().UnixMilli()
	p := &pending{q: q, answer: make(chan Answer, 1)}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errClosed
	}
	n := 0
	for _, other := range s.open {
		if other.q.Server == q.Server {
			n++
		}
	}
	if n >= maxOpen {
		return nil, errTooMany
	}
	s.open = append(s.open, p)
	s.publishLocked()
	return p, nil
}

// stage moves a question on and opens it for the next answer. An answer that came before is
// taken: it belongs to the stage that is over.
func (s *Service) stage(p *pending, change func(*Question)) (answered bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-p.answer:
		answered = true
	default:
	}
	p.taken = s.closed
	change(&p.q)
	s.publishLocked()
	return answered || s.closed
}

// drop closes a question, answered or not.
func (s *Service) drop(p *pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(other *pending) bool { return other == p })
	s.publishLocked()
}

func (s *Service) publishLocked() {
	list := make([]Question, 0, len(s.open))
	for _, p := range s.open {
		if !p.taken || p.q.Stage == Answering {
			list = append(list, p.q)
		}
	}
	s.questions.Set(list)
}

// ErrNotOpen refuses an answer to a question that was answered or withdrawn.
var ErrNotOpen = errors.New("this question is no longer open: it was answered, or what it was for has ended")

// Answer answers an open question. An answer that the server could not take is refused and
// leaves the question open.
func (s *Service) Answer(id string, a Answer) error {
	if !slices.Contains(AllActions, a.Action) {
		return fmt.Errorf("unknown answer: %s", a.Action)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at := slices.IndexFunc(s.open, func(p *pending) bool { return p.q.ID == id && !p.taken })
	if at < 0 {
		return ErrNotOpen
	}
	p := s.open[at]
	switch {
	case p.q.Kind == Form && a.Action == Accept:
		if err := mcpconn.CheckForm(p.q.Schema, a.Content); err != nil {
			return err
		}
	case p.q.Stage == Answering && a.Action == Accept:
		return errors.New("the model is still answering")
	}
	if p.q.Stage == Requested && a.Action == Accept {
		p.q.Stage = Answering // so that it does not go and come back
	}
	p.taken = true
	p.answer <- a
	s.publishLocked()
	return nil
}

// Close cancels every open question, and each one asked afterwards.
func (s *Service) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, p := range s.open {
		if !p.taken {
			p.taken = true
			p.answer <- Answer{Action: Cancel}
		}
	}
	s.publishLocked()
}
