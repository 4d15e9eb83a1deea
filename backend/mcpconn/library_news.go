package mcpconn

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxFollowed is how many resources of a server can be subscribed to.
	maxFollowed = 200
	// followLimit is how long a subscription may take.
	followLimit = 10 * time.Second
)

// hearLibrary sets what go-sdk tells of the library.
func (c *conn) hearLibrary(o *mcp.ClientOptions) {
	o.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) { c.resourcesStale() }
	o.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) { c.promptsStale() }
	o.ResourceUpdatedHandler = func(_ context.Context, req *mcp.ResourceUpdatedNotificationRequest) {
		c.shelf.mu.Lock()
		muted := c.shelf.muted[req.Params.URI]
		c.shelf.mu.Unlock()
		if !muted {
			c.obs.ResourceUpdated(req.Params.URI)
		}
	}
}

// resourcesStale drops both lists of resources at once and tells of it a little later.
func (c *conn) resourcesStale() {
	c.shelf.resources.drop()
	c.shelf.templates.drop()
	c.tellLater(func(s *shelf) { s.resourcesChanged = true })
}

func (c *conn) promptsStale() {
	c.shelf.prompts.drop()
	c.tellLater(func(s *shelf) { s.promptsChanged = true })
}

func (c *conn) tellLater(mark func(*shelf)) {
	c.shelf.mu.Lock()
	mark(c.shelf)
	c.shelf.mu.Unlock()
	select {
	case c.shelf.news <- struct{}{}:
	default: // it is about to be told
	}
}

// libraryLoop tells that lists changed, once for several notices.
func (c *conn) libraryLoop() {
	defer c.Forget()
	for c.awaitNews(c.shelf.news) {
		c.shelf.mu.Lock()
		resources, prompts := c.shelf.resourcesChanged, c.shelf.promptsChanged
		c.shelf.resourcesChanged, c.shelf.promptsChanged = false, false
		c.shelf.mu.Unlock()
		if resources {
			c.obs.ResourcesChanged()
		}
		if prompts {
			c.obs.PromptsChanged()
		}
	}
}

// Subscribe says whether changes of a resource are to be told.
func (c *conn) Subscribe(ctx context.Context, uri string, on bool) error {
	server := c.target.Definition.Name
	if on && !c.declares("resources.subscribe") {
		return fmt.Errorf("MCP server %s does not offer to tell of changes", server)
	}
	c.shelf.mu.Lock()
	already, full := c.shelf.followed[uri] == on, len(c.shelf.followed) >= maxFollowed
	c.shelf.mu.Unlock()
	switch {
	case already:
		return nil
	case on && full:
		return fmt.Errorf("%d resources of MCP server %s are followed already. Leave one first", maxFollowed, server)
	}
	if err := c.follow(ctx, uri, on); err != nil {
		return err
	}
	c.shelf.mu.Lock()
	defer c.shelf.mu.Unlock()
	delete(c.shelf.followed, uri)
	delete(c.shelf.muted, uri)
	if on {
		c.shelf.followed[uri] = true
	} else if c.keepsListening() {
		c.shelf.muted[uri] = true
	}
	return nil
}

// keepsListening reports whether a subscription that is left stays open at the server: on
// one stream for everything, servers on go-sdk 1.8 forget with one subscriptions/listen
// that ends every other of the connection, the one for list changes too.
func (c *conn) keepsListening() bool {
	_, http := c.link().(*streamableLink)
	return !http && c.Info().Protocol >= modernRevision
}

// follow asks for it: resources/subscribe, or a stream of its own in 2026-07-28.
func (c *conn) follow(ctx context.Context, uri string, on bool) error {
	r := request{what: "tell of changes of " + uri, limit: followLimit, instead: "{}",
		send: func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return struct{}{}, s.Subscribe(ctx, &mcp.SubscribeParams{URI: uri})
		}}
	leave := request{what: "leave off telling of changes of " + uri, limit: followLimit, instead: "{}",
		send: func(ctx context.Context, s *mcp.ClientSession) (any, error) {
			return struct{}{}, s.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: uri})
		}}
	c.shelf.mu.Lock()
	muted := c.shelf.muted[uri]
	c.shelf.mu.Unlock()
	if !on && c.keepsListening() || on && muted {
		return nil
	}
	if !on {
		_, err := c.fetch(ctx, leave)
		return err
	}
	if c.Info().Protocol < modernRevision {
		_, err := c.fetch(ctx, r)
		return err
	}
	outcome, forget := c.wires.Load().tap.listens.expect(uri)
	defer forget()
	if _, err := c.fetch(ctx, r); err != nil {
		return err
	}
	ctx, stop := c.within(ctx, followLimit)
	defer stop()
	var err error
	select {
	case err = <-outcome:
		if err == nil {
			return nil
		}
		err = c.refusal(c.firstFault(err), r)
	case <-ctx.Done():
		err = c.cutShort(context.Cause(ctx), r)
	}
	_, _ = c.fetch(c.life, leave) // or go-sdk takes it for subscribed
	return err
}

// renewLibrary brings a renewed session to where the old one was: it knows of no
// subscription, and what changed meanwhile was not told.
func (c *conn) renewLibrary() {
	c.resourcesStale()
	c.promptsStale()
	c.shelf.mu.Lock()
	followed := slices.Collect(maps.Keys(c.shelf.followed))
	c.shelf.mu.Unlock()
	if len(followed) == 0 {
		return
	}
	c.wg.Go(func() {
		for _, uri := range followed {
			if err := c.follow(c.life, uri, true); err != nil && c.life.Err() == nil {
				c.obs.Log("warning", err.Error())
			}
			c.obs.ResourceUpdated(uri)
		}
	})
}
