package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/model"
	"patchbay/backend/model/modeltest"
	"patchbay/backend/model/openai"
	"patchbay/backend/model/practice"
	"patchbay/backend/tool"
)

const ceiling = 60 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type approver func(ctx context.Context, q approval.Question) approval.Answer

func (a approver) Ask(ctx context.Context, q approval.Question) approval.Answer { return a(ctx, q) }

func allow(context.Context, approval.Question) approval.Answer {
	return approval.Answer{Decision: approval.AllowOnce, By: approval.ByMode}
}

func hang(ctx context.Context, _ approval.Question) approval.Answer {
	<-ctx.Done()
	return approval.Answer{Decision: approval.Withdrawn, By: approval.ByHost}
}

// rig is one session: turns run one after another on the same history.
type rig struct {
	t   *testing.T
	llm *modeltest.Server
	o   agent.Options

	history []model.Message
	entries []agent.Entry

	mu     sync.Mutex
	events []agent.Event
	on     func(agent.Event)
}

func newRig(t *testing.T, limits modeltest.Limits, tools []tool.Entry, answers ...modeltest.Answer) *rig {
	r := &rig{t: t, llm: modeltest.New(t, limits, answers...)}
	httpClient, idle := httpClient()
	t.Cleanup(idle)
	client, err := openai.New(openai.Options{BaseURL: r.llm.URL(), Model: "fake-1", HTTPClient: httpClient, RetryBase: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	table := tool.NewTable(tools...)
	r.o = agent.Options{RunID: "run", Client: client, Model: "fake-1", Table: func() *tool.Table { return table },
		Approver: approver(allow), Emit: r.emit, System: func() string { return "You are a test." }}
	return r
}

func (r *rig) emit(e agent.Event) {
	r.mu.Lock()
	r.events = append(r.events, e)
	on := r.on
	r.mu.Unlock()
	if on != nil {
		on(e)
	}
}

// turn runs one turn and checks what holds for every turn.
func (r *rig) turn(ctx context.Context, text string) agent.StopReason {
	r.t.Helper()
	entries, reason := agent.New(r.o).Run(ctx, r.history, model.Message{Text: text})
	for _, e := range entries {
		r.history = append(r.history, e.Message)
	}
	r.entries = append(r.entries, entries...)
	r.mu.Lock()
	defer r.mu.Unlock()
	if last := r.events[len(r.events)-1]; last.Kind != agent.Done || last.StopReason != reason {
		r.t.Errorf("the last event is %s %s, the turn ended with %s", last.Kind, last.StopReason, reason)
	}
	return reason
}

func (r *rig) kinds(kind agent.Kind) []agent.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	var got []agent.Event
	for _, e := range r.events {
		if e.Kind == kind {
			got = append(got, e)
		}
	}
	return got
}

// answered is the text of the tool messages of the last request.
func (r *rig) answered() []string {
	reqs := r.llm.Requests()
	var got []string
	for _, m := range reqs[len(reqs)-1].Chat.Messages {
		if m.Role == "tool" {
			got = append(got, m.Text())
		}
	}
	return got
}

func entry(name string, run tool.Invoke) tool.Entry {
	return tool.Entry{Spec: tool.Spec{Name: name, Server: "srv", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}, Invoke: run}
}

func says(result tool.Result) tool.Invoke {
	return func(context.Context, tool.Call, func(tool.Progress)) tool.Result { return result }
}

func untilStopped(ctx context.Context, _ tool.Call, progress func(tool.Progress)) tool.Result {
	progress(tool.Progress{Message: "running"})
	<-ctx.Done()
	return tool.Failed(tool.Cancelled, "Cancelled by the user.")
}

func call(id, name string) modeltest.Call {
	return modeltest.Call{ID: id, Name: name, Arguments: "{}"}
}

func want(t *testing.T, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestTurnCallsToolsAndGoesOn(t *testing.T) {
	var args []string
	echo := entry("echo", func(_ context.Context, c tool.Call, progress func(tool.Progress)) tool.Result {
		args = append(args, string(c.Arguments))
		progress(tool.Progress{Progress: 1, Total: 2, Message: "half"})
		return tool.OKText("echoed")
	})
	r := newRig(t, modeltest.Limits{}, []tool.Entry{echo},
		modeltest.TextAndCalls("first", modeltest.Call{ID: "a", Name: "echo", Arguments: `{"x":1}`}), modeltest.Text("do", "ne"))
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	want(t, args, `[{"x":1}]`)
	want(t, r.answered(), "[echoed]")
	var kinds []agent.Kind
	for _, e := range agent.Fold(r.events) {
		kinds = append(kinds, e.Kind)
	}
	want(t, kinds, "[user step text usage tool_call approval tool_result step text usage done]")
	if u := r.kinds(agent.Usage); u[0].Usage.Input != 11 || u[0].Usage.Output != 7 {
		t.Errorf("usage %+v", u[0].Usage)
	}
	want(t, len(r.entries), 4)
	want(t, r.entries[2].Server+r.entries[2].Decision+r.entries[2].By, "srvallow_oncemode")
	var live, replayed []string
	for _, e := range agent.Fold(r.events) {
		if e.Kind != agent.Usage {
			live = append(live, string(e.Kind)+e.Text+e.ID+e.Server+e.ModelText+string(e.Arguments)+string(e.StopReason))
		}
	}
	for _, e := range agent.Replay(r.entries) {
		replayed = append(replayed, string(e.Kind)+e.Text+e.ID+e.Server+e.ModelText+string(e.Arguments)+string(e.StopReason))
	}
	want(t, replayed, live)
}

func TestA11StopLeavesAValidHistory(t *testing.T) {
	half := modeltest.Raw(modeltest.Delta(map[string]any{"content": "let me"}) +
		modeltest.CallDelta(map[string]any{"index": 0, "id": "a", "function": map[string]any{"name": "slow", "arguments": `{"x`}}))
	half.Hold = true
	tests := []struct {
		name     string
		first    modeltest.Answer
		approver approver
		on       agent.Kind // the turn is stopped at this event
		calls    int
	}{
		{"while streaming arguments", half, allow, agent.Text, 0},
		{"while waiting for approval", modeltest.Calls(call("a", "slow"), call("b", "slow")), hang, agent.Asking, 2},
		{"while the tool runs", modeltest.Calls(call("a", "slow"), call("b", "slow")), allow, agent.Progress, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, modeltest.Limits{}, []tool.Entry{entry("slow", untilStopped)}, tt.first, modeltest.Text("hello"))
			r.o.Approver = tt.approver
			ctx, cancel := context.WithTimeoutCause(t.Context(), ceiling, errors.New("too slow"))
			defer cancel()
			r.on = func(e agent.Event) {
				if e.Kind == tt.on {
					cancel()
				}
			}
			want(t, r.turn(ctx, "go"), agent.Cancelled)
			r.on = nil
			want(t, len(r.kinds(agent.ToolResult)), tt.calls)
			want(t, len(r.kinds(agent.Failure)), 0)
			want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
			want(t, len(r.answered()), tt.calls)
		})
	}
}

