// Package tool is what the agent knows of a tool: its description, a call of it, the
// result, and the immutable Table that one model request offers and is routed by.
package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Spec describes one tool as the model sees it.
type Spec struct {
	Name         string          // as the model sees it: [A-Za-z0-9_-]{1,64}
	Description  string          // as the server wrote it
	Parameters   json.RawMessage // JSON Schema of the arguments; the root is an object with properties
	OutputSchema json.RawMessage // JSON Schema of the structured result, nil where none is declared
	Server       string          // service id of the owner, "" for a built-in tool
	Original     string          // the owner's own name for it
	Title        string          // for people, "" where none is declared
	Annotations  Annotations     // hints of the owner; a hint alone never skips a question
	Hash         string          // over name, description and schemas as the owner wrote them: what a grant is bound to
}

// Annotations are the hints of MCP's ToolAnnotations (specification, server/tools), nil
// where the server does not say.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// SaysReadOnly reports whether the owner declares that the tool changes nothing.
func (a Annotations) SaysReadOnly() bool { return a.ReadOnly != nil && *a.ReadOnly }

// SaysRepeatable reports whether the owner declares that a second call does no harm.
func (a Annotations) SaysRepeatable() bool {
	return a.SaysReadOnly() || a.Idempotent != nil && *a.Idempotent
}

// Call is one call as the model made it.
type Call struct {
	ID        string
	Name      string          // as the model sees it
	Arguments json.RawMessage // a JSON object
}

// ContentKind says what a Content holds; the words are MCP's content types, and
// "structured" for structuredContent.
type ContentKind string

// The kinds of Content.
const (
	Text         ContentKind = "text"
	Image        ContentKind = "image"
	Audio        ContentKind = "audio"
	Resource     ContentKind = "resource"
	ResourceLink ContentKind = "resource_link"
	Structured   ContentKind = "structured"
)

// AllContentKinds lists every ContentKind.
var AllContentKinds = []ContentKind{Text, Image, Audio, Resource, ResourceLink, Structured}

// Content is one part of a result.
type Content struct {
	Kind     ContentKind     `json:"kind"`
	Text     string          `json:"text,omitempty"`
	MIMEType string          `json:"mimeType,omitempty"`
	Data     []byte          `json:"data,omitempty"` // image, audio and binary resources
	URI      string          `json:"uri,omitempty"`
	Name     string          `json:"name,omitempty"`
	JSON     json.RawMessage `json:"json,omitempty"` // structured
}

// Result is the answer to a call. A tool that goes wrong is a Result with OK false: text
// for the model, never a Go error.
type Result struct {
	OK      bool
	Content []Content
	Took    time.Duration
	// Reason is "" when the tool itself answered, else why the host answered in its place.
	Reason Reason
	// Warning is what the host noticed about an answer that it hands on all the same, "" for
	// nothing: one sentence, for people and for the model.
	Warning string `json:",omitempty"`
	// Frame is the number of the call's request among its server's frames, 0 for none.
	Frame uint64 `json:",omitempty"`
}

// Reason says why the host answered a call in the tool's place.
type Reason string

// The reasons.
const (
	ReasonNone     Reason = ""
	Rejected       Reason = "rejected"       // an approval was refused
	Cancelled      Reason = "cancelled"      // the turn or the call was stopped
	TimedOut       Reason = "timed_out"      // no progress within the limit, or the absolute limit
	ServerGone     Reason = "server_gone"    // the server left while in flight: lost, restarted, edited
	Withdrawn      Reason = "withdrawn"      // the server was taken out by hand meanwhile: paused, disabled, removed
	NotOpen        Reason = "not_open"       // not in the table of its request
	BadArguments   Reason = "bad_arguments"  // not a JSON object, or refused by the schema
	ProtocolFailed Reason = "protocol_error" // JSON-RPC error or an answer that is not MCP
)

// Failed returns a failed Result with one text.
func Failed(reason Reason, text string) Result {
	return Result{Reason: reason, Content: []Content{{Kind: Text, Text: text}}}
}

// OKText returns a successful Result with one text.
func OKText(text string) Result {
	return Result{OK: true, Content: []Content{{Kind: Text, Text: text}}}
}

// Progress is one notifications/progress of a running call (MCP, basic/utilities/progress).
type Progress struct {
	Progress float64
	Total    float64 // 0 when the server does not know
	Message  string
}

// Invoke runs a tool. It returns when the tool answered or ctx ended, never later than a
// moment after ctx. onProgress may be nil and is called from one goroutine at a time.
type Invoke func(ctx context.Context, call Call, onProgress func(Progress)) Result

// Entry is a tool that can be called.
type Entry struct {
	Spec
	Invoke Invoke
	// Parallel reports whether this call may run beside others of the same step.
	Parallel bool
	// Withdrawn is closed when the owner leaves the surface (paused, disabled, edited,
	// lost): an open approval of a call to it is withdrawn. nil for built-in tools.
	Withdrawn <-chan struct{}
}
