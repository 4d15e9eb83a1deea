package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/model"
	"patchbay/backend/model/modeltest"
	"patchbay/backend/model/practice"
	"patchbay/backend/tool"
)

func yes() *bool { b := true; return &b }

// TestClickedCallsRunBeforeTheModelIsAsked: they stand in the conversation as its own calls
// do, and only those that do no harm a second time run without a question.
func TestClickedCallsRunBeforeTheModelIsAsked(t *testing.T) {
	tests := []struct {
		name  string
		hints tool.Annotations
		asked int
	}{
		{"read-only", tool.Annotations{ReadOnly: yes()}, 0},
		{"idempotent", tool.Annotations{Idempotent: yes()}, 0},
		{"writing", tool.Annotations{Destructive: yes()}, 1},
		{"says nothing", tool.Annotations{}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e := entry("look", nil)
			var ran []string
			e.Invoke = func(_ context.Context, c tool.Call, _ func(tool.Progress)) tool.Result {
				ran = append(ran, c.ID+string(c.Arguments))
				return tool.OKText("seen")
			}
			e.Annotations, e.Hash = tt.hints, "h1"
			r := newRig(t, modeltest.Limits{}, []tool.Entry{e}, modeltest.Calls(call("m", "look")), modeltest.Text("done"))
			asked := 0
			r.o.Approver = approver(func(context.Context, approval.Question) approval.Answer {
				asked++
				return approval.Answer{Decision: approval.AllowOnce, By: approval.ByPerson}
			})
			r.o.Clicked = []model.ToolCall{{ID: "new", Name: "look", Arguments: `{"n":1}`}}
			want(t, r.turn(t.Context(), "Run look again."), agent.EndTurn)
			want(t, ran, `[new{"n":1} m{}]`)
			want(t, asked, tt.asked+1) // a call that the model makes is asked about as ever
			want(t, len(r.kinds(agent.Asking)), asked)
			if a := r.kinds(agent.Approval)[0]; a.ID != "new" || a.Answer != (approval.Answer{Decision: approval.AllowOnce, By: approval.ByPerson}) {
				t.Errorf("decided %+v", a)
			}
			first := r.llm.Requests()[0].Chat.Messages
			if n := len(first); n != 4 || first[1].Role != "user" || len(first[2].ToolCalls) != 1 || first[3].Text() != "seen" {
				t.Errorf("the model was sent %+v", first)
			}
			var kinds []agent.Kind
			for _, e := range agent.Replay(r.entries) {
				kinds = append(kinds, e.Kind)
				if e.Kind == agent.ToolCall && (e.Hash != "h1" || e.Server != "srv") {
					t.Errorf("replayed %+v", e)
				}
			}
			want(t, kinds, "[user step tool_call approval tool_result step tool_call approval tool_result step text done]")
			if live := r.kinds(agent.ToolCall)[0]; live.Hash != "h1" || string(live.Arguments) != `{"n":1}` {
				t.Errorf("told %+v", live)
			}
		})
	}
}

func TestAStopDuringAClickedCallLeavesAValidHistory(t *testing.T) {
	r := newRig(t, modeltest.Limits{}, []tool.Entry{entry("slow", untilStopped)}, modeltest.Text("hello"))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r.on = func(e agent.Event) {
		if e.Kind == agent.Progress {
			cancel()
		}
	}
	r.o.Clicked = []model.ToolCall{{ID: "new", Name: "slow", Arguments: "{}"}}
	want(t, r.turn(ctx, "again"), agent.Cancelled)
	r.o.Clicked = nil
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	want(t, len(r.answered()), 1)
}

// TestWhyAServerLeft: by hand is another reason than a loss, in a call and in a question.
func TestWhyAServerLeft(t *testing.T) {
	for _, tt := range []struct {
		byHand bool
		reason tool.Reason
		text   string
	}{{true, tool.Withdrawn, "was paused or disabled"}, {false, tool.ServerGone, "was edited or lost"}} {
		cut := newRig(t, modeltest.Limits{}, []tool.Entry{entry("cut", says(tool.Failed(tool.ServerGone, "gone")))}, modeltest.Calls(call("a", "cut")), modeltest.Text("ok"))
		cut.o.TakenOut = func(server string) bool { return tt.byHand && server == "srv" }
		want(t, cut.turn(t.Context(), "go"), agent.EndTurn)
		want(t, cut.kinds(agent.ToolResult)[0].Result.Reason, tt.reason)
		gone := make(chan struct{})
		e := entry("look", says(tool.OKText("seen")))
		e.Withdrawn = gone
		r := newRig(t, modeltest.Limits{}, []tool.Entry{e}, modeltest.Calls(call("a", "look")), modeltest.Text("ok"))
		r.o.Approver = approver(hang)
		r.o.TakenOut = cut.o.TakenOut
		r.on = func(e agent.Event) {
			if e.Kind == agent.Asking {
				close(gone)
			}
		}
		want(t, r.turn(t.Context(), "go"), agent.EndTurn)
		result := r.kinds(agent.ToolResult)[0].Result
		if data, _ := json.Marshal(result.Content); result.Reason != tt.reason || !strings.Contains(string(data), tt.text) {
			t.Errorf("result %+v", result)
		}
	}
}

func TestThePracticeModelReadsAClickedCall(t *testing.T) {
	r := newRig(t, modeltest.Limits{}, []tool.Entry{entry("look", says(tool.OKText("seen")))})
	r.o.Client, r.o.Practice = practice.New(), true
	r.o.Clicked = []model.ToolCall{{ID: "new", Name: "look", Arguments: "{}"}}
	want(t, r.turn(t.Context(), "Run look again: srv is connected again."), agent.EndTurn)
	want(t, len(r.kinds(agent.ToolCall)), 1)
	want(t, r.history[len(r.history)-1].Text, "look answered: seen")
}
