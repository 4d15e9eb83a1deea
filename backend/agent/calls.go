package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"patchbay/backend/approval"
	"patchbay/backend/model"
	"patchbay/backend/tool"
)

// outcome is an answered call.
type outcome struct {
	result tool.Result
	answer approval.Answer // zero where nothing was decided
}

// runCalls runs the calls of one answer and adds their results in call order. Neighbours
// that may run beside each other do; every other call runs alone.
func (t *turn) runCalls(ctx context.Context, table *tool.Table, calls []model.ToolCall) {
	for _, c := range calls {
		e, _ := table.Lookup(c.Name)
		t.emit(Event{Kind: ToolCall, ID: c.ID, Server: e.Server, Tool: c.Name, Hash: e.Hash, Arguments: json.RawMessage(c.Arguments)})
	}
	for len(calls) > 0 {
		n := 1
		for parallel(table, calls[0]) && n < len(calls) && parallel(table, calls[n]) {
			n++
		}
		t.runBatch(ctx, table, calls[:n])
		calls = calls[n:]
	}
}

func parallel(table *tool.Table, c model.ToolCall) bool {
	e, ok := table.Lookup(c.Name)
	return ok && e.Parallel
}

// runBatch runs calls side by side and adds each result as soon as those before it are in.
func (t *turn) runBatch(ctx context.Context, table *tool.Table, calls []model.ToolCall) {
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // a reader that panics must not leave calls behind
	slots := make(chan struct{}, t.o.Parallel)
	results := make([]chan outcome, len(calls))
	for i, c := range calls {
		results[i] = make(chan outcome, 1)
		running.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			results[i] <- t.call(ctx, table, c)
		})
	}
	for i, c := range calls {
		t.answer(table, c, <-results[i])
	}
}

// answer adds the result of a call.
func (t *turn) answer(table *tool.Table, c model.ToolCall, out outcome) {
	e, _ := table.Lookup(c.Name)
	r := out.result
	text := t.modelText(c.ID, r)
	m := model.Message{Role: model.Tool, ToolCallID: c.ID, Text: text, Failed: !r.OK && r.Reason != tool.Rejected}
	if t.o.Vision {
		m.Images = images(r)
	}
	t.emit(Event{Kind: ToolResult, ID: c.ID, Server: e.Server, Tool: c.Name, Result: &r, ModelText: text})
	t.add(Entry{Message: m, Result: &r, Server: e.Server, Tool: c.Name, Hash: e.Hash,
		Decision: string(out.answer.Decision), By: string(out.answer.By)})
}

// modelText is what the model reads. A rejection is an answer and carries no error mark.
func (t *turn) modelText(callID string, r tool.Result) string {
	if r.Reason == tool.Rejected {
		return plain(r)
	}
	return t.o.ModelText(callID, r)
}

// call decides and runs one call. It always comes back with a result.
func (t *turn) call(ctx context.Context, table *tool.Table, c model.ToolCall) (out outcome) {
	defer func() {
		if p := recover(); p != nil {
			out.result = tool.Failed(tool.ProtocolFailed, fmt.Sprintf("The tool %s crashed: %v", c.Name, p))
		}
	}()
	ctx, end := t.running.begin(ctx, c.ID)
	defer func() {
		out.result = orCancelled(ctx, out.result)
		end()
	}()
	call := tool.Call{ID: c.ID, Name: c.Name, Arguments: json.RawMessage(c.Arguments)}
	e, ok := table.Lookup(c.Name)
	switch {
	case ctx.Err() != nil:
		return outcome{result: tool.Failed(tool.Cancelled, "Cancelled by the user before the call was run.")}
	case !ok:
		return outcome{result: table.Call(ctx, call, nil)} // refused, in the table's words
	case c.Malformed != "":
		return outcome{result: tool.Failed(tool.BadArguments, fmt.Sprintf("The arguments are not a JSON object: %.200s", c.Malformed))}
	}
	out.answer = t.ask(ctx, e, call)
	if !out.answer.Decision.Allows() {
		out.result = t.notAllowed(ctx, e, out.answer)
		return out
	}
	start := time.Now()
	out.result = table.Call(ctx, call, func(p tool.Progress) {
		t.emit(Event{Kind: Progress, ID: c.ID, Server: e.Server, Tool: c.Name, Text: p.Message, Progress: p.Progress, Total: p.Total})
	})
	if out.result.Took == 0 {
		out.result.Took = time.Since(start)
	}
	if out.result.Reason == tool.ServerGone && t.takenOut(e.Server) {
		out.result.Reason = tool.Withdrawn
	}
	return out
}

