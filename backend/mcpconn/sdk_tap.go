package mcpconn

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is a transport of ours in the shape go-sdk takes.
type link interface {
	mcp.Connection
	// fault is the first thing that went wrong on the transport itself, nil when nothing did.
	fault() error
	// put hands a message to whoever reads; false when the link is over.
	put(msg jsonrpc.Message) bool
}

// tap stands between go-sdk and a link. It keeps the raw results of tools/list and
// tools/call and hands go-sdk empty ones: go-sdk decodes such a result as a whole, so that
// one malformed tool or one unknown content type would lose everything (T03).
type tap struct {
	link
	seen     func()                // called for every message that arrives
	progress func(json.RawMessage) // called with the params of notifications/progress
	asks     func(method string)   // called with what the server sends of its own accord
	probe    *probe
	ended    func(t *tap, listen *jsonrpc.Request, err error)
	listens  listens
	streams  streams
	frames   frames

	mu    sync.Mutex
	asked map[string]question        // by request id
	lists map[string]json.RawMessage // by cursor
	calls map[string]json.RawMessage // by progress token
	empty chan struct{}              // closed when asked is empty; nil when nobody waits
	forms formsSent
}

type question struct {
	method string
	key    string     // cursor or progress token
	raw    *rawAnswer // of a request of the library: where its result goes
}

func (c *conn) newTap(l link, p *probe) *tap {
	return &tap{
		link: l, probe: p, seen: c.sawMessage, progress: c.heardProgress, asks: c.asksBy, ended: c.streamEnded,
		frames: frames{tell: c.frame, open: map[exchange]opened{}},
		asked:  map[string]question{}, lists: map[string]json.RawMessage{}, calls: map[string]json.RawMessage{},
	}
}

// Connect makes the tap a mcp.Transport that is connected already.
func (t *tap) Connect(context.Context) (mcp.Connection, error) { return t, nil }

// Write sends a message.
func (t *tap) Write(ctx context.Context, msg jsonrpc.Message) error {
	req, ok := msg.(*jsonrpc.Request)
	if ok && req.ID.IsValid() {
		if err := t.probe.asks(req, t.giveUp); err != nil {
			return err
		}
		t.note(ctx, req)
		t.listens.sent(req)
		t.streams.sent(req)
	}
	if ok && req.Method == "notifications/cancelled" {
		t.streams.cancelled(cancelledID(req))
	}
	t.frames.sending(ctx, msg)
	err := t.link.Write(ctx, msg)
	t.frames.sent(msg, err)
	if ok && req.Method == "notifications/cancelled" {
		t.forget(cancelledID(req))
	}
	return err
}

// giveUp tells go-sdk that a server does not know server/discover, whatever it still says.
func (t *tap) giveUp(id jsonrpc.ID, instead *jsonrpc.Response) {
	t.link.put(instead)
	if l, ok := t.link.(interface{ drop(id string) }); ok {
		l.drop(idKey(id)) // a request of its own, which would stay open
	}
}

// cancelledID is the key of the request that a notifications/cancelled is about.
func cancelledID(req *jsonrpc.Request) string {
	var params struct {
		ID any `json:"requestId"`
	}
	_ = json.Unmarshal(req.Params, &params) // ours: it parses
	text, _ := json.Marshal(params.ID)
	return string(text)
}

// forget drops a question that was answered or cancelled.
func (t *tap) forget(id string) (q question, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	q, known = t.asked[id]
	delete(t.asked, id)
	if len(t.asked) == 0 && t.empty != nil {
		close(t.empty)
		t.empty = nil
	}
	return q, known
}

// quiet waits until every call was answered or its cancellation was sent, limit at most.
func (t *tap) quiet(limit time.Duration) {
	t.mu.Lock()
	if len(t.asked) == 0 {
		t.mu.Unlock()
		return
	}
	if t.empty == nil {
		t.empty = make(chan struct{})
	}
	empty := t.empty
	t.mu.Unlock()
	select {
	case <-empty:
	case <-time.After(limit):
	}
}

