// Package practice is the practice model: a small deterministic endpoint inside the
// process that speaks Chat Completions like any other and calls tools when a message
// names them, so that the first minute works without a key.
package practice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"unicode/utf8"

	"patchbay/backend/model"
	"patchbay/backend/model/openai"
)

// Model is the name the practice model answers with.
const Model = "practice"

// New returns a client of the practice model: the ordinary client, whose requests stay in
// the process.
func New() model.Client {
	client, err := openai.New(openai.Options{BaseURL: "http://practice.invalid/v1", Model: Model, MaxRetries: -1,
		HTTPClient: &http.Client{Transport: inProcess{Handler()}}})
	if err != nil {
		panic(err) // the options are the constants above
	}
	return client
}

// inProcess hands requests to a handler without a socket.
type inProcess struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(w, r)
	return &http.Response{Status: http.StatusText(w.status), StatusCode: w.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: w.header, Body: io.NopCloser(&w.body), ContentLength: -1, Request: r}, nil
}

type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *recorder) Header() http.Header         { return w.header }
func (w *recorder) WriteHeader(status int)      { w.status = status }
func (w *recorder) Write(p []byte) (int, error) { return w.body.Write(p) }

// request is what the practice model reads of a request.
type request struct {
	Messages []message `json:"messages"`
	Tools    []struct {
		Function function `json:"function"`
	} `json:"tools"`
}

type message struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ToolCallID string          `json:"tool_call_id"`
	ToolCalls  []toolCall      `json:"tool_calls"`
}

type toolCall struct {
	Index    int          `json:"index"`
	ID       string       `json:"id"`
	Type     string       `json:"type"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// text is a message's text: a string, or the text parts of an array.
func (m message) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(m.Content, &parts) // content of another kind has no text
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// Handler is the endpoint: POST …/chat/completions, always a stream.
func Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req request
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = json.Unmarshal(body, &req)
		}
		if err != nil {
			http.Error(w, fmt.Sprintf("read the request: %v", err), http.StatusBadRequest)
			return
		}
		tools := make([]function, len(req.Tools))
		for i, t := range req.Tools {
			tools[i] = t.Function
		}
		w.Header().Set("Content-Type", "text/event-stream")
		s := stream{w: w}
		s.answer(reply(req.Messages, tools))
		s.end(len(body))
	})
}

// stream writes an answer as server-sent events.
type stream struct {
	w      io.Writer
	bytes  int
	finish string
}

const chunkSize = 24 // bytes of text in one event

func (s *stream) answer(text string, calls []toolCall) {
	s.finish = "stop"
	for len(text) > 0 {
		n := min(chunkSize, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		s.delta(map[string]any{"content": text[:n]})
		s.bytes += n
		text = text[n:]
	}
	for _, c := range calls {
		s.finish = "tool_calls"
		args := c.Function.Arguments
		c.Function.Arguments = ""
		s.delta(map[string]any{"tool_calls": []toolCall{c}})
		s.delta(map[string]any{"tool_calls": []any{map[string]any{"index": c.Index, "function": map[string]string{"arguments": args}}}})
		s.bytes += len(args)
	}
}

func (s *stream) delta(delta map[string]any) {
	s.event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": nil}}})
}

func (s *stream) end(read int) {
	s.event(map[string]any{"choices": []any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": s.finish}}})
	const bytesPerToken = 4
	in, out := read/bytesPerToken, s.bytes/bytesPerToken+1
	s.event(map[string]any{"choices": []any{}, "usage": map[string]int{"prompt_tokens": in, "completion_tokens": out, "total_tokens": in + out}})
	fmt.Fprint(s.w, "data: [DONE]\n\n")
}

func (s *stream) event(fields map[string]any) {
	fields["id"], fields["object"], fields["model"] = "practice-1", "chat.completion.chunk", Model
	data, _ := json.Marshal(fields) // strings and numbers only: cannot fail
	fmt.Fprintf(s.w, "data: %s\n\n", data)
}
