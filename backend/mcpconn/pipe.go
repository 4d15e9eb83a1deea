package mcpconn

import (
	"context"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxFrame is the largest message that is taken from a server.
const maxFrame = 16 << 20

// inbox is the reading half of every link: messages in order, until it is closed with the
// reason why.
type inbox struct {
	messages chan jsonrpc.Message
	over     chan struct{}

	mu  sync.Mutex
	err error // why it was closed; set before over is closed
}

func newInbox() *inbox {
	return &inbox{messages: make(chan jsonrpc.Message, 64), over: make(chan struct{})}
}

// put hands a message to the reader; false when the inbox is closed.
func (b *inbox) put(msg jsonrpc.Message) bool {
	select {
	case b.messages <- msg:
		return true
	case <-b.over:
		return false
	}
}

// end closes the inbox; the first reason stays.
func (b *inbox) end(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	select {
	case <-b.over:
	default:
		b.err = err
		close(b.over)
	}
}

func (b *inbox) fault() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Read returns the next message. What arrived before the end is still read.
func (b *inbox) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-b.messages:
		return msg, nil
	default:
	}
	select {
	case msg := <-b.messages:
		return msg, nil
	case <-b.over:
		select {
		case msg := <-b.messages:
			return msg, nil
		default:
		}
		if err := b.fault(); err != nil {
			return nil, err
		}
		return nil, io.EOF
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
