package approval_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"patchbay/backend/approval"
	"patchbay/backend/tool"
)

// patience is a ceiling for what happens at once, on a loaded machine too.
const patience = 30 * time.Second

func service(t *testing.T, o approval.Options) *approval.Service {
	t.Helper()
	if o.Path == "" {
		o.Path = filepath.Join(t.TempDir(), "state", "grants.json")
	}
	s := approval.NewService(o)
	t.Cleanup(s.Close)
	return s
}

func mcp(server, name, hash string) approval.Question {
	return approval.Question{SessionID: "s1", Workspace: "/w", Spec: tool.Spec{Server: server, Name: name, Hash: hash},
		Call: tool.Call{ID: "c", Name: name, Arguments: json.RawMessage(`{}`)}}
}

func builtin(name, arguments string) approval.Question {
	q := mcp("", name, "h")
	q.Call.Arguments = json.RawMessage(arguments)
	return q
}

// ask asks in the background.
func ask(ctx context.Context, s *approval.Service, q approval.Question) <-chan approval.Answer {
	answer := make(chan approval.Answer, 1)
	go func() { answer <- s.Ask(ctx, q) }()
	return answer
}

func wantAnswer(t *testing.T, answer <-chan approval.Answer, d approval.Decision, by approval.By) {
	t.Helper()
	select {
	case a := <-answer:
		if a.Decision != d || a.By != by {
			t.Fatalf("answer %s by %s, want %s by %s", a.Decision, a.By, d, by)
		}
	case <-time.After(patience):
		t.Fatalf("no answer, want %s by %s", d, by)
	}
}

// open waits until n questions are open.
func open(t *testing.T, s *approval.Service, n int) []approval.Question {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for rev := uint64(0); ; {
		list, next, err := s.Questions().Wait(ctx, rev)
		if err != nil {
			t.Fatalf("%d questions are not open", n)
		}
		if len(list) == n {
			return list
		}
		rev = next
	}
}

// isAsked reports whether the service would ask, by one that asks nobody.
func isAsked(t *testing.T, mode approval.Mode, q approval.Question) bool {
	t.Helper()
	s := service(t, approval.Options{Deny: true, Mode: func() approval.Mode { return mode }})
	switch a := s.Ask(t.Context(), q); a {
	case approval.Answer{Decision: approval.Reject, By: approval.ByPolicy}:
		return true
	case approval.Answer{Decision: approval.AllowOnce, By: approval.ByMode}:
		return false
	default:
		t.Fatalf("answer %+v", a)
		return false
	}
}

func TestModes(t *testing.T) {
	yes, no := true, false
	readOnly := mcp("a", "look", "h")
	readOnly.Spec.Annotations = tool.Annotations{ReadOnly: &yes, Destructive: &no, Idempotent: &yes, OpenWorld: &no}
	fake := mcp("a", "bash", "h") // a server's tool that is called like a built-in one
	fake.Call.Arguments = json.RawMessage(`{"action":"list"}`)
	fakeRead := mcp("a", "read_file", "h")
	tests := []struct {
		name         string
		q            approval.Question
		safe, manual bool
	}{
		{"read_file", builtin("read_file", `{"path":"a"}`), false, true},
		{"write_file", builtin("write_file", `{"path":"a"}`), true, true},
		{"apply_patch", builtin("apply_patch", `{}`), true, true},
		{"a built-in tool of tomorrow", builtin("delete_all", `{}`), true, true},
		{"bash exec", builtin("bash", `{"action":"exec","command":"ls"}`), true, true},
		{"bash start", builtin("bash", `{"action":"start","command":"ls"}`), true, true},
		{"bash write", builtin("bash", `{"action":"write","processId":"p","input":"x"}`), true, true},
		{"bash stop", builtin("bash", `{"action":"stop","processId":"p"}`), true, true},
		{"bash status", builtin("bash", `{"action":"status","processId":"p"}`), false, true},
		{"bash logs", builtin("bash", `{"action":"logs","processId":"p"}`), false, true},
		{"bash list", builtin("bash", `{"action":" list "}`), false, true},
		{"bash without an action", builtin("bash", `{"command":"ls"}`), true, true},
		{"bash with a blank action", builtin("bash", `{"action":" "}`), true, true},
		{"bash with an unknown action", builtin("bash", `{"action":"run"}`), true, true},
		{"bash with an action that is no text", builtin("bash", `{"action":1}`), true, true},
		{"bash with two actions", builtin("bash", `{"action":"list","Action":"exec","command":"rm"}`), true, true},
		{"bash with no JSON", builtin("bash", `{"action":"list"} {"action":"exec"}`), true, true},
		{"bash without arguments", builtin("bash", ``), true, true},
		{"an MCP tool", mcp("a", "x", "h"), true, true},
		{"an MCP tool that says it only reads", readOnly, true, true},
		{"an MCP tool named bash", fake, true, true},
		{"an MCP tool named read_file", fakeRead, true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for mode, want := range map[approval.Mode]bool{approval.Auto: false, approval.Safe: tt.safe, approval.Manual: tt.manual, "": tt.safe, "unknown": tt.safe} {
				if got := isAsked(t, mode, tt.q); got != want {
					t.Errorf("mode %q asks: %v, want %v", mode, got, want)
				}
			}
		})
	}
}

