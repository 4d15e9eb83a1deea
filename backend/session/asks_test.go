package session

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/ask"
	"patchbay/backend/model/modeltest"
	"patchbay/backend/tool"
)

// asking is a rig with a server that asks, in a session where nothing else asks.
func asking(t *testing.T, o Options, answers ...modeltest.Answer) (*rig, *Manager, *Session) {
	t.Helper()
	r := newRig(t, answers...)
	self, err := os.Executable()
	r.must(err)
	r.write(r.storePath(), fmt.Sprintf(`{"mcpServers": {"asking": {"command": %q, "env": {"PATCHBAY_FAKE": "asking"}}}}`, self))
	o.Mode = approval.Auto
	m := r.open(o)
	return r, m, r.session(m, "asking")
}

func calls(name string) modeltest.Answer {
	return modeltest.Calls(modeltest.Call{ID: "c1", Name: name, Arguments: "{}"})
}

// question waits for the one open question.
func (r *rig) question(m *Manager) ask.Question {
	r.t.Helper()
	var q ask.Question
	r.eventually("a question of the server", func() bool {
		list, _ := m.Asks().Questions().Get()
		if len(list) == 1 {
			q = list[0]
		}
		return len(list) == 1
	})
	return q
}

func (r *rig) noQuestion(m *Manager) {
	r.t.Helper()
	r.eventually("no question is open", func() bool {
		list, _ := m.Asks().Questions().Get()
		return len(list) == 0
	})
}

func resultOf(t *testing.T, events []agent.Event) agent.Event {
	t.Helper()
	results := ofKind(events, agent.ToolResult)
	if len(results) != 1 {
		t.Fatalf("%d results", len(results))
	}
	return results[0]
}

func TestAskedInTheSessionThatCalls(t *testing.T) {
	r, m, s := asking(t, Options{}, calls("form"), modeltest.Text("done"))
	other := r.session(m) // shown now, with the same server
	from := s.Events().Last()
	r.must(s.Send(Prompt{Text: "go"}))
	q := r.question(m)
	if q.Kind != ask.Form || q.Server != "asking" || len(q.Sessions) != 1 || q.Sessions[0] != s.ID() || other.ID() == s.ID() {
		t.Errorf("question %+v of %s", q, s.ID())
	}
	r.must(m.Asks().Answer(q.ID, ask.Answer{Action: ask.Accept, Content: json.RawMessage(`{"name":"Ada"}`)}))
	if got := resultOf(t, r.until(s, from, agent.Done)); !strings.Contains(got.ModelText, `"name":"Ada"`) {
		t.Errorf("result %s", got.ModelText)
	}
}

func TestStopWithdrawsTheQuestion(t *testing.T) {
	for _, name := range []string{"form", "link", "sample"} {
		t.Run(name, func(t *testing.T) {
			r, m, s := asking(t, Options{}, calls(name))
			from := s.Events().Last()
			r.must(s.Send(Prompt{Text: "go"}))
			r.question(m)
			s.Stop()
			r.wantDone(r.until(s, from, agent.Done), agent.Cancelled)
			r.noQuestion(m)
		})
	}
}

// The model of the session answers what a server asks, once the person has read it.
func TestSamplingIsAnsweredByTheModel(t *testing.T) {
	r, m, s := asking(t, Options{}, calls("sample"), modeltest.Text("It is said."), modeltest.Text("done"))
	from := s.Events().Last()
	r.must(s.Send(Prompt{Text: "go"}))
	q := r.question(m)
	if q.Stage != ask.Requested || q.Model != "fake-1" {
		t.Errorf("question %+v", q)
	}
	r.must(m.Asks().Answer(q.ID, ask.Answer{Action: ask.Accept}))
	r.eventually("the answer is there to be read", func() bool {
		list, _ := m.Asks().Questions().Get()
		return len(list) == 1 && list[0].Stage == ask.Review && list[0].Text == "It is said."
	})
	r.must(m.Asks().Answer(q.ID, ask.Answer{Action: ask.Accept}))
	got := resultOf(t, r.until(s, from, agent.Done))
	if !strings.Contains(got.ModelText, "It is said.") || !strings.Contains(got.ModelText, "endTurn") {
		t.Errorf("result %s", got.ModelText)
	}
	sent := r.model.Requests()[1]
	if len(sent.Chat.Messages) != 2 || sent.Chat.Messages[0].Text() != "Be short." || sent.Chat.Messages[1].Text() != "Say it" ||
		len(sent.Chat.ToolNames()) != 0 || !strings.Contains(string(sent.Body), `"max_tokens":7`) || !strings.Contains(string(sent.Body), `"stop":["END"]`) {
		t.Errorf("the model was sent %s", sent.Body)
	}
}

func TestSamplingWithoutAnAnswerOfTheModel(t *testing.T) {
	r, m, s := asking(t, Options{}, calls("sample"), modeltest.Status(401, `{"error":{"message":"bad key"}}`), modeltest.Text("done"))
	from := s.Events().Last()
	r.must(s.Send(Prompt{Text: "go"}))
	r.must(m.Asks().Answer(r.question(m).ID, ask.Answer{Action: ask.Accept}))
	if got := resultOf(t, r.until(s, from, agent.Done)); !strings.Contains(got.ModelText, "no model answered") {
		t.Errorf("result %s", got.ModelText)
	}
	r.noQuestion(m)
}

