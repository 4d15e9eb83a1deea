package ask_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"patchbay/backend/ask"
	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

var errNoModel = errors.New("no model is chosen")

// echoing answers with the last message.
func echoing() ask.Options {
	return ask.Options{
		ModelName: func() (string, error) { return "m", nil },
		Model: func(_ context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
			return mcpconn.SampleAnswer{Text: req.System + "|" + req.Messages[len(req.Messages)-1].Content.Text, Model: "m-1", StopReason: "endTurn"}, nil
		},
	}
}

func one(id string) ask.From {
	return ask.From{Server: "srv", Key: "k", Sessions: []string{id}}
}

func request() mcpconn.Sampling {
	return mcpconn.Sampling{System: "sys", MaxTokens: 9, Messages: []mcpconn.PromptMessage{
		{Role: "user", Content: tool.Content{Kind: tool.Image, MIMEType: "image/png", Data: []byte{1}}},
		{Role: "user", Content: tool.Content{Kind: tool.Text, Text: "hi"}},
	}}
}

type sampled struct {
	answer mcpconn.SampleAnswer
	err    error
}

func sample(ctx context.Context, s *ask.Service, from ask.From) <-chan sampled {
	out := make(chan sampled, 1)
	go func() {
		answer, err := s.Sample(ctx, from, request())
		out <- sampled{answer, err}
	}()
	synctest.Wait()
	return out
}

func elicit(ctx context.Context, s *ask.Service, req mcpconn.Elicitation) <-chan mcpconn.ElicitAnswer {
	out := make(chan mcpconn.ElicitAnswer, 1)
	go func() {
		answer, err := s.Elicit(ctx, one("s1"), req)
		if err != nil {
			answer.Action = err.Error()
		}
		out <- answer
	}()
	synctest.Wait()
	return out
}

func open(t *testing.T, s *ask.Service, want int) []ask.Question {
	t.Helper()
	synctest.Wait()
	list, _ := s.Questions().Get()
	if len(list) != want {
		t.Fatalf("%d questions are open, want %d: %+v", len(list), want, list)
	}
	return list
}

func answer(t *testing.T, s *ask.Service, a ask.Answer) {
	t.Helper()
	if err := s.Answer(open(t, s, 1)[0].ID, a); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
}

var form = mcpconn.Elicitation{Message: "Who?", Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)}

func TestFormIsAnsweredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ask.NewService(echoing())
		got := elicit(t.Context(), s, form)
		q := open(t, s, 1)[0]
		if q.Kind != ask.Form || q.Server != "srv" || q.Message != "Who?" || q.Sessions[0] != "s1" || len(q.Schema) == 0 || q.AtMs == 0 {
			t.Errorf("question %+v", q)
		}
		for _, content := range []string{`{}`, `{"n":"x"}`, ``} {
			if err := s.Answer(q.ID, ask.Answer{Action: ask.Accept, Content: json.RawMessage(content)}); err == nil {
				t.Errorf("%q was taken", content)
			}
		}
		if err := s.Answer(q.ID, ask.Answer{Action: "maybe"}); err == nil {
			t.Error("maybe was taken")
		}
		answer(t, s, ask.Answer{Action: ask.Accept, Content: json.RawMessage(`{"n":3}`)})
		if a := <-got; a.Action != "accept" || string(a.Content) != `{"n":3}` {
			t.Errorf("answer %+v", a)
		}
		if err := s.Answer(q.ID, ask.Answer{Action: ask.Decline}); !errors.Is(err, ask.ErrNotOpen) {
			t.Errorf("a second answer: %v", err)
		}
		open(t, s, 0)
	})
}

func TestDeclineNeedsNoContent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ask.NewService(echoing())
		for _, action := range []ask.Action{ask.Decline, ask.Cancel} {
			got := elicit(t.Context(), s, form)
			answer(t, s, ask.Answer{Action: action})
			if a := <-got; a.Action != string(action) {
				t.Errorf("answer %+v", a)
			}
		}
		got := elicit(t.Context(), s, mcpconn.Elicitation{Message: "Go", URL: "https://example.com", ID: "e"})
		if q := open(t, s, 1)[0]; q.Kind != ask.Link || q.URL != "https://example.com" {
			t.Errorf("question %+v", q)
		}
		answer(t, s, ask.Answer{Action: ask.Accept})
		if a := <-got; a.Action != "accept" {
			t.Errorf("answer %+v", a)
		}
	})
}

func TestQuestionEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ask.NewService(echoing())
		ctx, cancel := context.WithCancelCause(t.Context())
		form, sampling := elicit(ctx, s, form), sample(ctx, s, one("s1"))
		id := open(t, s, 2)[0].ID
		cancel(errors.New("stopped"))
		if a := <-form; a.Action != "stopped" {
			t.Errorf("form: %+v", a)
		}
		if a := <-sampling; a.err == nil {
			t.Errorf("sampling: %+v", a)
		}
		open(t, s, 0)
		if err := s.Answer(id, ask.Answer{Action: ask.Decline}); !errors.Is(err, ask.ErrNotOpen) {
			t.Errorf("after the end: %v", err)
		}
	})
}

func TestSamplingIsReadTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ask.NewService(echoing())
		got := sample(t.Context(), s, one("s1"))
		q := open(t, s, 1)[0]
		if q.Stage != ask.Requested || q.Model != "m" || q.Request.MaxTokens != 9 || q.Text != "" {
			t.Errorf("first: %+v", q)
		}
		system := "mine"
		answer(t, s, ask.Answer{Action: ask.Accept, System: &system, Messages: []string{"left out", "hello", "too many"}})
		q = open(t, s, 1)[0]
		if q.Stage != ask.Review || q.Text != "mine|hello" || q.Model != "m-1" || q.Request.Messages[0].Content.Text != "" {
			t.Errorf("second: %+v", q)
		}
		text := "better"
		answer(t, s, ask.Answer{Action: ask.Accept, Text: &text})
		if a := <-got; a.err != nil || a.answer.Text != "better" || a.answer.Model != "m-1" || a.answer.StopReason != "endTurn" {
			t.Errorf("answer %+v", a)
		}
	})
}

func TestSamplingIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		called := 0
		o := echoing()
		inner := o.Model
		o.Model = func(ctx context.Context, req mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
			called++
			return inner(ctx, req)
		}
		s := ask.NewService(o)
		got := sample(t.Context(), s, one("s1"))
		answer(t, s, ask.Answer{Action: ask.Decline})
		if a := <-got; !a.answer.Rejected || called != 0 {
			t.Errorf("before: %+v, %d calls", a, called)
		}
		got = sample(t.Context(), s, one("s1"))
		answer(t, s, ask.Answer{Action: ask.Accept})
		answer(t, s, ask.Answer{Action: ask.Decline})
		if a := <-got; !a.answer.Rejected || a.answer.Text != "" || called != 1 {
			t.Errorf("after: %+v, %d calls", a, called)
		}
	})
}

func TestSamplingIsStoppedWhileTheModelAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		o := echoing()
		o.Model = func(ctx context.Context, _ mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
			<-ctx.Done()
			close(ended)
			return mcpconn.SampleAnswer{}, ctx.Err()
		}
		s := ask.NewService(o)
		got := sample(t.Context(), s, one("s1"))
		answer(t, s, ask.Answer{Action: ask.Accept})
		q := open(t, s, 1)[0]
		if q.Stage != ask.Answering {
			t.Errorf("stage %s", q.Stage)
		}
		if err := s.Answer(q.ID, ask.Answer{Action: ask.Accept}); err == nil || errors.Is(err, ask.ErrNotOpen) {
			t.Errorf("accept too early: %v", err)
		}
		answer(t, s, ask.Answer{Action: ask.Decline})
		if a := <-got; !a.answer.Rejected {
			t.Errorf("%+v", a)
		}
		<-ended
	})
}

// Allowed for the session is bound to the session and to the connection.
func TestSamplingAllowedForTheSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ask.NewService(echoing())
		got := sample(t.Context(), s, one("s1"))
		answer(t, s, ask.Answer{Action: ask.Accept, ForSession: true})
		if a := <-got; a.answer.Text != "sys|hi" {
			t.Errorf("the first: %+v", a)
		}
		got = sample(t.Context(), s, one("s1"))
		open(t, s, 0)
		if a := <-got; a.answer.Text != "sys|hi" {
			t.Errorf("the second: %+v", a)
		}
		edited, both, none := one("s1"), one("s1"), one("s1")
		edited.Key, both.Sessions, none.Sessions = "k2", []string{"s1", "s2"}, nil
		for name, from := range map[string]ask.From{"another session": one("s2"), "an edited server": edited, "another session too": both, "no session": none} {
			got := sample(t.Context(), s, from)
			answer(t, s, ask.Answer{Action: ask.Decline})
			if a := <-got; !a.answer.Rejected {
				t.Errorf("%s: %+v", name, a)
			}
		}
	})
}

func TestModelThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := echoing()
		o.Model = func(context.Context, mcpconn.Sampling) (mcpconn.SampleAnswer, error) {
			return mcpconn.SampleAnswer{}, errors.New("HTTP 500")
		}
		s := ask.NewService(o)
		got := sample(t.Context(), s, one("s1"))
		answer(t, s, ask.Answer{Action: ask.Accept})
		if a := <-got; a.err == nil || !strings.Contains(a.err.Error(), "HTTP 500") {
			t.Errorf("%+v", a)
		}
		open(t, s, 0)
		o.ModelName = func() (string, error) { return "", errNoModel }
		s = ask.NewService(o)
		if a := <-sample(t.Context(), s, one("s1")); !errors.Is(a.err, errNoModel) {
			t.Errorf("no model: %+v", a)
		}
	})
}

// A server that asks without end is refused, others are not.
func TestQuestionsOfOneServerAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ask.NewService(echoing())
		var all []<-chan mcpconn.ElicitAnswer
		for range 16 {
			all = append(all, elicit(t.Context(), s, form))
		}
		if a := <-elicit(t.Context(), s, form); !strings.Contains(a.Action, "open already") {
			t.Errorf("one more: %+v", a)
		}
		other := one("s1")
		other.Server = "other"
		last := sample(t.Context(), s, other)
		open(t, s, 17)
		s.Close()
		for _, each := range all {
			<-each
		}
		<-last
	})
}

func TestCloseCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := ask.NewService(echoing())
		form, sampling := elicit(t.Context(), s, form), sample(t.Context(), s, one("s1"))
		open(t, s, 2)
		s.Close()
		if a := <-form; a.Action != "cancel" {
			t.Errorf("form: %+v", a)
		}
		if a := <-sampling; !a.answer.Rejected {
			t.Errorf("sampling: %+v", a)
		}
		if _, err := s.Elicit(t.Context(), one("s1"), mcpconn.Elicitation{}); err == nil {
			t.Error("asked after Close")
		}
		open(t, s, 0)
	})
}
