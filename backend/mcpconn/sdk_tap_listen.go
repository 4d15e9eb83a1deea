package mcpconn

import (
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// listens are the subscriptions/listen for one resource each (MCP 2026-07-28) whose outcome
// somebody waits for: go-sdk sends them and looks at no answer.
type listens struct {
	mu   sync.Mutex
	wait map[string]chan error // by URI, capacity 1
	uris map[string]string     // by request id
}

// errNotAgreed is a server's word that it will not tell of a resource.
var errNotAgreed = errors.New("it did not agree to that")

// expect registers who waits for the outcome; forget ends it.
func (l *listens) expect(uri string) (outcome <-chan error, forget func()) {
	c := make(chan error, 1)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.wait == nil {
		l.wait, l.uris = map[string]chan error{}, map[string]string{}
	}
	l.wait[uri] = c
	return c, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.wait[uri] == c {
			delete(l.wait, uri)
		}
	}
}

// followedBy are the resources that a listen, or its acknowledgement, is about.
func followedBy(params json.RawMessage) []string {
	var p struct {
		Notifications struct {
			URIs []string `json:"resourceSubscriptions"`
		} `json:"notifications"`
	}
	_ = json.Unmarshal(params, &p) // what cannot be read is about none
	return p.Notifications.URIs
}

// sent notes a request that goes out.
func (l *listens) sent(req *jsonrpc.Request) {
	if req.Method != "subscriptions/listen" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, uri := range followedBy(req.Params) {
		if l.wait[uri] != nil {
			l.uris[idKey(req.ID)] = uri
		}
	}
}

// acknowledged takes a notifications/subscriptions/acknowledged. It names its listen only
// by what was agreed to, so that one that agrees to nothing is for whoever waits.
func (l *listens) acknowledged(params json.RawMessage) {
	agreed := followedBy(params)
	var listsToo struct {
		Notifications map[string]json.RawMessage `json:"notifications"`
	}
	_ = json.Unmarshal(params, &listsToo)
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, uri := range l.uris {
		switch {
		case slices.Contains(agreed, uri):
			l.settleLocked(id, nil)
		case len(agreed) == 0 && len(listsToo.Notifications) == 0 && len(l.uris) == 1:
			l.settleLocked(id, errNotAgreed)
		}
	}
}

// answered takes a response: an error is a refusal.
func (l *listens) answered(resp *jsonrpc.Response) {
	l.mu.Lock()
	defer l.mu.Unlock()
	id := idKey(resp.ID)
	if _, ours := l.uris[id]; !ours {
		return
	}
	err := resp.Error
	if err == nil {
		err = errNotAgreed // a listen that ends at once tells of nothing
	}
	l.settleLocked(id, err)
}

func (l *listens) settleLocked(id string, err error) {
	if c := l.wait[l.uris[id]]; c != nil {
		c <- err
		delete(l.wait, l.uris[id])
	}
	delete(l.uris, id)
}
