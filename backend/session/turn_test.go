package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/model/modeltest"
)

func echo(id, text string) modeltest.Call {
	return modeltest.Call{ID: id, Name: "demo_echo", Arguments: `{"text":"` + text + `"}`}
}

func shell(id, args string) modeltest.Call {
	return modeltest.Call{ID: id, Name: "bash", Arguments: args}
}

func TestTurnCallsBothKindsOfTools(t *testing.T) {
	r := newRig(t,
		modeltest.Calls(echo("c1", "over"), modeltest.Call{ID: "c2", Name: "read_file", Arguments: `{"path":"README"}`}),
		modeltest.Text("do", "ne"))
	m := r.open(Options{Mode: approval.Auto})
	s := r.session(m, "demo")
	events := r.send(s, Prompt{Text: "go"})
	r.wantDone(events, agent.EndTurn)
	results := ofKind(events, agent.ToolResult)
	if len(results) != 2 || results[0].ModelText != "over" || results[0].Server != "demo" || !strings.Contains(results[1].ModelText, `"content":"hello\n"`) {
		t.Errorf("results %+v", results)
	}
	for i, e := range events {
		if e.Seq != uint64(i+1) || e.RunID == "" || e.RunID != events[0].RunID {
			t.Errorf("event %d: %+v", i, e)
		}
	}
	// Whoever reads Done may send at once.
	for range 5 {
		r.model.Add(modeltest.Text("again"))
		r.wantDone(r.send(s, Prompt{Text: "again"}), agent.EndTurn)
	}
}

func TestBusySessionRefusesASecondTurn(t *testing.T) {
	r := newRig(t, modeltest.Answer{Hold: true}, modeltest.Text("ok"))
	s := r.session(r.open(Options{}))
	r.must(s.Send(Prompt{Text: "first"}))
	if !r.model.WaitRequests(1, patience) {
		t.Fatal("the model was not asked")
	}
	run := s.RunID()
	if err := s.Send(Prompt{Text: "second"}); !errors.Is(err, ErrBusy) {
		t.Errorf("a second turn: %v", err)
	}
	if run == "" || s.RunID() != run {
		t.Errorf("the run %q became %q", run, s.RunID())
	}
	s.Stop()
	r.wantDone(r.until(s, 0, agent.Done), agent.Cancelled)
	s.Stop() // without a turn it does nothing
	events := r.send(s, Prompt{Text: "third"})
	r.wantDone(events, agent.EndTurn)
	for _, msg := range r.model.Requests()[1].Chat.Messages {
		if strings.Contains(msg.Text(), "second") {
			t.Errorf("a refused message was sent: %+v", msg)
		}
	}
}

// TestStopAtAnyMoment: after a stop the next turn is one that a strict endpoint accepts.
func TestStopAtAnyMoment(t *testing.T) {
	started := modeltest.Answer{Parts: []modeltest.Part{{Bytes: modeltest.Delta(map[string]any{"content": "half a"})}}, Hold: true}
	halfCall := modeltest.Answer{Parts: []modeltest.Part{{Bytes: modeltest.CallDelta(map[string]any{"index": 0, "id": "h", "type": "function", "function": map[string]any{"name": "bash", "arguments": `{"comm`}})}}, Hold: true}
	tests := []struct {
		name   string
		mode   approval.Mode
		answer modeltest.Answer
		moment func(r *rig, s *Session)
	}{
		{"the model is silent", approval.Auto, modeltest.Answer{Hold: true}, func(r *rig, _ *Session) { r.model.WaitRequests(1, patience) }},
		{"in mid-text", approval.Auto, started, func(r *rig, s *Session) { r.until(s, 0, agent.Text) }},
		{"in mid-call", approval.Auto, halfCall, func(r *rig, _ *Session) { r.model.WaitRequests(1, patience) }},
		{"a command runs", approval.Auto, modeltest.Calls(shell("s", `{"command":"touch running; sleep 300","timeoutMs":400000}`), echo("e", "x")), func(r *rig, _ *Session) {
			r.eventually("the command runs", func() bool { _, err := os.Stat(filepath.Join(r.workspace, "running")); return err == nil })
		}},
		{"a server works", approval.Auto, modeltest.Calls(modeltest.Call{ID: "n", Name: "demo_count", Arguments: `{"to":50}`}), func(r *rig, s *Session) { r.until(s, 0, agent.Progress) }},
		{"a question is open", approval.Safe, modeltest.Calls(shell("q", `{"command":"touch never"}`)), func(r *rig, s *Session) { r.until(s, 0, agent.Asking) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, tt.answer, modeltest.Text("fine"))
			m := r.open(Options{Mode: tt.mode})
			s := r.session(m, "demo")
			r.must(s.Send(Prompt{Text: "go"}))
			tt.moment(r, s)
			s.Stop()
			r.wantDone(r.until(s, 0, agent.Done), agent.Cancelled)
			if open, _ := m.Approvals().Questions().Get(); len(open) != 0 {
				t.Errorf("questions stay open: %+v", open)
			}
			r.wantDone(r.send(s, Prompt{Text: "next"}), agent.EndTurn)
			if _, err := os.Stat(filepath.Join(r.workspace, "never")); err == nil {
				t.Error("a call ran whose question was withdrawn")
			}
		})
	}
}

