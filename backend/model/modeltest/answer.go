package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// Answer is one scripted answer: status, headers, and the parts of the body as raw bytes.
type Answer struct {
	Status int         // 0 is 200
	Header http.Header // beside and before "Content-Type: text/event-stream"
	Delay  time.Duration
	Parts  []Part
	Cut    bool // the connection is closed in mid-body after the last part
	Hold   bool // the connection stays open, silent, after the last part
	// Func makes the answer from the request, when set; it must not call the Server.
	Func func(Request) Answer
}

// Part is a piece of a body, written and flushed After a pause.
type Part struct {
	After time.Duration
	Bytes string
}

// Call is a tool call of a scripted answer.
type Call struct {
	ID, Name, Arguments string
}

// Raw answers with body as it stands.
func Raw(body string) Answer { return Answer{Parts: []Part{{Bytes: body}}} }

// Status answers with an HTTP status, a body and headers given as name, value, ….
func Status(status int, body string, headers ...string) Answer {
	a := Answer{Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Parts: []Part{{Bytes: body}}}
	for i := 0; i+1 < len(headers); i += 2 {
		a.Header.Set(headers[i], headers[i+1])
	}
	return a
}

// Text answers with the given deltas, a finish, usage (11 in, 7 out) and [DONE].
func Text(deltas ...string) Answer {
	var b strings.Builder
	for _, d := range deltas {
		b.WriteString(Delta(map[string]any{"content": d}))
	}
	return Raw(b.String() + End("stop"))
}

// Calls answers with tool calls in the ordinary form: one delta with id and name, then
// the arguments in two halves.
func Calls(calls ...Call) Answer { return TextAndCalls("", calls...) }

// TextAndCalls is Calls after a text.
func TextAndCalls(text string, calls ...Call) Answer {
	var b strings.Builder
	if text != "" {
		b.WriteString(Delta(map[string]any{"content": text}))
	}
	for i, c := range calls {
		half := len(c.Arguments) / 2
		b.WriteString(CallDelta(map[string]any{"index": i, "id": c.ID, "type": "function",
			"function": map[string]any{"name": c.Name, "arguments": ""}}))
		for _, piece := range []string{c.Arguments[:half], c.Arguments[half:]} {
			b.WriteString(CallDelta(map[string]any{"index": i, "function": map[string]any{"arguments": piece}}))
		}
	}
	return Raw(b.String() + End("tool_calls"))
}

// CallDelta is the event of one chunk with the given entries of tool_calls.
func CallDelta(calls ...any) string { return Delta(map[string]any{"tool_calls": calls}) }

// Delta is the event of one chunk.
func Delta(delta map[string]any) string {
	return Event(map[string]any{"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "fake-1",
		"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": nil}}})
}

// Finish is the event with the finish reason; any value, nil included.
func Finish(reason any) string {
	return Event(map[string]any{"id": "chatcmpl-1", "model": "fake-1",
		"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}}})
}

// End is the finish, a usage chunk without choices, and [DONE].
func End(reason any) string {
	usage := Event(map[string]any{"id": "chatcmpl-1", "model": "fake-1", "choices": []any{},
		"usage": map[string]any{"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}})
	return Finish(reason) + usage + "data: [DONE]\n\n"
}

// Event is one server-sent event with v as JSON.
func Event(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("modeltest: %v", err)) // a test's own literal
	}
	return "data: " + string(data) + "\n\n"
}