func TestA11CrashLeavesAValidHistory(t *testing.T) {
	r := newRig(t, modeltest.Limits{}, nil, modeltest.Text("hello"))
	r.history = []model.Message{
		{Role: model.User, Text: "go"},
		{Role: model.Assistant, ToolCalls: []model.ToolCall{{ID: "a", Name: "f", Arguments: "{}"}, {ID: "b", Name: "f", Arguments: "{}"}}},
		{Role: model.Tool, ToolCallID: "b", Text: "done"},
		{Role: model.Tool, ToolCallID: "x", Text: "orphan"},
	}
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	got := r.answered()
	if len(got) != 2 || !strings.Contains(got[0], "not known") || got[1] != "done" {
		t.Errorf("answers: %v", got)
	}
}

func TestParallelCallsKeepTheirOrder(t *testing.T) {
	second := make(chan struct{})
	wait := entry("wait", func(ctx context.Context, _ tool.Call, _ func(tool.Progress)) tool.Result {
		select {
		case <-second:
			return tool.OKText("one")
		case <-time.After(ceiling):
			return tool.OKText("the calls did not run side by side")
		}
	})
	release := entry("release", func(context.Context, tool.Call, func(tool.Progress)) tool.Result {
		close(second)
		return tool.OKText("two")
	})
	wait.Parallel, release.Parallel = true, true
	r := newRig(t, modeltest.Limits{}, []tool.Entry{wait, release}, modeltest.Calls(call("a", "wait"), call("b", "release")), modeltest.Text("ok"))
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	want(t, r.answered(), "[one two]")
	results := r.kinds(agent.ToolResult)
	want(t, results[0].ID+results[1].ID, "ab")
}

