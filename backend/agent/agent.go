package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"patchbay/backend/approval"
	"patchbay/backend/model"
	"patchbay/backend/tool"
)

// Entry is a finished message of a turn.
type Entry = model.Entry

// Options are the parts of one turn.
type Options struct {
	RunID     string
	SessionID string
	Workspace string // canonical, "" for a plain chat
	Client    model.Client
	Model     string // named in Done until the endpoint names its own
	Practice  bool   // the practice model answers
	Vision    bool   // images of tool results are kept for the model
	// Table is read before every model request: what it offers and routes by, already
	// limited to the turn's allowlist.
	Table    func() *tool.Table
	Approver approval.Approver
	// Emit takes every event, Seq 0. It is called from several goroutines.
	Emit func(Event)
	// Save keeps a finished message before the turn goes on; nil keeps nothing. It is
	// called from one goroutine, and also after ctx has ended.
	Save func(Entry) error
	// System is read before every model request; nil or "" sends no system message.
	System func() string
	// ModelText is what the model reads of a result; nil is the built-in way.
	ModelText func(callID string, r tool.Result) string
	// Question completes a question (Why, Preview, WorkspaceGrant); nil leaves it as it is.
	Question func(approval.Question) approval.Question
	// TakenOut reports whether a server that left during a call, or while a question about
	// one was open, left by hand: paused, disabled, removed. nil is never.
	TakenOut func(server string) bool
	// Clicked are calls that a person asked for: they stand in the conversation as if the
	// model had made them, and run before it is asked. Their ids are new in the conversation.
	Clicked  []model.ToolCall
	MaxSteps int // model requests of the turn; 0 is 50
	Parallel int // calls that run at once; 0 is 8
}

const (
	defaultSteps    = 50
	defaultParallel = 8
)

// Loop runs one turn.
type Loop struct {
	o       Options
	running *running
}

// New returns the Loop of one turn.
func New(o Options) *Loop {
	if o.MaxSteps <= 0 {
		o.MaxSteps = defaultSteps
	}
	if o.Parallel <= 0 {
		o.Parallel = defaultParallel
	}
	if o.ModelText == nil {
		o.ModelText = func(_ string, r tool.Result) string { return tool.ModelText(r, tool.ModelTextLimit, nil) }
	}
	return &Loop{o: o, running: &running{}}
}

// turn is the state of a running turn; its goroutine alone writes it.
type turn struct {
	o        Options
	running  *running
	messages []model.Message // of the next request, without the system message
	entries  []Entry         // what the turn added
	model    string
	named    string // what was last told about cut tools
	shrunk   bool
	unsaved  bool // a failed save was told
}

// Run runs the turn until the model is done, ctx ends, a request fails or the step limit.
// It returns the messages that the turn added, the user's first. Every tool call among
// them is answered exactly once, whatever happened, so the next request is valid. Done is
// the last event, exactly once. It returns only when everything it started has ended.
func (l *Loop) Run(ctx context.Context, history []model.Message, user model.Message) ([]Entry, StopReason) {
	t := &turn{o: l.o, running: l.running, messages: Repair(history), model: l.o.Model}
	user.Role = model.User
	t.emit(Event{Kind: UserMessage, Text: user.Text, Attached: user.Attached})
	t.add(Entry{Message: user})
	reason := t.guarded(ctx)
	t.emit(Event{Kind: Done, StopReason: reason, Practice: t.o.Practice, Model: t.model})
	return t.entries, reason
}

// guarded turns a panic of a client or a front end into a failed turn.
func (t *turn) guarded(ctx context.Context) (reason StopReason) {
	defer func() {
		if p := recover(); p != nil {
			t.answerOpen("The turn failed before this call was finished.")
			t.fail("internal", fmt.Sprintf("The turn failed inside Patchbay: %v. Send the message again.", p))
			reason = Errored
		}
	}()
	t.runClicked(ctx)
	for range t.o.MaxSteps {
		done, stop := t.step(ctx)
		if done {
			return stop
		}
	}
	t.emit(Event{Kind: Notice, Text: fmt.Sprintf("The turn reached its limit of %d steps. Send a message to go on.", t.o.MaxSteps)})
	return MaxSteps
}

// runClicked runs what a person asked for. When ctx ends meanwhile, so does the next step.
func (t *turn) runClicked(ctx context.Context) {
	if len(t.o.Clicked) == 0 || ctx.Err() != nil {
		return
	}
	table := t.table()
	t.emit(Event{Kind: Step})
	t.add(Entry{Message: model.Message{Role: model.Assistant, ToolCalls: t.o.Clicked}})
	t.runCalls(ctx, table, t.o.Clicked)
}

