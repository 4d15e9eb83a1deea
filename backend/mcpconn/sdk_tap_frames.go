package mcpconn

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// frames tells an Observer of the messages of one transport, and pairs responses with their
// requests. It works on every call, so it copies a message once and encodes nothing anew.
type frames struct {
	tell func(Frame) (number uint64)

	mu    sync.Mutex
	open  map[exchange]opened
	ended bool // the transport brings no more answers
}

// exchange names a request: both sides count their own ids.
type exchange struct {
	out bool
	id  string
}

// opened is a request that has no answer yet.
type opened struct {
	method    string
	number    uint64
	at        time.Time
	cancelled bool
}

// maxOpened is how many requests without an answer are remembered; beyond it cancelled ones,
// whose answers may never come, are forgotten.
const maxOpened = 1024

// frameKey is the context key of the *atomic.Uint64 that takes the number of a tools/call.
type frameKey struct{}

// sending tells of a message before it is sent, so that no answer can come before it.
func (f *frames) sending(ctx context.Context, msg jsonrpc.Message) {
	number := f.message(msg, true)
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "tools/call" && req.ID.IsValid() {
		if to, ok := ctx.Value(frameKey{}).(*atomic.Uint64); ok {
			to.Store(number)
		}
	}
}

// sent hears what became of sending a message.
func (f *frames) sent(msg jsonrpc.Message, err error) {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.ID.IsValid() {
		return
	}
	f.mu.Lock()
	ended := f.ended
	f.mu.Unlock()
	switch {
	case err != nil:
		f.failed(exchange{true, idKey(req.ID)}, "not sent: "+plainText(err))
	case ended:
		f.failed(exchange{true, idKey(req.ID)}, unansweredText)
	}
}

const unansweredText = "the connection ended before the response"

// received tells of a message that arrived. What a transport made of its own failure is
// none: it is told as such.
func (f *frames) received(msg jsonrpc.Message) {
	var rpc *jsonrpc.Error
	if resp, ok := msg.(*jsonrpc.Response); ok && resp.Error != nil && !errors.As(resp.Error, &rpc) {
		f.failed(exchange{true, idKey(resp.ID)}, wordsOf(resp.Error))
		return
	}
	f.message(msg, false)
}

// over tells that no more answers come: err is why.
func (f *frames) over(err error) {
	why := unansweredText
	if !errors.Is(err, io.EOF) {
		why += ": " + plainText(err)
	}
	f.mu.Lock()
	f.ended = true
	var waiting []exchange
	for x, o := range f.open {
		if x.out && !o.cancelled {
			waiting = append(waiting, x)
		}
	}
	f.mu.Unlock()
	for _, x := range waiting {
		f.failed(x, why)
	}
}

func (f *frames) message(msg jsonrpc.Message, out bool) (number uint64) {
	frame := Frame{At: time.Now(), Out: out}
	frame.Body, frame.Size = compose(msg)
	switch m := msg.(type) {
	case *jsonrpc.Request:
		frame.Method, frame.Kind = clipMethod(m.Method), NotificationFrame
		if m.ID.IsValid() {
			frame.Kind, frame.ID = RequestFrame, idKey(m.ID)
			return f.request(frame)
		}
		if m.Method == "notifications/cancelled" {
			f.cancels(&frame, cancelledID(m))
		}
	case *jsonrpc.Response:
		frame.Kind = ResponseFrame
		if m.Error != nil {
			frame.Kind = ErrorFrame
		}
		frame.ID = idKey(m.ID)
		f.pair(&frame, exchange{!out, frame.ID})
	}
	return f.tell(frame)
}

// request tells of a request and remembers it until it is answered.
func (f *frames) request(frame Frame) (number uint64) {
	number = f.tell(frame)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.open) >= maxOpened {
		for x, o := range f.open {
			if o.cancelled {
				delete(f.open, x)
			}
		}
	}
	if len(f.open) < maxOpened {
		f.open[exchange{frame.Out, frame.ID}] = opened{method: frame.Method, number: number, at: frame.At}
	}
	return number
}

// pair gives an answer what is known of its request, which is over with it.
func (f *frames) pair(frame *Frame, x exchange) (known bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	o, known := f.open[x]
	if known {
		delete(f.open, x)
		frame.Method, frame.Pair, frame.Took = o.method, o.number, frame.At.Sub(o.at)
	}
	return known
}

// cancels links a cancellation with its request, which goes the same way. An answer may
// still come.
func (f *frames) cancels(frame *Frame, id string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	x := exchange{frame.Out, id}
	if o, known := f.open[x]; known {
		frame.Pair, frame.Took = o.number, frame.At.Sub(o.at)
		o.cancelled = true
		f.open[x] = o
	}
}

// failed tells why a request has no response, unless it has one or was cancelled.
func (f *frames) failed(x exchange, why string) {
	f.mu.Lock()
	cancelled := f.open[x].cancelled
	f.mu.Unlock()
	frame := Frame{At: time.Now(), Out: !x.out, Kind: FailedFrame, ID: x.id}
	if f.pair(&frame, x) && !cancelled {
		frame.Body, frame.Size = cutText(why)
		f.tell(frame)
	}
}

// wordsOf is a failure of a transport with the answer that a server gave instead.
func wordsOf(err error) string {
	var status *statusError
	if errors.As(err, &status) && status.Body != "" {
		return plainText(err) + "\n\n" + status.Body
	}
	return plainText(err)
}

// maxMethod is the longest method that is told as such; the body has all of it.
const maxMethod = 200

func clipMethod(method string) string {
	if len(method) > maxMethod {
		return strings.ToValidUTF8(method[:maxMethod], "") + "…"
	}
	return method
}

func cutText(text string) (body []byte, size int) {
	return []byte(text[:min(len(text), maxFrameBody)]), len(text)
}

// compose writes a message as it is on the wire, as far as it is kept, and tells how long
// the whole is.
func compose(msg jsonrpc.Message) (body []byte, size int) {
	head := make([]byte, 0, 96)
	var rest json.RawMessage
	switch m := msg.(type) {
	case *jsonrpc.Request:
		head = append(head, `{"jsonrpc":"2.0"`...)
		if m.ID.IsValid() {
			head = append(append(head, `,"id":`...), idKey(m.ID)...)
		}
		method, _ := json.Marshal(m.Method) // a string always encodes
		head = append(append(head, `,"method":`...), method...)
		if rest = m.Params; len(rest) > 0 {
			head = append(head, `,"params":`...)
		}
	case *jsonrpc.Response:
		head = append(append(head, `{"jsonrpc":"2.0","id":`...), idKey(m.ID)...)
		if rest = m.Result; m.Error != nil {
			rest = errorText(m.Error)
			head = append(head, `,"error":`...)
		} else {
			head = append(head, `,"result":`...)
		}
	}
	size = len(head) + len(rest) + 1
	body = make([]byte, 0, min(size, maxFrameBody))
	body = append(body, head[:min(len(head), maxFrameBody)]...)
	body = append(body, rest[:min(len(rest), maxFrameBody-len(body))]...)
	if size <= maxFrameBody {
		body = append(body, '}')
	}
	return body, size
}

// errorText is an error as go-sdk writes it into a response.
func errorText(err error) json.RawMessage {
	var rpc *jsonrpc.Error
	if !errors.As(err, &rpc) {
		rpc = &jsonrpc.Error{Message: err.Error()}
	}
	text, err := json.Marshal(rpc)
	if err != nil {
		return json.RawMessage("null") // data that is no JSON cannot be written
	}
	return text
}
