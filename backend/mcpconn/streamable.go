package mcpconn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	versionHeader = "MCP-Protocol-Version"
	lastEventID   = "Last-Event-ID"

	notifyLimit = 10 * time.Second // for a notification to be taken
	deleteLimit = 2 * time.Second  // for the DELETE at the end
	listenGrace = time.Second      // a call waits so long for the first answer to the stream's request
	reopenFirst = time.Second      // between two streams that ended without an event
	reopenMost  = 30 * time.Second
	reopenTries = 3 // dials refused in a row after which the server is gone
)

// streamableLink speaks the Streamable HTTP transport (MCP, basic/transports): with
// sessions and a stream of the server's own messages in the revisions with initialize, and
// stateless in 2026-07-28, whose requests name their revision, method and object in
// headers. Each message has a request of its own, so that one that hangs delays no other;
// the stream is opened in the background and opened again as often as a proxy cuts it
// (R05, R06).
type streamableLink struct {
	*inbox
	to      *endpoint
	params  func(*jsonrpc.Request) map[string]string // headers made from arguments
	ctx     context.Context                          // of every request
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	notices sync.WaitGroup // being sent

	listened chan struct{} // closed when the stream's first request was answered, or waited for long enough

	mu       sync.Mutex
	session  string
	version  string                        // negotiated, sent from then on
	requests map[string]context.CancelFunc // running, by id
	closed   bool
}

func newStreamableLink(to *endpoint, params func(*jsonrpc.Request) map[string]string) *streamableLink {
	l := &streamableLink{inbox: newInbox(), to: to, params: params, requests: map[string]context.CancelFunc{}, listened: make(chan struct{})}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// start runs f in a group unless the link is closed.
func (l *streamableLink) start(group *sync.WaitGroup, f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	group.Go(f)
	return true
}

// Write sends one message. It waits for notifications, whose order matters; a request's
// outcome, good or bad, arrives as its response.
func (l *streamableLink) Write(ctx context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encode a message: %w", err)
	}
	req, isRequest := msg.(*jsonrpc.Request)
	if isRequest && req.ID.IsValid() {
		if !l.start(&l.wg, func() { l.call(req, data) }) {
			return io.ErrClosedPipe
		}
		return nil
	}
	done := make(chan struct{})
	if !l.start(&l.notices, func() { defer close(done); l.notify(req, data) }) {
		return io.ErrClosedPipe
	}
	if !isRequest || req.Method != "notifications/initialized" {
		return nil
	}
	select {
	case <-done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	l.start(&l.wg, l.listen)
	return nil
}

// notify posts a notification, or a response (then req is nil). The request that a
// cancellation is about ends with it: its server may never answer.
func (l *streamableLink) notify(req *jsonrpc.Request, data []byte) {
	ctx, cancel := context.WithTimeout(l.ctx, notifyLimit)
	defer cancel()
	if req != nil && req.Method == "notifications/cancelled" {
		defer l.drop(cancelledID(req))
	}
	if resp, err := l.post(ctx, data, nil); err == nil {
		_ = resp.Body.Close() // a notification has no answer
	}
}

// open gives a request a context that drop ends.
func (l *streamableLink) open(req *jsonrpc.Request) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(l.ctx)
	id := idKey(req.ID)
	l.mu.Lock()
	l.requests[id] = cancel
	l.mu.Unlock()
	return ctx, func() { l.drop(id) }
}

func (l *streamableLink) drop(id string) {
	l.mu.Lock()
	cancel := l.requests[id]
	delete(l.requests, id)
	l.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// post sends a body with the session's headers.
func (l *streamableLink) post(ctx context.Context, data []byte, extra map[string]string) (*http.Response, error) {
	req, err := l.to.request(ctx, http.MethodPost, l.to.url, data)
	if err != nil {
		return nil, err
	}
	l.sign(req)
	for name, value := range extra {
		req.Header.Set(name, value)
	}
	return l.to.client.Do(req)
}

// requestHeaders are what revision 2026-07-28 wants beside the body: its revision, which
// is in the request's _meta, what the request is about, and the arguments that its tool
// wants there. Other requests have none.
func (l *streamableLink) requestHeaders(req *jsonrpc.Request) map[string]string {
	var params struct {
		Meta map[string]any `json:"_meta"`
		Name string         `json:"name"`
		URI  string         `json:"uri"`
	}
	if json.Unmarshal(req.Params, &params) != nil {
		return nil
	}
	version, _ := params.Meta[mcp.MetaKeyProtocolVersion].(string)
	if version < modernRevision {
		return nil
	}
	headers := map[string]string{versionHeader: version, "Mcp-Method": req.Method}
	if object := params.Name + params.URI; object != "" {
		headers["Mcp-Name"] = nameValue(object)
	}
	maps.Copy(headers, l.params(req))
	return headers
}

func (l *streamableLink) sign(req *http.Request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.session != "" {
		req.Header.Set(sessionHeader, l.session)
	}
	if l.version != "" {
		req.Header.Set(versionHeader, l.version)
	}
}

// call sends a request and puts its response into the inbox, whatever happens.
func (l *streamableLink) call(req *jsonrpc.Request, data []byte) {
	if err := l.exchange(req, data); err != nil {
		l.put(&jsonrpc.Response{ID: req.ID, Error: err})
	}
}

func (l *streamableLink) exchange(req *jsonrpc.Request, data []byte) error {
	ctx, done := l.open(req)
	defer done()
	if req.Method == "subscriptions/listen" {
		return l.subscribe(ctx, req, data)
	}
	headers := l.requestHeaders(req)
	if req.Method == "tools/call" && headers == nil {
		l.awaitListening(ctx)
	}
	resp, err := l.post(ctx, data, headers)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return l.refused(resp)
	}
	if req.Method == "initialize" {
		l.mu.Lock()
		l.session = resp.Header.Get(sessionHeader)
		l.mu.Unlock()
	}
	switch mediaType(resp) {
	case "application/json":
		messages, err := readJSON(resp)
		if err != nil {
			return err
		}
		return l.deliver(req, messages)
	case "text/event-stream":
		return l.stream(ctx, req, resp)
	}
	return failed(resp)
}