func TestRejectionIsAnAnswer(t *testing.T) {
	ran := false
	r := newRig(t, modeltest.Limits{}, []tool.Entry{entry("f", func(context.Context, tool.Call, func(tool.Progress)) tool.Result {
		ran = true
		return tool.OKText("")
	})}, modeltest.Calls(call("a", "f")), modeltest.Text("ok"))
	r.o.Approver = approver(func(context.Context, approval.Question) approval.Answer {
		return approval.Answer{Decision: approval.Reject, By: approval.ByPerson}
	})
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	if got := r.answered(); ran || !strings.HasPrefix(got[0], "The user rejected this call") || r.history[2].Failed {
		t.Errorf("ran %v, answered %v, failed %v", ran, got, r.history[2].Failed)
	}
	if asking := r.kinds(agent.Asking); len(asking) != 1 || asking[0].Question.Spec.Name != "f" {
		t.Errorf("asking: %+v", asking)
	}
}

func TestOpenQuestionIsWithdrawnWhenTheServerLeaves(t *testing.T) {
	left := make(chan struct{})
	f := entry("f", says(tool.OKText("ran")))
	f.Withdrawn = left
	r := newRig(t, modeltest.Limits{}, []tool.Entry{f}, modeltest.Calls(call("a", "f")), modeltest.Text("ok"))
	r.o.Approver = approver(hang)
	r.on = func(e agent.Event) {
		if e.Kind == agent.Asking {
			close(left)
		}
	}
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	want(t, r.kinds(agent.ToolResult)[0].Result.Reason, tool.ServerGone)
	want(t, r.kinds(agent.Approval)[0].Answer.Decision, approval.Withdrawn)
}

func TestResultsThatGoWrong(t *testing.T) {
	tools := []tool.Entry{
		entry("panics", func(context.Context, tool.Call, func(tool.Progress)) tool.Result { panic("boom") }),
		entry("silent", says(tool.OKText(""))),
		entry("failed", says(tool.Failed(tool.ReasonNone, "upstream 500"))),
	}
	malformed := modeltest.Call{ID: "d", Name: "silent", Arguments: "[1]"}
	r := newRig(t, modeltest.Limits{}, tools, modeltest.Calls(call("a", "panics"), call("b", "silent"), call("c", "failed"), malformed,
		call("e", "Silent"), modeltest.Call{ID: "f", Name: "silent"}), modeltest.Text("ok"))
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	got := r.answered()
	for i, part := range []string{"Error: The tool panics crashed: boom", "(no output)", "Error: upstream 500", "not a JSON object", "Did you mean silent?", "(no output)"} {
		if i >= len(got) || !strings.Contains(got[i], part) {
			t.Errorf("answer %d of %q has no %q", i, got, part)
		}
	}
	want(t, r.history[4].Failed, true) // T20
}

func TestT13MoreThan128Tools(t *testing.T) {
	var tools []tool.Entry
	for _, name := range []string{"bash", "read_file", "write_file", "apply_patch"} {
		tools = append(tools, entry(name, nil))
	}
	for i := range 180 {
		tools = append(tools, entry(fmt.Sprintf("t%d", i), nil))
	}
	r := newRig(t, modeltest.Limits{}, tools, modeltest.Calls(call("a", "t179")), modeltest.Text("ok"))
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	names := r.llm.Requests()[0].Chat.ToolNames()
	want(t, fmt.Sprint(len(names), names[:4]), "128 [bash read_file write_file apply_patch]")
	notices := r.kinds(agent.Notice)
	if len(notices) != 1 || !strings.Contains(notices[0].Text, "t179") {
		t.Errorf("notices: %+v", notices)
	}
	if got := r.answered(); !strings.Contains(got[0], "not open") {
		t.Errorf("a tool that was cut answered %q", got)
	}
}

func TestT14HugeResultDoesNotEndTheConversation(t *testing.T) {
	big := strings.Repeat("x", 2<<20)
	r := newRig(t, modeltest.Limits{MaxContext: 32_000}, []tool.Entry{entry("big", says(tool.OKText(big)))},
		modeltest.Calls(call("a", "big")), modeltest.Text("ok"), modeltest.Text("ok"))
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	want(t, r.turn(t.Context(), "again"), agent.EndTurn)
	if n := len(r.history[2].Text); n > 50_000 || !strings.Contains(r.history[2].Text, "left out") {
		t.Errorf("%d bytes kept", n)
	}
}