// TestTranscriptIsTheEventsFolded, and the history replays it in another process.
func TestTranscriptIsTheEventsFolded(t *testing.T) {
	r := newRig(t, modeltest.TextAndCalls("I look", echo("c1", "one"), shell("c2", `{"command":"exit 3"}`)), modeltest.Text("all ", "done"),
		modeltest.Text("more"), modeltest.Text("on"))
	m := r.open(Options{Mode: approval.Auto})
	s := r.session(m, "demo")
	all := append(r.send(s, Prompt{Text: "first words"}), r.send(s, Prompt{Text: "second"})...)
	told, seq, _ := s.Transcript()
	if want := agent.Fold(all); !reflect.DeepEqual(told, want) || seq != all[len(all)-1].Seq {
		t.Errorf("transcript at %d\n%+v\nwant %+v", seq, told, want)
	}
	if got, err := m.OpenSession(t.Context(), s.ID()); err != nil || got != s {
		t.Errorf("an open session is opened again: %v, %v", got, err)
	}
	r.close(m)

	m = r.open(Options{Mode: approval.Auto})
	list, _ := m.List().Get()
	if len(list.Sessions) != 1 || list.Sessions[0].Title != "first words" || list.Sessions[0].Workspace != r.workspace || list.Sessions[0].Running {
		t.Errorf("the list %+v", list)
	}
	again, err := m.OpenSession(t.Context(), s.ID())
	r.must(err)
	replayed, seq, run := again.Transcript()
	if seq == 0 || run != "" || !reflect.DeepEqual(said(replayed), said(told)) {
		t.Errorf("replayed\n%v\nwant\n%v", said(replayed), said(told))
	}
	if again.Title() != "first words" {
		t.Errorf("title %q", again.Title())
	}
	r.wantDone(r.send(again, Prompt{Text: "third"}), agent.EndTurn)
	requests := r.model.Requests()
	if messages := requests[len(requests)-1].Chat.Messages; len(messages) != 9 {
		t.Errorf("%d messages: the model does not know what was said before", len(messages))
	}
	// Another program that asks meanwhile is told who has it.
	if _, err := m.OpenSession(t.Context(), "no-such"); err == nil {
		t.Error("an unknown session was opened")
	}
	r.must(m.Rename(t.Context(), again.ID(), "named"))
	if again.Title() != "named" {
		t.Errorf("title %q", again.Title())
	}
	r.must(m.Delete(t.Context(), again.ID()))
	if list, _ := m.List().Get(); len(list.Sessions) != 0 || m.Session(again.ID()) != nil {
		t.Errorf("after delete: %+v", list)
	}
}

// said is what of a transcript the history keeps.
func said(events []agent.Event) []string {
	var lines []string
	for _, e := range events {
		switch e.Kind {
		case agent.UserMessage, agent.Text:
			lines = append(lines, string(e.Kind)+" "+e.Text)
		case agent.ToolCall:
			lines = append(lines, "call "+e.ID+" "+e.Server+" "+e.Tool+" "+string(e.Arguments))
		case agent.ToolResult:
			lines = append(lines, "result "+e.ID+" "+e.ModelText)
		}
	}
	return lines
}

func TestGrantForTheSessionAsksOnce(t *testing.T) {
	r := newRig(t, modeltest.Calls(echo("c1", "one")), modeltest.Text("ok"), modeltest.Calls(echo("c2", "two")), modeltest.Text("ok"),
		modeltest.Calls(echo("c3", "three")), modeltest.Text("ok"))
	m := r.open(Options{Mode: approval.Safe})
	s := r.session(m, "demo")
	r.must(s.Send(Prompt{Text: "go"}))
	asked := ofKind(r.until(s, 0, agent.Asking), agent.Asking)[0]
	if q := asked.Question; q == nil || q.SessionID != s.ID() || q.Spec.Server != "demo" || q.Preview.Text != "{\n  \"text\": \"one\"\n}" || !q.WorkspaceGrant ||
		!strings.Contains(q.Why, "demo says that it only reads") {
		t.Errorf("question %+v", q)
	}
	if open, _ := m.Approvals().Questions().Get(); len(open) != 1 || open[0].ID != asked.Question.ID || !strings.Contains(open[0].Why, "demo says that it only reads") {
		t.Errorf("open questions %+v", open)
	}
	r.answerWith(m, approval.AllowSession)
	r.wantDone(r.until(s, asked.Seq, agent.Done), agent.EndTurn)

	events := r.send(s, Prompt{Text: "again"})
	if len(ofKind(events, agent.Asking)) != 0 || ofKind(events, agent.ToolResult)[0].ModelText != "two" {
		t.Errorf("with a grant: %+v", events)
	}
	if a := ofKind(events, agent.Approval); len(a) != 1 || a[0].Answer.By != approval.BySession {
		t.Errorf("decided %+v", a)
	}
	// Another session has no part in it.
	other := r.session(m)
	r.must(other.Send(Prompt{Text: "go"}))
	asked = ofKind(r.until(other, 0, agent.Asking), agent.Asking)[0]
	r.answerWith(m, approval.Reject)
	events = r.until(other, asked.Seq, agent.Done)
	r.wantDone(events, agent.EndTurn)
	if result := ofKind(events, agent.ToolResult); len(result) != 1 || result[0].Result.OK {
		t.Errorf("after a rejection: %+v", result)
	}
}