// refused is why an answer is no success.
func (l *streamableLink) refused(resp *http.Response) error {
	status := failed(resp)
	l.mu.Lock()
	inSession := l.session != ""
	l.mu.Unlock()
	if status.Status == http.StatusNotFound && inSession {
		return errExpired
	}
	if rpc := rpcError(status.Body); rpc != nil {
		return rpc
	}
	return status
}

// deliver puts messages into the inbox; the answer to req must be among them.
func (l *streamableLink) deliver(req *jsonrpc.Request, messages []jsonrpc.Message) error {
	answered := false
	for _, msg := range messages {
		if resp, ok := msg.(*jsonrpc.Response); ok && resp.ID == req.ID {
			answered = true
			l.learn(req, resp)
		}
		l.put(msg)
	}
	if !answered {
		return errors.New("the server's answer holds no response to the request")
	}
	return nil
}

// learn takes the negotiated revision from the answer to initialize.
func (l *streamableLink) learn(req *jsonrpc.Request, resp *jsonrpc.Response) {
	if req.Method != "initialize" {
		return
	}
	var result struct {
		Version string `json:"protocolVersion"`
	}
	if json.Unmarshal(resp.Result, &result) == nil {
		l.mu.Lock()
		l.version = result.Version
		l.mu.Unlock()
	}
}

// stream reads the events of one answer, and goes on with Last-Event-ID when the
// connection is cut after an event that had an id.
func (l *streamableLink) stream(ctx context.Context, req *jsonrpc.Request, resp *http.Response) error {
	body, id, wait := resp.Body, "", reopenFirst
	for tries := 0; ; tries++ {
		events := newEventReader(body)
		for {
			ev, err := events.next()
			if errors.Is(err, errFrameTooLarge) {
				return err
			}
			if err != nil {
				break
			}
			if messages, ok := l.to.decode(ev.data); ok && l.deliver(req, messages) == nil {
				return nil
			}
		}
		if events.id != "" {
			id, tries = events.id, 0
		}
		if events.retry > 0 {
			wait = events.retry
		}
		if id == "" || tries >= reopenTries || !pause(ctx, wait) {
			return errors.New("the stream ended before the response")
		}
		again, err := l.get(ctx, id)
		if err != nil {
			return fmt.Errorf("the stream ended before the response: %w", err)
		}
		defer again.Body.Close()
		body = again.Body
	}
}

func decodeData(data []byte) ([]jsonrpc.Message, bool) {
	if len(data) == 0 {
		return nil, false
	}
	return decodeFrame(data)
}

// pause reports whether ctx still lives after d.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// Close ends every request of the link and tells the server that the session is over.
func (l *streamableLink) Close() error {
	l.mu.Lock()
	already := l.closed
	l.closed = true
	session := l.session
	l.mu.Unlock()
	if already {
		return nil
	}
	l.end(nil)
	waitFor(&l.notices, cancelLimit)
	l.cancel()
	l.notices.Wait()
	l.wg.Wait()
	if session == "" || errors.Is(l.fault(), errExpired) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), deleteLimit)
	defer cancel()
	req, err := l.to.request(ctx, http.MethodDelete, l.to.url, nil)
	if err != nil {
		return err
	}
	l.sign(req)
	resp, err := l.to.client.Do(req)
	if err != nil {
		return nil // the server is gone, and its session with it
	}
	return resp.Body.Close()
}

// SessionID is the server's id of the session.
func (l *streamableLink) SessionID() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.session
}