func TestT14OverflowShortensAndGoesOn(t *testing.T) {
	r := newRig(t, modeltest.Limits{MaxContext: 6000}, []tool.Entry{entry("big", says(tool.OKText(strings.Repeat("x", 30_000))))},
		modeltest.Calls(call("a", "big")), modeltest.Text("ok"))
	r.llm.ExpectRefusals()
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	want(t, len(r.llm.Refusals()), 1)
}

func TestT16ImagesAreNoText(t *testing.T) {
	shot := tool.Result{OK: true, Content: []tool.Content{{Kind: tool.Text, Text: "done"}, {Kind: tool.Image, MIMEType: "image/png", Data: make([]byte, 300<<10)}}}
	r := newRig(t, modeltest.Limits{}, []tool.Entry{entry("shot", says(shot))}, modeltest.Calls(call("a", "shot")), modeltest.Text("ok"))
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	for _, req := range r.llm.Requests() {
		if regexp.MustCompile(`[A-Za-z0-9+/]{200}`).Match(req.Body) {
			t.Error("base64 in a request")
		}
	}
	if got := r.answered(); !strings.Contains(got[0], "done") || !strings.Contains(got[0], "image/png") {
		t.Errorf("answered %q", got)
	}
	want(t, len(r.kinds(agent.ToolResult)[0].Result.Content), 2)
}

func TestA21A25BrokenAnswerIsKeptAsInterrupted(t *testing.T) {
	cut := modeltest.Raw(modeltest.Delta(map[string]any{"content": "par"}) +
		modeltest.CallDelta(map[string]any{"index": 0, "id": "a", "function": map[string]any{"name": "f", "arguments": `{}`}}))
	cut.Cut = true
	r := newRig(t, modeltest.Limits{}, []tool.Entry{entry("f", nil)}, cut, modeltest.Text("ok"))
	want(t, r.turn(t.Context(), "hi"), agent.Errored)
	want(t, r.kinds(agent.Failure)[0].Code, model.Broken)
	want(t, fmt.Sprintln(r.history[1].Text, r.history[1].Incomplete, len(r.history[1].ToolCalls)), "par true 0\n")
	want(t, len(r.kinds(agent.ToolCall)), 0)
	want(t, r.turn(t.Context(), "go on"), agent.EndTurn)
}

func TestA28WaitIsTold(t *testing.T) {
	r := newRig(t, modeltest.Limits{}, nil, modeltest.Status(429, `{}`, "Retry-After", "1"), modeltest.Text("ok"))
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	if got := r.kinds(agent.Notice); len(got) == 0 || !strings.Contains(got[0].Text, "Trying again in 1 s") {
		t.Errorf("notices: %+v", got)
	}
}

func TestA17ReasoningComesBack(t *testing.T) {
	think := modeltest.Calls(call("a", "f"))
	think.Parts = append([]modeltest.Part{{Bytes: modeltest.Delta(map[string]any{"reasoning_content": "hm"})}}, think.Parts...)
	r := newRig(t, modeltest.Limits{DeepSeek: true}, []tool.Entry{entry("f", says(tool.OKText("x")))}, think, modeltest.Text("ok"))
	want(t, r.turn(t.Context(), "hi"), agent.EndTurn)
	want(t, r.kinds(agent.Reasoning)[0].Text, "hm")
}

func TestStepLimit(t *testing.T) {
	r := newRig(t, modeltest.Limits{}, []tool.Entry{entry("f", says(tool.OKText("x")))},
		modeltest.Calls(call("a", "f")), modeltest.Calls(call("b", "f")), modeltest.Text("ok"))
	r.o.MaxSteps = 2
	want(t, r.turn(t.Context(), "hi"), agent.MaxSteps)
	want(t, r.turn(t.Context(), "go on"), agent.EndTurn)
}

type panicking struct{}

func (panicking) Stream(context.Context, model.Request, func(model.Chunk)) (model.Response, error) {
	panic("boom")
}

func TestPanicAndSaveErrorsAreTold(t *testing.T) {
	r := newRig(t, modeltest.Limits{}, nil)
	r.o.Client = panicking{}
	r.o.Save = func(agent.Entry) error { return errors.New("disk full") }
	want(t, r.turn(t.Context(), "hi"), agent.Errored)
	if got := r.kinds(agent.Failure); len(got) != 1 || !strings.Contains(got[0].Message, "boom") {
		t.Errorf("%+v", got)
	}
	if got := r.kinds(agent.Notice); len(got) != 1 || !strings.Contains(got[0].Text, "disk full") {
		t.Errorf("%+v", got)
	}
}

