package mcpconn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// sseLink speaks the HTTP+SSE transport of revision 2024-11-05 (basic/transports): a
// stream from the server, whose first event names the address that messages are posted to.
type sseLink struct {
	*inbox
	to      *endpoint
	post    *url.URL
	ctx     context.Context // of every request
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	notices sync.WaitGroup // being sent

	mu     sync.Mutex
	closed bool
}

// errNoEndpoint says that a stream began without the endpoint event.
var errNoEndpoint = errors.New("the stream does not begin with an endpoint event")

// openSSE opens the stream and waits for its endpoint event until ctx ends. The stream
// itself outlives ctx.
func openSSE(ctx context.Context, to *endpoint) (*sseLink, error) {
	l := &sseLink{inbox: newInbox(), to: to}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	stop := context.AfterFunc(ctx, l.cancel)
	events, body, err := l.open()
	if err != nil || !stop() {
		l.cancel()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	l.wg.Go(func() { l.read(events, body) })
	return l, nil
}

func (l *sseLink) open() (*eventReader, io.Closer, error) {
	req, err := l.to.request(l.ctx, http.MethodGet, l.to.url, nil)
	if err != nil {
		return nil, nil, err
	}
	resp, err := l.to.client.Do(req)
	if err != nil {
		return nil, nil, err
	}
	if resp.StatusCode != http.StatusOK || mediaType(resp) != "text/event-stream" {
		defer resp.Body.Close()
		return nil, nil, failed(resp)
	}
	events := newEventReader(resp.Body)
	ev, err := events.next()
	if err != nil || ev.name != "endpoint" {
		resp.Body.Close()
		return nil, nil, errNoEndpoint
	}
	l.post, err = resp.Request.URL.Parse(string(ev.data))
	if err != nil {
		resp.Body.Close()
		return nil, nil, fmt.Errorf("the endpoint event holds no address: %w", err)
	}
	if origin(l.post) != origin(l.to.url) {
		resp.Body.Close()
		return nil, nil, &redirectError{From: plainURL(l.to.url), To: plainURL(l.post)}
	}
	return events, resp.Body, nil
}

func (l *sseLink) read(events *eventReader, body io.Closer) {
	defer body.Close()
	for {
		ev, err := events.next()
		if err != nil {
			if errors.Is(err, errFrameTooLarge) {
				l.end(err)
			}
			l.end(io.EOF)
			return
		}
		messages, _ := l.to.decode(ev.data)
		for _, msg := range messages {
			l.put(msg)
		}
	}
}

// Write posts one message. It waits only for notifications/initialized, which must arrive
// before what follows; a request that cannot be delivered is answered with why. A server
// may hold the post of a request until its tool is done, so that has no limit of its own.
func (l *sseLink) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	req, isRequest := msg.(*jsonrpc.Request)
	done := make(chan struct{})
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return io.ErrClosedPipe
	}
	if isRequest && req.ID.IsValid() {
		l.wg.Go(func() {
			if err := l.deliver(l.ctx, data); err != nil {
				l.put(&jsonrpc.Response{ID: req.ID, Error: err})
			}
		})
	} else {
		l.notices.Go(func() {
			defer close(done)
			ctx, cancel := context.WithTimeout(l.ctx, notifyLimit)
			defer cancel()
			_ = l.deliver(ctx, data) // a notification has no answer
		})
	}
	l.mu.Unlock()
	if !isRequest || req.Method != "notifications/initialized" {
		return nil
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *sseLink) deliver(ctx context.Context, data []byte) error {
	req, err := l.to.request(ctx, http.MethodPost, l.post, data)
	if err != nil {
		return err
	}
	resp, err := l.to.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return failed(resp)
	}
	return nil
}

// Close ends the stream and every request.
func (l *sseLink) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.end(nil)
	waitFor(&l.notices, cancelLimit)
	l.cancel()
	l.notices.Wait()
	l.wg.Wait()
	return nil
}

// SessionID is empty: the transport has none.
func (l *sseLink) SessionID() string { return "" }
