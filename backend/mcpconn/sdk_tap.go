package mcpconn

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// link is a transport of ours in the shape go-sdk takes.
type link interface {
	mcp.Connection
	// fault is the first thing that went wrong on the transport itself, nil when nothing did.
	fault() error
}

// tap stands between go-sdk and a link. It keeps the raw results of tools/list and
// tools/call and hands go-sdk empty ones: go-sdk decodes such a result as a whole, so that
// one malformed tool or one unknown content type would lose everything (T03).
type tap struct {
	link
	seen func() // called for every message that arrives

	mu    sync.Mutex
	asked map[string]question        // by request id
	lists map[string]json.RawMessage // by cursor
	calls map[string]json.RawMessage // by progress token
}

type question struct {
	method string
	key    string // cursor or progress token
}

func newTap(l link, seen func()) *tap {
	return &tap{
		link: l, seen: seen,
		asked: map[string]question{}, lists: map[string]json.RawMessage{}, calls: map[string]json.RawMessage{},
	}
}

// Connect makes the tap a mcp.Transport that is connected already.
func (t *tap) Connect(context.Context) (mcp.Connection, error) { return t, nil }

func (t *tap) Write(ctx context.Context, msg jsonrpc.Message) error {
	if req, ok := msg.(*jsonrpc.Request); ok && req.ID.IsValid() {
		t.note(req)
	}
	return t.link.Write(ctx, msg)
}

func (t *tap) note(req *jsonrpc.Request) {
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

func (t *tap) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := t.link.Read(ctx)
	if err != nil {
		return nil, err
	}
	t.seen()
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		return msg, nil
	}
	t.mu.Lock()
	q, known := t.asked[idKey(resp.ID)]
	delete(t.asked, idKey(resp.ID))
	t.mu.Unlock()
	if !known || resp.Error != nil {
		return msg, nil
	}
	return t.keep(q, resp), nil
}

// keep stores the raw result and returns the response that go-sdk gets in its place.
func (t *tap) keep(q question, resp *jsonrpc.Response) *jsonrpc.Response {
	var head struct {
		NextCursor any    `json:"nextCursor"`
		ResultType string `json:"resultType"`
	}
	_ = json.Unmarshal(resp.Result, &head) // what cannot be read is kept as it came
	if q.method == "tools/call" && head.ResultType == "input_required" {
		return resp // a multi-round-trip request (2026-07-28): go-sdk answers it
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
