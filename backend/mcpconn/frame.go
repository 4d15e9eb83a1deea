package mcpconn

import "time"

// FrameKind says what a Frame is, in the words of JSON-RPC 2.0 where it is a message.
type FrameKind string

// The kinds of Frame.
const (
	RequestFrame      FrameKind = "request"
	ResponseFrame     FrameKind = "response"
	ErrorFrame        FrameKind = "error" // a response that is an error
	NotificationFrame FrameKind = "notification"
	// NoiseFrame is what a server sent in the place of a message and is none: a line of
	// stdout, an event of a stream.
	NoiseFrame FrameKind = "noise"
	// FailedFrame is no message: it says in words why a request got no response.
	FailedFrame FrameKind = "failed"
)

// AllFrameKinds lists every FrameKind.
var AllFrameKinds = []FrameKind{RequestFrame, ResponseFrame, ErrorFrame, NotificationFrame, NoiseFrame, FailedFrame}

// maxFrameBody is how many bytes of a Frame's body are kept.
const maxFrameBody = 64 << 10

// Frame is one JSON-RPC message as it went over the wire, or what took its place.
type Frame struct {
	At     time.Time
	Out    bool // to the server
	Kind   FrameKind
	Method string // of requests and notifications; of responses and failures that of their request
	ID     string // JSON text of the id, "" where there is none
	// Body is JSON text, or plain text of noise and failures, cut after 64 KiB. Secrets are in
	// it: it is shown only through a FrameMask.
	Body []byte
	Size int // bytes of the whole message
	// Pair is the number that Observer.Frame gave the request which this answers, fails or
	// cancels; 0 where there is none.
	Pair uint64
	Took time.Duration // since that request
}

// Cut reports whether Body is only the beginning.
func (f Frame) Cut() bool { return f.Size > len(f.Body) }
