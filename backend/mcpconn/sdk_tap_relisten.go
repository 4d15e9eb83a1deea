package mcpconn

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// streams are the subscriptions/listen that are open (MCP 2026-07-28): go-sdk sends them and
// does not notice that one ends while the connection goes on.
type streams struct {
	mu   sync.Mutex
	open map[string]*jsonrpc.Request // by id
	ours map[string]bool             // ids that go-sdk does not know
	made int                         // opened again so far
	last time.Time                   // when one was
	wait time.Duration               // before the next
}

// sent notes a listen that goes out.
func (s *streams) sent(req *jsonrpc.Request) {
	if req.Method != "subscriptions/listen" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open, s.ours = map[string]*jsonrpc.Request{}, map[string]bool{}
	}
	s.open[idKey(req.ID)] = req
}

// cancelled forgets a listen that is no longer wanted.
func (s *streams) cancelled(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, id)
}

// ended takes a response; nil when it ends no listen that is wanted. go-sdk must not hear
// of one that it does not know.
func (s *streams) ended(id string) (req *jsonrpc.Request, unknown bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	req, unknown = s.open[id], s.ours[id]
	delete(s.open, id)
	delete(s.ours, id)
	return req, unknown
}

// again is the request that opens a listen anew, and how long to wait with it.
func (s *streams) again(req *jsonrpc.Request) (*jsonrpc.Request, time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wait == 0 || time.Since(s.last) > reopenMost {
		s.wait = reopenFirst
	}
	wait := s.wait
	s.made++
	s.last, s.wait = time.Now().Add(wait), min(2*wait, reopenMost)
	id, err := jsonrpc.MakeID("listen-again-" + strconv.Itoa(s.made))
	if err != nil {
		return nil, 0 // a string always is an id
	}
	next := &jsonrpc.Request{ID: id, Method: req.Method, Params: req.Params}
	s.ours[idKey(id)] = true
	return next, wait
}

// streamEnded is called with the response to a listen. One that a server ended is opened
// again, and what may have been missed is read again; over Streamable HTTP the link does so
// (streamable_listen.go). One that was refused is not: then changes are not told.
func (c *conn) streamEnded(t *tap, req *jsonrpc.Request, err error) {
	_, http := t.link.(*streamableLink)
	lists := len(followedBy(req.Params)) == 0
	switch {
	case c.life.Err() != nil:
	case err != nil && lists:
		c.obs.Log("warning", "the server declares list_changed but refuses to tell of it: "+c.a.mask.hide(plainText(err)))
		c.untold()
	case err != nil || http:
	default:
		next, wait := t.streams.again(req)
		time.AfterFunc(wait, func() { c.listenAgain(t, next) })
	}
}

func (c *conn) listenAgain(t *tap, req *jsonrpc.Request) {
	if c.life.Err() != nil || c.wires.Load().tap != t {
		return
	}
	ctx, cancel := context.WithTimeout(c.life, notifyLimit)
	defer cancel()
	t.streams.sent(req)
	if t.link.Write(ctx, req) != nil {
		return // the connection is over, which its reader says
	}
	for _, notice := range missedBy(req) {
		t.link.put(notice)
	}
}
