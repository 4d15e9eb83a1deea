package mcpconn

import (
	"context"
	"io"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// renewLimit is how long a new handshake may take.
const renewLimit = 15 * time.Second

// renew opens a new session after the server forgot old (R01): once for all calls that
// noticed it together.
func (c *conn) renew(ctx context.Context, old *mcp.ClientSession) error {
	c.mu.Lock()
	for c.renewing != nil {
		running := c.renewing
		c.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		c.mu.Lock()
	}
	if c.session.Load() != old {
		c.mu.Unlock()
		return nil // another call has renewed it
	}
	if c.closing {
		c.mu.Unlock()
		return context.Cause(c.life)
	}
	c.renewing = make(chan struct{})
	c.mu.Unlock()
	err := c.reopen(old)
	c.mu.Lock()
	close(c.renewing)
	c.renewing = nil
	if err == nil {
		c.recovered++
	}
	c.mu.Unlock()
	if err == nil {
		c.obs.ToolsChanged()
	}
	return err
}

// reopen makes the new session and puts it in the place of the old one.
func (c *conn) reopen(old *mcp.ClientSession) error {
	ctx, cancel := context.WithTimeoutCause(c.life, renewLimit, errTimeLimit)
	defer cancel()
	before := c.wires.Load().link
	link := newStreamableLink(before.(*streamableLink).to)
	tap := newTap(link, c.sawMessage)
	session, err := c.client().Connect(ctx, tap, &mcp.ClientSessionOptions{ProtocolVersion: c.Info().Protocol})
	if err != nil {
		link.Close()
		return err
	}
	c.wires.Store(&wires{link: link, tap: tap})
	c.session.Store(session)
	before.Close()
	go func() { _ = old.Close() }() // its transport is closed: it ends at once
	return c.list(ctx)
}

// openModern is the transport of revision 2026-07-28, which is go-sdk's own: it has no
// sessions, so that nothing of ours has to stand between.
func (c *conn) openModern(to *endpoint) mcp.Transport {
	ctx, cancel := context.WithCancel(context.Background())
	c.kill = cancel
	client := *to.client
	client.Transport = &boundTripper{to: to, life: ctx, next: to.client.Transport}
	return &mcp.StreamableClientTransport{Endpoint: to.url.String(), HTTPClient: &client, MaxRetries: -1, DisableStandaloneSSE: true}
}

// boundTripper adds the definition's headers to requests of its origin, and ends every
// request with the connection.
type boundTripper struct {
	to   *endpoint
	life context.Context
	next http.RoundTripper
}

// RoundTrip sends one request. Its context ends with the connection, and lives as long as
// the body of the answer.
func (t *boundTripper) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancel(req.Context())
	stop := context.AfterFunc(t.life, cancel)
	release := func() { stop(); cancel() }
	req = req.Clone(ctx)
	if origin(req.URL) == origin(t.to.url) {
		for name, value := range t.to.headers {
			if req.Header.Get(name) == "" {
				req.Header.Set(name, value)
			}
		}
	}
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		release()
		return nil, err
	}
	resp.Body = &releasingBody{resp.Body, release}
	return resp, nil
}

// releasingBody lets go of its request's context when it is closed.
type releasingBody struct {
	io.ReadCloser
	release func()
}

// Close closes the body.
func (b *releasingBody) Close() error {
	defer b.release()
	return b.ReadCloser.Close()
}