func (t *tap) note(ctx context.Context, req *jsonrpc.Request) {
	if raw, ok := ctx.Value(rawKey{}).(*rawAnswer); ok {
		t.mu.Lock()
		t.asked[idKey(req.ID)] = question{method: req.Method, raw: raw}
		t.mu.Unlock()
		return
	}
	if req.Method != "tools/list" && req.Method != "tools/call" {
		return
	}
	var params struct {
		Cursor string `json:"cursor"`
		Meta   struct {
			Token string `json:"progressToken"`
		} `json:"_meta"`
	}
	_ = json.Unmarshal(req.Params, &params) // ours: it parses
	key := params.Cursor
	if req.Method == "tools/call" {
		key = params.Meta.Token
	}
	t.mu.Lock()
	t.asked[idKey(req.ID)] = question{method: req.Method, key: key}
	t.mu.Unlock()
}

func idKey(id jsonrpc.ID) string {
	text, _ := json.Marshal(id.Raw())
	return string(text)
}

// Read returns the next message. Progress does not go through go-sdk, which may hand it on
// only after the call's answer.
func (t *tap) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		msg, err := t.link.Read(ctx)
		if err != nil {
			t.frames.over(err)
			return nil, err
		}
		if t.probe.own(msg) {
			return msg, nil
		}
		t.frames.received(msg)
		t.seen()
		switch m := msg.(type) {
		case *jsonrpc.Response:
			if t.probe.hears(m) {
				continue
			}
			req, unknown := t.streams.ended(idKey(m.ID))
			if req != nil {
				t.ended(t, req, m.Error)
			}
			if unknown {
				continue
			}
			return t.answered(m), nil
		case *jsonrpc.Request:
			t.asks(m.Method)
			if m.Method == "elicitation/create" {
				t.forms.keep(m.Params)
			}
			if m.Method == "notifications/progress" && !m.ID.IsValid() {
				t.progress(m.Params)
				continue
			}
			if m.Method == "notifications/subscriptions/acknowledged" {
				t.listens.acknowledged(m.Params)
			}
		}
		return msg, nil
	}
}

func (t *tap) answered(resp *jsonrpc.Response) *jsonrpc.Response {
	t.listens.answered(resp)
	q, known := t.forget(idKey(resp.ID))
	if !known || resp.Error != nil {
		return resp
	}
	return t.keep(q, resp)
}

// keep stores the raw result and returns the response that go-sdk gets in its place.
func (t *tap) keep(q question, resp *jsonrpc.Response) *jsonrpc.Response {
	var head struct {
		NextCursor any    `json:"nextCursor"`
		ResultType string `json:"resultType"`
	}
	_ = json.Unmarshal(resp.Result, &head) // what cannot be read is kept as it came
	if q.method != "tools/list" && head.ResultType == "input_required" {
		t.forms.keepAll(resp.Result)
		t.asksIn(resp.Result)
		return resp // a multi-round-trip request (2026-07-28): go-sdk answers it
	}
	if q.raw != nil {
		q.raw.result = resp.Result
		return &jsonrpc.Response{ID: resp.ID, Result: json.RawMessage(q.raw.instead)}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.method == "tools/call" {
		t.calls[q.key] = resp.Result
		return &jsonrpc.Response{ID: resp.ID, Result: json.RawMessage(`{"content":[]}`)}
	}
	t.lists[q.key] = resp.Result
	return &jsonrpc.Response{ID: resp.ID, Result: json.RawMessage(`{"tools":[]}`)}
}

func (t *tap) takeList(cursor string) (json.RawMessage, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	raw, ok := t.lists[cursor]
	delete(t.lists, cursor)
	return raw, ok
}

func (t *tap) takeCall(token string) (json.RawMessage, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	raw, ok := t.calls[token]
	delete(t.calls, token)
	return raw, ok
}