// What the person takes is not the server's time.
func TestLatencyIsTheServersOwn(t *testing.T) {
	r, m, s := asking(t, Options{})
	before := r.row(s, "asking").Latency
	done := make(chan error, 1)
	go func() {
		_, err := s.CallTool(t.Context(), "asking", "form", json.RawMessage(`{}`))
		done <- err
	}()
	q := r.question(m)
	time.Sleep(50 * time.Millisecond) // the person thinks
	r.must(m.Asks().Answer(q.ID, ask.Answer{Action: ask.Decline}))
	r.must(<-done)
	s.Runtime().Probe(t.Context()) // one pass
	if got := r.row(s, "asking").Latency; got != before {
		t.Errorf("latency %s, before %s", got, before)
	}
}

// Where nobody can answer, a server is told so, and asks nothing.
func TestNobodyIsAskedHeadless(t *testing.T) {
	r, m, s := asking(t, Options{Headless: true}, calls("form"), modeltest.Text("done"))
	events := r.send(s, Prompt{Text: "go"})
	if got := resultOf(t, events); got.Result.OK {
		t.Errorf("result %s", got.ModelText)
	}
	r.noQuestion(m)
}

// A call by hand asks in the session that is shown.
func TestAskedByATryOfTheTool(t *testing.T) {
	r, m, s := asking(t, Options{})
	done := make(chan tool.Result, 1)
	go func() {
		result, err := s.CallTool(t.Context(), "asking", "form", json.RawMessage(`{}`))
		if err != nil {
			t.Error(err)
		}
		done <- result
	}()
	q := r.question(m)
	if len(q.Sessions) != 1 || q.Sessions[0] != s.ID() {
		t.Errorf("question %+v", q)
	}
	r.must(m.Asks().Answer(q.ID, ask.Answer{Action: ask.Decline}))
	if result := <-done; !result.OK {
		t.Errorf("result %+v", result)
	}
}

func TestOneCallIsCancelled(t *testing.T) {
	r, _, s := asking(t, Options{}, calls("wait"), modeltest.Text("I go on"))
	from := s.Events().Last()
	s.CancelCall("c1") // none runs: no harm
	r.must(s.Send(Prompt{Text: "go"}))
	r.until(s, from, agent.Approval)
	s.CancelCall("other")
	s.CancelCall("c1")
	events := r.until(s, from, agent.Done)
	r.wantDone(events, agent.EndTurn)
	if got := resultOf(t, events); got.Result.Reason != tool.Cancelled || !strings.Contains(got.ModelText, "The user cancelled this call") {
		t.Errorf("result %+v %s", got.Result, got.ModelText)
	}
}

// A result that does not fit the tool's schema is handed on, and the model is told.
func TestResultThatDoesNotFit(t *testing.T) {
	r, _, s := asking(t, Options{}, calls("liar"), modeltest.Text("hm"))
	got := resultOf(t, r.send(s, Prompt{Text: "go"}))
	if !got.Result.OK || !strings.Contains(got.Result.Warning, "does not fit the tool's output schema") ||
		!strings.Contains(got.ModelText, `{"n":"three"}`) || !strings.Contains(got.ModelText, "[warning: The structured result") {
		t.Errorf("%+v\n%s", got.Result, got.ModelText)
	}
	byHand, err := s.CallTool(t.Context(), "asking", "liar", json.RawMessage(`{}`))
	if err != nil || byHand.Warning != got.Result.Warning {
		t.Errorf("by hand: %+v, %v", byHand, err)
	}
}

// The level that was asked for outlives a restart of the server.
func TestLogLevelIsKept(t *testing.T) {
	r, _, s := asking(t, Options{})
	said := func() string {
		if _, err := s.CallTool(t.Context(), "asking", "talk", json.RawMessage(`{}`)); err != nil {
			t.Fatal(err)
		}
		page, err := s.Log("asking", 0)
		r.must(err)
		var all []string
		for _, line := range page.Lines {
			if line.Level != "stderr" {
				all = append(all, line.Level)
			}
		}
		return strings.Join(all, " ")
	}
	if err := s.SetLogLevel(t.Context(), "nobody", "info"); err == nil {
		t.Error("a server that is none has a level")
	}
	r.must(s.SetLogLevel(t.Context(), "asking", "error"))
	r.eventually("an error is logged", func() bool { return said() == "error" || strings.Contains(said(), "error error") })
	pid := r.row(s, "asking").PID
	r.must(s.Retry("asking"))
	r.eventually("a new process", func() bool { row := r.row(s, "asking"); return row.PID != 0 && row.PID != pid })
	r.settle(s)
	if got := s.LogLevel("asking"); got != "error" {
		t.Errorf("level %q", got)
	}
	before := strings.Count(said(), "error")
	r.eventually("errors are logged again", func() bool { return strings.Count(said(), "error") > before })
	if got := said(); strings.Contains(got, "debug") {
		t.Errorf("heard %s", got)
	}
}
