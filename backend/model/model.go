// Package model is what the agent knows of a language model: messages, a request, the
// stream of an answer, and the Client that speaks to an endpoint.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"patchbay/backend/tool"
)

// Role is who wrote a Message.
type Role string

// The roles.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// Message is one entry of a conversation. The JSON form is what history keeps.
type Message struct {
	Role       Role           `json:"role"`
	Text       string         `json:"text"`
	Images     []tool.Content `json:"images,omitempty"`     // user messages, and image results for models that take them
	Attached   []Attachment   `json:"attached,omitempty"`   // user messages
	Reasoning  string         `json:"reasoning,omitempty"`  // assistant: shown folded; sent back to the endpoint it came from
	ReasonedAs string         `json:"reasonedAs,omitempty"` // the field it came in: reasoning_content or reasoning; "" for <think> tags
	ToolCalls  []ToolCall     `json:"toolCalls,omitempty"`  // assistant
	ToolCallID string         `json:"toolCallId,omitempty"` // tool
	Failed     bool           `json:"failed,omitempty"`     // tool: the result is an error
	Incomplete bool           `json:"incomplete,omitempty"` // assistant: the stream broke or was stopped
	AtMs       int64          `json:"atMs,omitempty"`       // milliseconds since 1970
}

// ToolCall is a call as the model made it. Arguments is always the text of a JSON object.
type ToolCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Arguments string          `json:"arguments"`
	Malformed string          `json:"malformed,omitempty"` // what the model wrote where that is no JSON object; Arguments is {} then
	Extra     json.RawMessage `json:"extra,omitempty"`     // unknown fields of the call, echoed as they came (Gemini's extra_content)
}

// Request is one request to a model.
type Request struct {
	Messages    []Message
	Tools       []tool.Spec
	MaxTokens   int      // of the answer, 0 leaves it to the client
	Temperature *float64 // nil leaves it to the endpoint
	Stop        []string // texts that end the answer
}

// ChunkKind says what a Chunk carries.
type ChunkKind string

// The kinds of Chunk.
const (
	TextChunk      ChunkKind = "text"
	ReasoningChunk ChunkKind = "reasoning"
	RetryChunk     ChunkKind = "retry" // the endpoint asked to wait; Wait says how long, Text why
)

// Chunk is a piece of an answer as it arrives.
type Chunk struct {
	Kind ChunkKind
	Text string
	Wait time.Duration
}

// Usage counts the tokens of one request as the endpoint reports them.
type Usage struct {
	Input     int `json:"input"`
	Output    int `json:"output"`
	Cached    int `json:"cached,omitempty"`    // of Input
	Reasoning int `json:"reasoning,omitempty"` // of Output
}

// Response is a whole answer.
type Response struct {
	Message Message
	Usage   *Usage // nil when the endpoint reports none
	Model   string // as the endpoint names it
}

// Client speaks to one model of one endpoint.
type Client interface {
	// Stream sends req and hands each chunk to sink, from one goroutine, as it arrives.
	// It returns the whole answer. When the stream breaks or ctx ends, the Response holds
	// what had arrived, marked Incomplete and without unfinished tool calls, beside the
	// error. Requests that were refused before any chunk (429, 5xx, dial errors) are
	// tried again, honouring Retry-After, within the client's limits.
	Stream(ctx context.Context, req Request, sink func(Chunk)) (Response, error)
}

// Code classifies a failed request.
type Code string

// The codes.
const (
	Unreachable Code = "unreachable"    // dial, DNS, TLS
	BadKey      Code = "unauthorized"   // 401, 403
	BadModel    Code = "model"          // 404 that names the model
	BadURL      Code = "wrong_url"      // 404, HTML, a body that is no stream
	RateLimited Code = "rate_limited"   // 429 after all tries
	Overloaded  Code = "overloaded"     // 5xx after all tries, or an error object in the stream
	TooLong     Code = "context_length" // the request does not fit the model's window
	BadRequest  Code = "bad_request"    // other 4xx
	Filtered    Code = "content_filter" // the endpoint declined to answer
	Broken      Code = "interrupted"    // the stream ended without a finish
	Stalled     Code = "stalled"        // nothing arrived within the idle limit
	Empty       Code = "empty"          // a finished answer without text and without calls
)

// Error is a failed request in words. It never holds a key.
type Error struct {
	Code    Code
	Status  int // HTTP status, 0 where none arrived
	Message string
}

// Error returns the sentence for people.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("%s (HTTP %d)", e.Message, e.Status)
	}
	return e.Message
}
