package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"sync"

	"patchbay/backend/mcphost"
	"patchbay/backend/session"
	"patchbay/backend/tool"
)

// ServerDetail is what the detail of a server shows beside its row.
func (l *Local) ServerDetail(ctx context.Context, name string) (ServerDetail, error) {
	s, err := l.current()
	if err != nil {
		return ServerDetail{}, err
	}
	d, err := s.Detail(name)
	if err != nil {
		return ServerDetail{}, err
	}
	out := ServerDetail{
		Name: name, Form: ServerForm{Args: []string{}, Env: []NamedValue{}, Headers: []NamedValue{}},
		Rules:  ToolRules{Exclude: []string{}, Rename: map[string]string{}},
		Stages: toStages(d.Stages), Instructions: d.Instructions,
	}
	def, undefined := s.Definition(name) // a name may be enabled and defined nowhere
	if undefined == nil {
		if out.Form, err = l.GetServer(ctx, name); err != nil {
			return ServerDetail{}, err
		}
		out.Rules.Exclude = orEmpty(def.Tools.Exclude)
		maps.Copy(out.Rules.Rename, def.Tools.Rename)
	}
	out.Tools = toTools(d.Tools, def.Tools.Rename)
	return out, nil
}

func toStages(stages []mcphost.StageTime) []StageTime {
	out := []StageTime{}
	for _, s := range stages {
		out = append(out, StageTime{Stage: string(s.Stage), Ms: wholeMs(s.Took)})
	}
	return out
}

// toTools names tools that the model does not see as it would see them.
func toTools(tools []session.Listed, rename map[string]string) []ServerTool {
	out := []ServerTool{}
	for _, t := range tools {
		out = append(out, ServerTool{
			Name: cmp.Or(t.Visible, strings.TrimSpace(rename[t.Name]), t.Name), Original: t.Name, Title: t.Title, Description: t.Description,
			Schema: string(t.InputSchema), SchemaTokens: t.Tokens,
			ReadOnly: says(t.Annotations.ReadOnly), Destructive: says(t.Annotations.Destructive),
			Idempotent: says(t.Annotations.Idempotent), OpenWorld: says(t.Annotations.OpenWorld),
			Held: t.Excluded, Owner: t.Holder, Skipped: skipped(t.ListedTool),
		})
	}
	return out
}

func says(hint *bool) bool { return hint != nil && *hint }

// skipped is why a tool cannot be used, "" when it can or is only held back.
func skipped(t mcphost.ListedTool) string {
	switch {
	case t.Skipped != "":
		return t.Skipped
	case t.AppOnly:
		return "its server keeps it from the model"
	case t.Visible == "" && !t.Excluded:
		return "it has no name"
	}
	return ""
}

// ServerLog returns the lines of a server's stderr and log messages after a sequence number.
func (l *Local) ServerLog(_ context.Context, name string, after uint64) (LogPage, error) {
	s, err := l.current()
	if err != nil {
		return LogPage{}, err
	}
	page, err := s.Log(name, after)
	if err != nil {
		return LogPage{}, err
	}
	out := LogPage{Lines: []LogLine{}, Next: page.Next, Lost: page.Lost, Level: s.LogLevel(name)}
	for _, line := range page.Lines {
		out.Lines = append(out.Lines, LogLine{Seq: line.Seq, AtMs: unixMs(line.At), Level: line.Level, Text: line.Text})
	}
	return out, nil
}

// Clashes returns both sides of every tool name that a server may not have.
func (l *Local) Clashes(_ context.Context, name string) (Clashes, error) {
	s, err := l.current()
	if err != nil {
		return Clashes{}, err
	}
	clashes, taken, err := s.Clashes(name)
	if err != nil {
		return Clashes{}, err
	}
	out := Clashes{Clashes: []Clash{}, Taken: orEmpty(taken)}
	for _, c := range clashes {
		out.Clashes = append(out.Clashes, Clash{Tool: c.Name, Mine: toArm(c.Mine), Theirs: toArm(c.Theirs)})
	}
	return out, nil
}

func toArm(side session.Side) ClashArm {
	return ClashArm{Owner: side.Owner, Original: side.Original, Description: side.Description, Schema: string(side.Schema)}
}

// handCalls are the running calls of CallTool, by the id that their caller chose.
type handCalls struct {
	mu      sync.Mutex
	running map[string]context.CancelFunc
}

func newHandCalls() *handCalls { return &handCalls{running: map[string]context.CancelFunc{}} }

// begin registers a call; end forgets it.
func (h *handCalls) begin(ctx context.Context, id string) (_ context.Context, end func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case id == "":
		return nil, nil, &CommandError{Code: CodeInvalid, Message: "a call needs an id"}
	case h.running[id] != nil:
		return nil, nil, &CommandError{Code: CodeConflict, Message: fmt.Sprintf("a call with the id %s runs already", id)}
	}
	ctx, cancel := context.WithCancel(ctx)
	h.running[id] = cancel
	return ctx, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.running, id)
		cancel()
	}, nil
}

func (h *handCalls) cancel(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.running[id]; cancel != nil {
		cancel()
	}
}

// CallTool runs one tool until it answers or ctx ends. A call by hand asks for no approval:
// the person who would be asked has pressed the button.
func (l *Local) CallTool(ctx context.Context, callID, server, original, arguments string) (ToolOutcome, error) {
	s, err := l.current()
	if err != nil {
		return ToolOutcome{}, err
	}
	object, err := tool.Arguments(json.RawMessage(arguments))
	if err != nil {
		return ToolOutcome{}, &CommandError{Code: CodeInvalid, Message: err.Error(), Server: server}
	}
	ctx, end, err := l.byHand.begin(ctx, callID)
	if err != nil {
		return ToolOutcome{}, err
	}
	defer end()
	result, err := s.CallTool(ctx, server, original, object)
	if err != nil {
		return ToolOutcome{}, err
	}
	out := ToolOutcome{OK: result.OK, Reason: string(result.Reason), Warning: result.Warning, TookMs: wholeMs(result.Took), Frame: result.Frame, Content: []ChatContent{}}
	for _, c := range withoutTwins(result.Content) {
		out.Content = append(out.Content, toContent(c, l.media.keep))
	}
	return out, nil
}

// CancelTool ends a call of CallTool.
func (l *Local) CancelTool(_ context.Context, callID string) error {
	l.byHand.cancel(callID)
	return nil
}