func TestQuestionSaysWhy(t *testing.T) {
	yes, no := true, false
	annotated := func(a tool.Annotations) approval.Question {
		q := mcp("files", "x", "h")
		q.Spec.Annotations = a
		return q
	}
	given := mcp("files", "x", "h")
	given.Why = "Because."
	chat := mcp("files", "x", "h")
	chat.Workspace = ""
	const base = "Safe mode asks for every MCP tool that is not granted. files "
	tests := []struct {
		q     approval.Question
		why   string
		grant bool
	}{
		{annotated(tool.Annotations{}), base + "does not say whether it changes anything.", true},
		{annotated(tool.Annotations{ReadOnly: &yes}), base + "says that it only reads.", true},
		{annotated(tool.Annotations{ReadOnly: &no}), base + "says that it changes something.", true},
		{annotated(tool.Annotations{Destructive: &yes}), base + "says that it can destroy data.", true},
		{annotated(tool.Annotations{ReadOnly: &no, Destructive: &no}), base + "says that it destroys nothing.", true},
		{given, "Because.", true},
		{chat, base + "does not say whether it changes anything.", false},
		{builtin("bash", `{"command":"ls"}`), "Safe mode asks for every command.", true},
		{builtin("bash", `{"action":"stop","processId":"p"}`), "Safe mode asks for every command.", false},
		{builtin("write_file", `{}`), "Safe mode asks for every write.", true},
	}
	s := service(t, approval.Options{})
	for _, tt := range tests {
		ctx, cancel := context.WithCancel(t.Context())
		answer := ask(ctx, s, tt.q)
		q := open(t, s, 1)[0]
		if q.Why != tt.why || q.WorkspaceGrant != tt.grant || q.ID == "" || q.AtMs == 0 {
			t.Errorf("got %q, grant %v, id %q, at %d; want %q, grant %v", q.Why, q.WorkspaceGrant, q.ID, q.AtMs, tt.why, tt.grant)
		}
		cancel()
		wantAnswer(t, answer, approval.Withdrawn, approval.ByHost)
		open(t, s, 0)
		if err := s.Answer(q.ID, approval.AllowOnce); !errors.Is(err, approval.ErrNotOpen) {
			t.Errorf("a withdrawn question takes an answer: %v", err)
		}
	}
}

func TestFirstAnswerWins(t *testing.T) {
	s := service(t, approval.Options{})
	for range 50 {
		answer := ask(t.Context(), s, mcp("a", "x", "h"))
		id := open(t, s, 1)[0].ID
		var won atomic.Pointer[approval.Decision]
		var wins atomic.Int32
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				d := []approval.Decision{approval.AllowOnce, approval.Reject}[i%2]
				switch err := s.Answer(id, d); {
				case err == nil:
					won.Store(&d)
					wins.Add(1)
				case !errors.Is(err, approval.ErrNotOpen):
					t.Errorf("a late answer: %v", err)
				}
			})
		}
		wg.Wait()
		if wins.Load() != 1 {
			t.Fatalf("%d answers won", wins.Load())
		}
		wantAnswer(t, answer, *won.Load(), approval.ByPerson)
	}
}

// Whatever comes first, answer and Ask agree: an answer that was taken is what Ask returns.
func TestAnswerRacesWithTheEndOfTheCall(t *testing.T) {
	s := service(t, approval.Options{})
	for range 200 {
		ctx, cancel := context.WithCancel(t.Context())
		answer := ask(ctx, s, mcp("a", "x", "h"))
		id := open(t, s, 1)[0].ID
		taken := make(chan error, 1)
		go func() { taken <- s.Answer(id, approval.AllowOnce) }()
		cancel()
		if err := <-taken; err == nil {
			wantAnswer(t, answer, approval.AllowOnce, approval.ByPerson)
		} else {
			wantAnswer(t, answer, approval.Withdrawn, approval.ByHost)
		}
	}
	open(t, s, 0)
}

func TestAnswerRefusesWhatIsNoAnswer(t *testing.T) {
	s := service(t, approval.Options{})
	answer := ask(t.Context(), s, mcp("a", "x", "h"))
	id := open(t, s, 1)[0].ID
	for _, d := range []approval.Decision{"", "allow", approval.Withdrawn} {
		if err := s.Answer(id, d); err == nil || !strings.Contains(err.Error(), "unknown decision") {
			t.Errorf("decision %q: %v", d, err)
		}
	}
	if err := s.Answer("nobody", approval.AllowOnce); !errors.Is(err, approval.ErrNotOpen) {
		t.Errorf("an unknown id: %v", err)
	}
	if err := s.Answer(id, approval.Reject); err != nil {
		t.Error(err)
	}
	wantAnswer(t, answer, approval.Reject, approval.ByPerson)
}

