package mcpconn

import (
	"context"
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
		c.renewLibrary()
	}
	return err
}

// reopen makes the new session and puts it in the place of the old one.
func (c *conn) reopen(old *mcp.ClientSession) error {
	before, ok := c.link().(*streamableLink)
	if !ok {
		return errExpired // only that transport has sessions
	}
	ctx, cancel := context.WithTimeoutCause(c.life, renewLimit, errTimeLimit)
	defer cancel()
	link := newStreamableLink(before.to, c.paramHeaders)
	tap := c.newTap(link, &probe{})
	session, err := c.client().Connect(ctx, tap, &mcp.ClientSessionOptions{ProtocolVersion: c.Info().Protocol})
	if err != nil {
		link.Close()
		return err
	}
	c.wires.Store(&wires{link: link, tap: tap})
	c.session.Store(session)
	before.Close()
	go func() { _ = old.Close() }() // its transport is closed: it ends at once
	if level := c.logLevel(); level != "" && c.Info().Protocol < modernRevision {
		_ = c.sendLogLevel(ctx, level) // refused: messages come as the server likes
	}
	return c.list(ctx)
}
