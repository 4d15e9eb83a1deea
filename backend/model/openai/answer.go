package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/uuid"

	"patchbay/backend/model"
)

// answer puts the events of one stream together.
type answer struct {
	sink  func(model.Chunk)
	split *splitter

	text, reasoning strings.Builder
	reasonedAs      string
	calls           calls
	usage           *model.Usage
	model           string
	reason          string // the last finish reason that says something
	finished        bool
	failed          *failure
}

// event takes one event and reports whether to go on reading.
func (a *answer) event(name string, data []byte) bool {
	var c chunk
	if json.Unmarshal(data, &c) != nil {
		if name == "error" || data[0] == '"' {
			a.failed = inStream(data)
			return false
		}
		a.failed = &failure{Error: model.Error{Code: model.Broken,
			Message: "The answer holds an event that is not JSON, so it was cut off. Try again."}}
		return false
	}
	if raw := errorOf(name, c, data); raw != nil {
		a.failed = inStream(raw)
		return false
	}
	a.chunk(c)
	return a.failed == nil
}

// errorOf is the error object of an event, nil when it has none.
func errorOf(name string, c chunk, data []byte) json.RawMessage {
	switch {
	case present(c.Error):
		return c.Error
	case name == "error", text(c.Object) == "error":
		return data
	case !present(c.Choices) && (present(c.Message) || present(c.Detail)):
		return data
	}
	return nil
}

func (a *answer) chunk(c chunk) {
	if m := text(c.Model); m != "" {
		a.model = m
	}
	if u := usage(c.Usage); u != nil {
		a.usage = u
		a.finished = a.finished || !present(c.Choices) // the last chunk but [DONE]
	}
	var choices []choice
	if json.Unmarshal(c.Choices, &choices) != nil || len(choices) == 0 {
		return
	}
	first := choices[0]
	if present(first.Error) {
		a.failed = inStream(first.Error)
		return
	}
	a.delta(first.Delta)
	a.delta(first.Message)
	if reason := text(first.FinishReason); reason != "" {
		a.reason, a.finished = reason, true
	}
}

func (a *answer) delta(d *delta) {
	if d == nil {
		return
	}
	if r := text(d.ReasoningContent); r != "" {
		a.reasonedAs = "reasoning_content"
		a.out(true, r)
	} else if r := text(d.Reasoning); r != "" {
		a.reasonedAs = "reasoning"
		a.out(true, r)
	} else if a.reasonedAs == "" && string(d.ReasoningContent) == `""` {
		a.reasonedAs = "reasoning_content" // empty, but it must come back
	}
	if t := text(d.Content) + text(d.Refusal); t != "" {
		a.splitter().push(t)
	}
	for _, p := range parts(d.ToolCalls) {
		a.calls.add(p)
	}
}

func (a *answer) splitter() *splitter {
	if a.split == nil {
		a.split = &splitter{emit: a.out}
	}
	return a.split
}

func (a *answer) out(reasoning bool, text string) {
	if reasoning {
		a.reasoning.WriteString(text)
		a.sink(model.Chunk{Kind: model.ReasoningChunk, Text: text})
		return
	}
	a.text.WriteString(text)
	a.sink(model.Chunk{Kind: model.TextChunk, Text: text})
}

// began reports whether anything of an answer arrived.
func (a *answer) began() bool {
	return a.text.Len() > 0 || a.reasoning.Len() > 0 || len(a.calls.list) > 0
}

// finish is the whole answer, or what had arrived with the reason why it is not whole.
func (a *answer) finish(end streamEnd, idle *failure, contentType, url string) (model.Response, *failure) {
	if end.events == 0 && end.err == nil && !end.partial && a.failed == nil {
		a.body(end, contentType, url)
	}
	a.splitter().end()
	if f := a.trouble(end, idle, url); f != nil {
		f.again = f.again && !a.began()
		return a.response(true), f
	}
	resp := a.response(a.reason == "length")
	if resp.Message.Text == "" && len(resp.Message.ToolCalls) == 0 {
		return resp, a.empty()
	}
	return resp, nil
}

// body reads a body that is no stream: a whole answer, an error, or something else.
func (a *answer) body(end streamEnd, contentType, url string) {
	stray := bytes.TrimSpace(end.stray)
	if len(stray) > 0 && json.Valid(stray) {
		if a.event("", stray) && a.began() {
			a.finished = true
		}
	}
	if a.failed != nil || a.finished || end.done {
		return
	}
	what := "an empty body"
	if len(stray) > 0 {
		what = "something else"
		if strings.Contains(contentType, "html") || bytes.HasPrefix(stray, []byte("<")) {
			what = "a web page"
		} else if json.Valid(stray) {
			what = "JSON that is no answer"
		}
	}
	a.failed = &failure{Error: model.Error{Code: model.BadURL, Status: 200, Message: fmt.Sprintf(
		"%s answered with %s instead of a chat stream. Check the base URL: it usually ends in /v1.", url, what)}}
}

// trouble says why the answer is not whole, nil when it is.
func (a *answer) trouble(end streamEnd, idle *failure, url string) *failure {
	switch {
	case a.failed != nil:
		return a.failed
	case idle != nil:
		return idle
	case a.reason == "error":
		return &failure{Error: model.Error{Code: model.Overloaded, Message: "The endpoint ended the answer with an error and did not say which. Try again."}}
	case a.reason == "content_filter" && a.text.Len() == 0:
		return &failure{Error: model.Error{Code: model.Filtered, Message: "The endpoint's content filter stopped the answer. Rephrase the message."}}
	case a.reason == "length" && a.cutCall():
		return &failure{Error: model.Error{Code: model.Broken, Message: "The answer reached the model's output limit in the middle of a tool call, which was not run. Ask for smaller steps."}}
	case a.finished || end.done:
		return nil
	}
	return &failure{Error: model.Error{Code: model.Broken,
		Message: "The connection to the model was cut before the answer ended. Try again."}}
}

func (a *answer) cutCall() bool {
	n := len(a.calls.list)
	return n > 0 && objectText(a.calls.list[n-1].args) == ""
}

func (a *answer) empty() *failure {
	message := "The model gave an empty answer. Try again, or choose another model."
	switch {
	case a.reason == "length":
		message = "The model used its whole output limit before it answered. Raise the limit or ask for less."
	case a.reasoning.Len() > 0:
		message = "The model only reasoned and gave no answer. Try again."
	}
	return &failure{Error: model.Error{Code: model.Empty, Message: message}}
}

func (a *answer) response(incomplete bool) model.Response {
	m := model.Message{Role: model.Assistant, Text: a.text.String(), Reasoning: a.reasoning.String(),
		ReasonedAs: a.reasonedAs, Incomplete: incomplete}
	if !incomplete || a.reason == "length" && !a.cutCall() {
		m.ToolCalls = a.calls.done(func() string { return "call_" + strings.ReplaceAll(uuid.NewString(), "-", "") })
	}
	return model.Response{Message: m, Usage: a.usage, Model: a.model}
}
