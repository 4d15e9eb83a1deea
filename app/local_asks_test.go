package app

import (
	"encoding/json"
	"strings"
	"testing"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
)

// asked waits for the one question that is published.
func (r *changeRig) asked(ok func(Ask) bool) Ask {
	r.t.Helper()
	var found Ask
	r.eventually("a server asks", func() bool {
		snap, _ := r.Asks().Get()
		if len(snap.Asks) == 1 && ok(snap.Asks[0]) {
			found = snap.Asks[0]
			return true
		}
		return false
	})
	return found
}

func anyAsk(Ask) bool { return true }

// callByHand calls a tool by hand and hands over what it came back with.
func (r *changeRig) callByHand(id, tool string) <-chan ToolOutcome {
	out := make(chan ToolOutcome, 1)
	go func() {
		outcome, err := r.CallTool(r.ctx(), id, "asking", tool, "{}")
		if err != nil {
			r.t.Error(err)
		}
		out <- outcome
	}()
	return out
}

func TestAFormIsPublishedAndAnswered(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{mcptest.Definition("asking")})
	came := r.callByHand("1", "form")
	q := r.asked(anyAsk)
	if q.Kind != AskForm || q.Server != "asking" || q.Message != "Who are you?" || !json.Valid([]byte(q.Schema)) || q.Sampling != nil ||
		len(q.Sessions) != 1 || q.Sessions[0] != r.manager.Current().ID() || q.AtMs == 0 {
		t.Errorf("%+v", q)
	}
	wantCommandError(t, r.AnswerAsk(r.ctx(), q.ID, AskAnswer{Action: AskAccept, Content: `{"name":"A"}`}), CommandError{Code: CodeInvalid, Message: "name: "})
	if err := r.AnswerAsk(r.ctx(), q.ID, AskAnswer{Action: AskAccept, Content: `{"name":"Ada"}`}); err != nil {
		t.Fatal(err)
	}
	if out := <-came; !out.OK || !strings.Contains(out.Content[0].Text, `"Ada"`) {
		t.Errorf("%+v", out)
	}
	wantCommandError(t, r.AnswerAsk(r.ctx(), q.ID, AskAnswer{Action: AskDecline}), CommandError{Code: CodeNotFound, Message: "this question is no longer open"})
}

func TestASamplingIsPublishedEditedAndRead(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{mcptest.Definition("asking")})
	came := r.callByHand("1", "sample")
	q := r.asked(anyAsk)
	s := q.Sampling
	if q.Kind != AskSampling || s == nil || s.Stage != AskRequested || s.System != "Be short." || s.MaxTokens != 7 || *s.Temperature != 0.5 ||
		len(s.Messages) != 1 || s.Messages[0].Role != "user" || s.Messages[0].Content.Text != "Say it" || s.Hints[0] != "small" || s.Stop[0] != "END" {
		t.Errorf("%+v %+v", q, s)
	}
	if err := r.AnswerAsk(r.ctx(), q.ID, AskAnswer{Action: AskAccept, Edited: true, System: "", Messages: []string{"Hello"}}); err != nil {
		t.Fatal(err)
	}
	read := r.asked(func(a Ask) bool { return a.Sampling.Stage == AskReview })
	if read.Sampling.Text == "" || read.Sampling.System != "" || read.Sampling.Messages[0].Content.Text != "Hello" {
		t.Errorf("%+v", read.Sampling)
	}
	if err := r.AnswerAsk(r.ctx(), q.ID, AskAnswer{Action: AskAccept, Edited: true, Text: "mine"}); err != nil {
		t.Fatal(err)
	}
	if out := <-came; !out.OK || !strings.Contains(out.Content[0].Text, `"mine"`) {
		t.Errorf("%+v", out)
	}
}

func TestAWarningAndALevelReachThePage(t *testing.T) {
	r := newServerRig(t, []mcpconf.Definition{mcptest.Definition("asking")})
	if out := <-r.callByHand("1", "liar"); !out.OK || !strings.Contains(out.Warning, "output schema") {
		t.Errorf("%+v", out)
	}
	if err := r.SetLogLevel(r.ctx(), "asking", "loud"); err == nil || !strings.Contains(err.Error(), "unknown log level") {
		t.Errorf("loud: %v", err)
	}
	if err := r.SetLogLevel(r.ctx(), "asking", "error"); err != nil {
		t.Fatal(err)
	}
	if page, err := r.ServerLog(r.ctx(), "asking", 0); err != nil || page.Level != "error" {
		t.Errorf("%+v, %v", page, err)
	}
}

func TestQuestionsOfServersAreToldOnce(t *testing.T) {
	form := Ask{ID: "1", Server: "a\nserver", Kind: AskForm, Message: "Who?", Sessions: []string{"s1", "s2"}}
	sampling := Ask{ID: "2", Server: "b", Kind: AskSampling}
	seen := &askers{}
	told := func(focused bool, asks ...Ask) string {
		var all []string
		for _, n := range seen.in(AsksSnapshot{Asks: asks}, focused) {
			all = append(all, n.title+"|"+n.body+"|"+n.session)
		}
		return strings.Join(all, "; ")
	}
	for i, step := range []struct{ got, want string }{
		{told(false, form), "a server asks for details|Who?|s1"},
		{told(false, form, sampling), "b asks for an answer of the model|It wants to send messages to your model|"},
		{told(false), ""},
		{told(true, Ask{ID: "3", Kind: AskLink}), ""},
		{told(false, Ask{ID: "3", Kind: AskLink}), ""}, // it was seen
	} {
		if step.got != step.want {
			t.Errorf("step %d: told %q, want %q", i, step.got, step.want)
		}
	}
}