// openAfter is how long a question may be under decision before it is shown as open: a
// mode or a grant answers at once and shows none.
const openAfter = 50 * time.Millisecond

var errLeft = errors.New("the server left while the question was open")

// ask has one call decided. Asking comes before Approval whenever a person is asked. A call
// that a person asked for and that does no harm a second time is decided with that.
func (t *turn) ask(ctx context.Context, e tool.Entry, call tool.Call) approval.Answer {
	if t.clicked(call.ID) && e.Annotations.SaysRepeatable() {
		a := approval.Answer{Decision: approval.AllowOnce, By: approval.ByPerson}
		t.emit(Event{Kind: Approval, ID: call.ID, Server: e.Server, Tool: e.Name, Answer: a})
		return a
	}
	q := t.question(e, call)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answered := make(chan approval.Answer, 1)
	go func() { answered <- t.decide(ctx, q) }() // ends with ctx at the latest; waited for below
	shown := time.NewTimer(openAfter)
	defer shown.Stop()
	withdrawn, asked := e.Withdrawn, false
	asking := func() {
		if !asked {
			asked = true
			t.emit(Event{Kind: Asking, ID: call.ID, Server: e.Server, Tool: e.Name, Arguments: call.Arguments, Question: &q})
		}
	}
	for {
		select {
		case a := <-answered:
			if a.By == approval.ByPerson {
				asking()
			}
			t.emit(Event{Kind: Approval, ID: call.ID, Server: e.Server, Tool: e.Name, Answer: a})
			return a
		case <-shown.C:
			asking()
		case <-withdrawn:
			cancel(errLeft)
			withdrawn = nil
		}
	}
}

// clicked reports whether a person asked for the call.
func (t *turn) clicked(id string) bool {
	return slices.ContainsFunc(t.o.Clicked, func(c model.ToolCall) bool { return c.ID == id })
}

// decide asks the approver; one that crashes allows nothing.
func (t *turn) decide(ctx context.Context, q approval.Question) (a approval.Answer) {
	defer func() {
		if recover() != nil {
			a = approval.Answer{Decision: approval.Withdrawn, By: approval.ByHost}
		}
	}()
	return t.o.Approver.Ask(ctx, q)
}

func (t *turn) question(e tool.Entry, call tool.Call) approval.Question {
	q := approval.Question{
		ID: uuid.NewString(), SessionID: t.o.SessionID, Workspace: t.o.Workspace, Spec: e.Spec, Call: call,
		Preview:        approval.Preview{Kind: "arguments", Text: string(call.Arguments)},
		WorkspaceGrant: t.o.Workspace != "",
		AtMs:           time.Now().UnixMilli(),
	}
	if t.o.Question != nil {
		q = t.o.Question(q)
	}
	return q
}

// notAllowed is what the model reads of a call that was not allowed.
func (t *turn) notAllowed(ctx context.Context, e tool.Entry, a approval.Answer) tool.Result {
	switch {
	case a.Decision == approval.Reject && a.By == approval.ByPerson:
		return tool.Failed(tool.Rejected, "The user rejected this call, so it was not run. Do not repeat it: go on without it, or ask the user what to do instead.")
	case a.Decision == approval.Reject:
		return tool.Failed(tool.Rejected, "This call needs an approval, and nobody can be asked here, so it was not run. Go on without it, or say what you would have done.")
	case ctx.Err() != nil:
		return tool.Failed(tool.Cancelled, "Cancelled by the user before the call was approved. It was not run.")
	case t.takenOut(e.Server):
		return tool.Failed(tool.Withdrawn, fmt.Sprintf("The server %s was paused or disabled before the call was approved. It was not run.", e.Server))
	}
	return tool.Failed(tool.ServerGone, fmt.Sprintf("The server %s was edited or lost before the call was approved. It was not run.", e.Server))
}

func (t *turn) takenOut(server string) bool { return t.o.TakenOut != nil && t.o.TakenOut(server) }

// answerOpen answers the calls of the last assistant message that have no answer yet.
func (t *turn) answerOpen(why string) {
	for _, c := range open(t.messages) {
		r := tool.Failed(tool.Cancelled, why)
		t.emit(Event{Kind: ToolResult, ID: c.ID, Tool: c.Name, Result: &r, ModelText: why})
		t.add(Entry{Message: model.Message{Role: model.Tool, ToolCallID: c.ID, Text: why, Failed: true}, Result: &r, Tool: c.Name})
	}
}