func TestPracticeModelCallsToolsThroughTheLoop(t *testing.T) {
	r := newRig(t, modeltest.Limits{}, []tool.Entry{entry("demo_echo", says(tool.OKText("pong"))), entry("demo_fail", says(tool.Failed(tool.ReasonNone, "no")))})
	r.o.Client, r.o.Practice = practice.New(), true
	want(t, r.turn(t.Context(), "use demo_echo, then demo_fail"), agent.EndTurn)
	want(t, r.history[len(r.history)-1].Text, "demo_echo answered: pong\ndemo_fail failed: Error: no")
	if done := r.kinds(agent.Done)[0]; !done.Practice || done.Model != practice.Model {
		t.Errorf("done: %+v", done)
	}
}

// A panic of a reader must not leave calls running or questions open.
func TestPanickingReaderEndsTheTurn(t *testing.T) {
	quick, slow := entry("quick", says(tool.OKText("x"))), entry("slow", untilStopped)
	quick.Parallel, slow.Parallel = true, true
	r := newRig(t, modeltest.Limits{}, []tool.Entry{quick, slow}, modeltest.Calls(call("a", "quick"), call("b", "slow")), modeltest.Text("ok"))
	once := false
	r.on = func(e agent.Event) {
		if e.Kind == agent.ToolResult && !once {
			once = true
			panic("reader")
		}
	}
	want(t, r.turn(t.Context(), "hi"), agent.Errored)
	want(t, r.turn(t.Context(), "again"), agent.EndTurn)
	want(t, len(r.answered()), 2)
}

func TestFold(t *testing.T) {
	in := []agent.Event{
		{Seq: 1, RunID: "a", Kind: agent.Text, Text: "x"}, {Seq: 2, RunID: "a", Kind: agent.Text, Text: "y"},
		{Seq: 3, RunID: "b", Kind: agent.Text, Text: "z"},
		{Seq: 4, RunID: "b", Kind: agent.Progress, ID: "1"}, {Seq: 5, RunID: "b", Kind: agent.Progress, ID: "1"},
		{Seq: 6, RunID: "b", Kind: agent.ToolResult, ID: "1"},
		{Seq: 7, RunID: "b", Kind: agent.Notice, Total: 2}, {Seq: 8, RunID: "b", Kind: agent.Notice, Total: 1},
	}
	var got []string
	folded := agent.Fold(in)
	for _, e := range folded {
		got = append(got, fmt.Sprint(e.Seq, e.Kind, e.Text))
	}
	want(t, got, "[2textxy 3textz 6tool_result 8notice]")
	want(t, len(agent.Fold(folded)), len(folded))
}

// What was read before does not change when more is added, and a rewind forgets the text.
func TestFoldedGrows(t *testing.T) {
	var f agent.Folded
	text := func(seq uint64, s string) {
		f.Add(agent.Event{Seq: seq, RunID: "a", Kind: agent.Text, Text: s})
	}
	text(1, "x")
	text(2, "y")
	before := f.Events()
	text(3, "z")
	want(t, before[0].Text, "xy")
	want(t, f.Events()[0].Text, "xyz")
	f.Add(agent.Event{Seq: 4, RunID: "a", Kind: agent.Rewind, ToSeq: 1})
	text(5, "new")
	text(6, "er")
	want(t, f.Events()[0].Text, "newer")
}

// A delta does not copy the text before it: 20,000 of them would otherwise cost gigabytes.
func TestFoldedDoesNotCopyWhatItHolds(t *testing.T) {
	const deltas, size = 20_000, 16
	piece := strings.Repeat("p", size)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var f agent.Folded
	for i := range deltas {
		f.Add(agent.Event{Seq: uint64(i + 1), RunID: "a", Kind: agent.Text, Text: piece})
	}
	runtime.ReadMemStats(&after)
	if got, limit := after.TotalAlloc-before.TotalAlloc, uint64(100*deltas*size); got > limit {
		t.Errorf("folding %d bytes allocated %d, more than %d", deltas*size, got, limit)
	}
	want(t, len(f.Events()[0].Text), deltas*size)
}
