package mcpconn

import "time"

// FrameKind says what a Frame is, in the words of JSON-RPC 2.0.
type FrameKind string

// The kinds of Frame.
const (
	RequestFrame      FrameKind = "request"
	ResponseFrame     FrameKind = "response"
	ErrorFrame        FrameKind = "error" // a response that is an error
	NotificationFrame FrameKind = "notification"
)

// Frame is one JSON-RPC message as it went over the wire.
type Frame struct {
	At     time.Time
	Out    bool // to the server
	Kind   FrameKind
	Method string // of requests and notifications; of responses that of their request
	ID     string // JSON text of the id, "" for notifications
	Body   []byte // JSON text, cut beyond a limit; secrets are masked when it is read, not here
	Size   int    // bytes of the whole message
}