func TestQuestionsHaveTheirOwnIDs(t *testing.T) {
	s := service(t, approval.Options{})
	q := mcp("a", "x", "h")
	q.ID = "same"
	first, second := ask(t.Context(), s, q), ask(t.Context(), s, q)
	list := open(t, s, 2)
	if list[0].ID != "same" || list[1].ID == "same" {
		t.Fatalf("ids %q and %q", list[0].ID, list[1].ID)
	}
	for _, q := range list {
		if err := s.Answer(q.ID, approval.AllowOnce); err != nil {
			t.Error(err)
		}
	}
	wantAnswer(t, first, approval.AllowOnce, approval.ByPerson)
	wantAnswer(t, second, approval.AllowOnce, approval.ByPerson)
}

func TestCoveredQuestionsAreAnsweredTogether(t *testing.T) {
	for _, d := range []approval.Decision{approval.AllowSession, approval.AllowWorkspace} {
		s := service(t, approval.Options{})
		other := mcp("a", "y", "h")
		elsewhere := mcp("a", "x", "h")
		elsewhere.SessionID, elsewhere.Workspace = "s2", "/other"
		one := ask(t.Context(), s, mcp("a", "x", "h"))
		id := open(t, s, 1)[0].ID
		covered := []<-chan approval.Answer{ask(t.Context(), s, mcp("a", "x", "h")), ask(t.Context(), s, mcp("a", "x", "h"))}
		ask(t.Context(), s, other)
		ask(t.Context(), s, elsewhere)
		open(t, s, 5)
		if err := s.Answer(id, d); err != nil {
			t.Fatal(err)
		}
		wantAnswer(t, one, d, approval.ByPerson)
		by := map[approval.Decision]approval.By{approval.AllowSession: approval.BySession, approval.AllowWorkspace: approval.ByWorkspace}[d]
		for _, c := range covered {
			wantAnswer(t, c, d, by)
		}
		for _, q := range open(t, s, 2) {
			if q.Spec.Name == "x" && q.SessionID == "s1" {
				t.Error("a covered question is still open")
			}
		}
		s.Close() // ends the two that are left
	}
}

// A question that comes while a grant is being kept is covered by it.
func TestGrantRacesWithQuestions(t *testing.T) {
	for i := range 30 {
		s := service(t, approval.Options{})
		first := ask(t.Context(), s, mcp("a", fmt.Sprint(i), "h"))
		id := open(t, s, 1)[0].ID
		more := make([]<-chan approval.Answer, 6)
		for n := range more {
			more[n] = ask(t.Context(), s, mcp("a", fmt.Sprint(i), "h"))
		}
		if err := s.Answer(id, approval.AllowSession); err != nil {
			t.Fatal(err)
		}
		wantAnswer(t, first, approval.AllowSession, approval.ByPerson)
		for _, c := range more {
			wantAnswer(t, c, approval.AllowSession, approval.BySession)
		}
	}
}

func TestCloseWithdraws(t *testing.T) {
	s := service(t, approval.Options{})
	one, two := ask(t.Context(), s, mcp("a", "x", "h")), ask(t.Context(), s, mcp("a", "y", "h"))
	open(t, s, 2)
	s.Close()
	wantAnswer(t, one, approval.Withdrawn, approval.ByHost)
	wantAnswer(t, two, approval.Withdrawn, approval.ByHost)
	wantAnswer(t, ask(t.Context(), s, mcp("a", "z", "h")), approval.Withdrawn, approval.ByHost)
	open(t, s, 0)
}

func TestQuestionOfAnEndedCallIsWithdrawn(t *testing.T) {
	s := service(t, approval.Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantAnswer(t, ask(ctx, s, mcp("a", "x", "h")), approval.Withdrawn, approval.ByHost)
	open(t, s, 0)
}

func TestAboutSaysWhatAskWillSay(t *testing.T) {
	mode := approval.Safe
	s := approval.NewService(approval.Options{Mode: func() approval.Mode { return mode }})
	q := s.About(mcp("srv", "find", "h"))
	if q.Why != "Safe mode asks for every MCP tool that is not granted. srv does not say whether it changes anything." || !q.WorkspaceGrant {
		t.Errorf("question %+v", q)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answer := ask(ctx, s, q)
	open, _, err := s.Questions().Wait(ctx, 1)
	if err != nil || len(open) != 1 || open[0].Why != q.Why || open[0].WorkspaceGrant != q.WorkspaceGrant {
		t.Errorf("asked %+v, %v", open, err)
	}
	cancel()
	<-answer
	mode = approval.Auto
	if q := s.About(builtin("bash", `{"action":"write","processId":"1"}`)); q.Why != "" || q.WorkspaceGrant {
		t.Errorf("in auto mode: %+v", q)
	}
}