func TestHeadlessRejectsByPolicy(t *testing.T) {
	r := newRig(t, modeltest.Calls(shell("c1", `{"command":"touch made"}`), modeltest.Call{ID: "c2", Name: "read_file", Arguments: `{"path":"README"}`}), modeltest.Text("I may not"))
	m := r.open(Options{Headless: true, Ephemeral: true, Mode: approval.Safe})
	s := r.session(m)
	events := r.send(s, Prompt{Text: "go"})
	r.wantDone(events, agent.EndTurn)
	decided := ofKind(events, agent.Approval)
	if len(decided) == 0 || decided[0].ID != "c1" || decided[0].Answer != (approval.Answer{Decision: approval.Reject, By: approval.ByPolicy}) {
		t.Errorf("decided %+v", decided)
	}
	results := ofKind(events, agent.ToolResult)
	if len(results) != 2 || results[0].Result.OK || strings.HasPrefix(results[0].ModelText, "Error:") || !results[1].Result.OK {
		t.Errorf("results %+v", results)
	}
	if _, err := os.Stat(filepath.Join(r.workspace, "made")); err == nil {
		t.Error("the command ran")
	}
	for path := range tree(t, r.home) {
		if strings.HasSuffix(path, ".db") {
			t.Errorf("an ephemeral turn wrote %s", path)
		}
	}
}

func TestClosedSessionRefuses(t *testing.T) {
	r := newRig(t, modeltest.Answer{Hold: true})
	m := r.open(Options{})
	s := r.session(m, "demo")
	r.must(s.Send(Prompt{Text: "go"}))
	r.model.WaitRequests(1, patience)
	r.close(m)
	r.wantDone(r.until(s, 0, agent.Done), agent.Cancelled)
	if err := s.Send(Prompt{Text: "late"}); err == nil || err.Error() != "the session is closed" {
		t.Errorf("send after close: %v", err)
	}
	s.Start() // nothing starts any more
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	_ = s.Settled(ctx) // returns, with or without an error
	if ctx.Err() != nil {
		t.Error("Settled hangs on a closed session")
	}
}

// TestT14LongResultsAreKeptWhole: the model reads head and tail and the path of the whole,
// which its tools may read; deleting the session deletes it.
func TestT14LongResultsAreKeptWhole(t *testing.T) {
	long := strings.Repeat("0123456789", 9_000) + "THE END"
	path := ""
	r := newRig(t, modeltest.Calls(echo("c1", long)),
		modeltest.Answer{Func: func(req modeltest.Request) modeltest.Answer {
			text := req.Chat.Messages[len(req.Chat.Messages)-1].Text()
			for field := range strings.FieldsSeq(text) {
				if field = strings.Trim(field, "[]().,:;\"'`"); strings.HasSuffix(field, ".txt") {
					path = field
				}
			}
			return modeltest.Calls(modeltest.Call{ID: "c2", Name: "read_file", Arguments: `{"path":"` + path + `","maxChars":20}`})
		}}, modeltest.Text("ok"))
	m := r.open(Options{Mode: approval.Auto})
	s := r.session(m, "demo")
	results := ofKind(r.send(s, Prompt{Text: "go"}), agent.ToolResult)
	if len(results) != 2 || len(results[0].ModelText) > 41_000 || !strings.HasSuffix(results[0].ModelText, "THE END") {
		t.Fatalf("%d results, the first of %d bytes", len(results), len(results[0].ModelText))
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != long {
		t.Errorf("%s holds %d bytes, %v", path, len(data), err)
	}
	if !strings.Contains(results[1].ModelText, `"content":"01234567890123456789"`) {
		t.Errorf("read_file: %s", results[1].ModelText)
	}
	r.must(m.Delete(t.Context(), s.ID()))
	if _, err := os.Stat(filepath.Dir(path)); !os.IsNotExist(err) {
		t.Errorf("the long results of a deleted session stay: %v", err)
	}
}

func TestOpenedTwiceAtOnceIsOneSession(t *testing.T) {
	r := newRig(t, modeltest.Text("ok"))
	m := r.open(Options{})
	s := r.session(m)
	r.send(s, Prompt{Text: "hi"})
	r.close(m)
	m = r.open(Options{})
	opened := make(chan *Session, 8)
	for range cap(opened) {
		go func() {
			got, err := m.OpenSession(context.Background(), s.ID())
			if err != nil {
				t.Errorf("open: %v", err)
			}
			opened <- got
		}()
	}
	first := <-opened
	for range cap(opened) - 1 {
		if got := <-opened; got != first {
			t.Error("one conversation became two sessions")
		}
	}
}