// step is one model request and the calls it makes.
func (t *turn) step(ctx context.Context) (done bool, reason StopReason) {
	if ctx.Err() != nil {
		return true, Cancelled
	}
	table := t.table()
	t.emit(Event{Kind: Step})
	resp, err := t.o.Client.Stream(ctx, t.request(table), t.chunk)
	t.took(resp)
	if err != nil {
		return t.failed(ctx, err)
	}
	if len(resp.Message.ToolCalls) == 0 {
		return true, EndTurn
	}
	t.runCalls(ctx, table, resp.Message.ToolCalls)
	if ctx.Err() != nil {
		return true, Cancelled
	}
	return false, ""
}

// table is the surface of the next request, at most what endpoints accept.
func (t *turn) table() *tool.Table {
	table, left := t.o.Table().Cut(tool.MaxTools)
	if names := strings.Join(left, ", "); names != t.named {
		t.named = names
		if names != "" {
			t.emit(Event{Kind: Notice, Text: fmt.Sprintf("More than %d tools are open. Left out of this request: %s. Close a service or exclude tools to choose others.", tool.MaxTools, names)})
		}
	}
	return table
}

func (t *turn) request(table *tool.Table) model.Request {
	req := model.Request{Tools: table.Specs()}
	if t.o.System != nil {
		if text := t.o.System(); text != "" {
			req.Messages = append(req.Messages, model.Message{Role: model.System, Text: text})
		}
	}
	req.Messages = append(req.Messages, t.messages...)
	return req
}

// chunk passes a piece of the answer on as it arrives. A wait is a notice that counts
// down: Progress is what is left of Total, in seconds.
func (t *turn) chunk(c model.Chunk) {
	switch c.Kind {
	case model.TextChunk:
		t.emit(Event{Kind: Text, Text: c.Text})
	case model.ReasoningChunk:
		t.emit(Event{Kind: Reasoning, Text: c.Text})
	case model.RetryChunk:
		left := c.Wait.Seconds()
		t.emit(Event{Kind: Notice, Text: c.Text, Progress: left, Total: left})
	}
}

// took keeps what an answer said, also of one that broke.
func (t *turn) took(resp model.Response) {
	if resp.Model != "" {
		t.model = resp.Model
	}
	if resp.Usage != nil {
		t.emit(Event{Kind: Usage, Usage: resp.Usage})
	}
	m := resp.Message
	if m.Text == "" && m.Reasoning == "" && len(m.ToolCalls) == 0 {
		return
	}
	m.Role = model.Assistant
	t.add(Entry{Message: m})
}

func (t *turn) failed(ctx context.Context, err error) (done bool, reason StopReason) {
	if ctx.Err() != nil {
		t.answerOpen("Cancelled by the user.")
		return true, Cancelled
	}
	t.answerOpen("The answer broke off before this call was run.")
	var e *model.Error
	if !errors.As(err, &e) {
		t.fail("internal", err.Error())
		return true, Errored
	}
	if e.Code == model.TooLong && !t.shrunk && shrink(t.messages) {
		t.shrunk = true
		t.emit(Event{Kind: Notice, Text: "The conversation no longer fits the model's window. Large tool results are shortened, and the request is sent again."})
		return false, ""
	}
	t.fail(string(e.Code), e.Error())
	if e.Code == model.Filtered {
		return true, Refused
	}
	return true, Errored
}

func (t *turn) fail(code, message string) {
	t.emit(Event{Kind: Failure, Code: code, Message: message})
}

func (t *turn) emit(e Event) {
	e.RunID, e.AtMs = t.o.RunID, time.Now().UnixMilli()
	t.o.Emit(e)
}

// add appends a finished message and has it saved.
func (t *turn) add(e Entry) {
	e.RunID = t.o.RunID
	if e.AtMs = e.Message.AtMs; e.AtMs == 0 {
		e.AtMs = time.Now().UnixMilli()
		e.Message.AtMs = e.AtMs
	}
	t.messages = append(t.messages, e.Message)
	t.entries = append(t.entries, e)
	if t.o.Save == nil {
		return
	}
	if err := t.o.Save(e); err != nil && !t.unsaved {
		t.unsaved = true
		t.emit(Event{Kind: Notice, Text: fmt.Sprintf("The conversation is not being saved: %v", err)})
	}
}
