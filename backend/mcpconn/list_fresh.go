package mcpconn

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"slices"
	"sync"
	"time"
)

// leastTools is how long a list of tools is kept, however short a time its server gives it.
// One that is stale at once is kept twice as long.
const leastTools = 30 * time.Second

// freshness is what the pages of one tools/list say of how long it holds (MCP 2026-07-28,
// server/utilities/caching): the shortest time counts.
type freshness struct {
	first [sha256.Size]byte // hash of the first page's tools
	pages int
	ttl   time.Duration
}

func (f *freshness) add(raw json.RawMessage) {
	var page struct {
		Tools json.RawMessage `json:"tools"`
		TTL   *float64        `json:"ttlMs"`
	}
	_ = json.Unmarshal(raw, &page) // what cannot be read says nothing
	if f.pages++; f.pages == 1 {
		f.first = hashOf(page.Tools)
	}
	if page.TTL == nil {
		page.TTL = new(float64) // it is stale at once
	}
	ttl := max(0, time.Duration(min(*page.TTL, float64(24*time.Hour/time.Millisecond)))*time.Millisecond)
	if f.pages == 1 || ttl < f.ttl {
		f.ttl = ttl
	}
}

func hashOf(tools json.RawMessage) [sha256.Size]byte {
	var flat bytes.Buffer
	if json.Compact(&flat, tools) != nil {
		return sha256.Sum256(tools)
	}
	return sha256.Sum256(flat.Bytes())
}

// freshList is how long the kept list of tools holds.
type freshList struct {
	mu     sync.Mutex
	first  [sha256.Size]byte
	timer  *time.Timer // asks for the list again
	untold bool        // the server refuses to tell of changes
}

// askRelist makes relistLoop read the list again.
func (c *conn) askRelist() {
	select {
	case c.relist <- struct{}{}:
	default: // one is asked for already
	}
}

// keepFresh asks for the list again when its time is over: seldom at the most, since a
// server that changes its tools more often tells of it.
func (c *conn) keepFresh(f freshness) {
	c.fresh.mu.Lock()
	defer c.fresh.mu.Unlock()
	c.fresh.first = f.first
	if c.fresh.timer != nil {
		c.fresh.timer.Stop()
		c.fresh.timer = nil
	}
	least := cmp.Or(c.a.d.opts.LeastTools, leastTools)
	after := max(f.ttl, least)
	if f.ttl == 0 {
		after = 2 * least
	}
	if c.life.Err() == nil && (c.fresh.untold || c.asksForTTL(f.ttl)) {
		c.fresh.timer = time.AfterFunc(after, c.askRelist)
	}
}

// untold notes that changes of the list have to be looked for.
func (c *conn) untold() {
	c.fresh.mu.Lock()
	defer c.fresh.mu.Unlock()
	c.fresh.untold = true
	if c.fresh.timer == nil && c.life.Err() == nil {
		c.fresh.timer = time.AfterFunc(2*cmp.Or(c.a.d.opts.LeastTools, leastTools), c.askRelist)
	}
}

// asksForTTL reports whether a ttl is one to keep: the revision has them, and a list that is
// stale at once is read again only where its changes are not told.
func (c *conn) asksForTTL(ttl time.Duration) bool {
	session := c.session.Load()
	if session == nil || session.InitializeResult().ProtocolVersion < modernRevision {
		return false
	}
	told := slices.Contains(capabilityNames(session.InitializeResult().Capabilities), "tools.listChanged")
	return ttl > 0 || !told
}

// compareFirst takes the first page of a list that was read as a sign of life: when it is
// not the kept one, the whole list is read again.
func (c *conn) compareFirst(raw json.RawMessage) {
	var now freshness
	now.add(raw)
	c.fresh.mu.Lock()
	same := c.fresh.first == now.first
	c.fresh.mu.Unlock()
	if !same {
		c.askRelist()
	}
}

// stopFresh ends the clock of the list.
func (c *conn) stopFresh() {
	c.fresh.mu.Lock()
	defer c.fresh.mu.Unlock()
	if c.fresh.timer != nil {
		c.fresh.timer.Stop()
	}
}
