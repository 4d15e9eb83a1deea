package mcpauth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
)

// listener keeps what a connection tells.
type listener struct {
	mcptest.Deaf
	mu   sync.Mutex
	told []string
}

func (l *listener) tell(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, text)
}

func (l *listener) Log(level, text string) { l.tell(level + " " + text) }

func (l *listener) Frame(f mcpconn.Frame) uint64 {
	if f.Cut() {
		l.tell("cut: " + string(f.Body))
	}
	l.tell(string(f.Body))
	return 1
}

// echoing is an MCP server that says the token it was sent wherever it can.
func echoing(w http.ResponseWriter, r *http.Request) {
	token := r.Header.Get("Authorization")
	var asked struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Name            string `json:"name"`
			ProtocolVersion string `json:"protocolVersion"`
		} `json:"params"`
	}
	switch err := json.NewDecoder(r.Body).Decode(&asked); {
	case token == "":
		w.WriteHeader(http.StatusUnauthorized)
		return
	case err != nil || r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case len(asked.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
		return
	}
	_, token, _ = strings.Cut(token, " ")
	var result any
	switch asked.Method + " " + asked.Params.Name {
	case "initialize ":
		result = map[string]any{"protocolVersion": asked.Params.ProtocolVersion, "capabilities": map[string]any{"tools": map[string]any{}}, "serverInfo": map[string]any{"name": "echo", "version": "1"}}
	case "tools/list ":
		var tools []any
		for _, name := range []string{"result", "error", "status"} {
			tools = append(tools, map[string]any{"name": name, "inputSchema": map[string]any{"type": "object"}})
		}
		result = map[string]any{"tools": tools}
	case "tools/call result":
		result = map[string]any{"content": []any{map[string]any{"type": "text", "text": "you sent " + token + strings.Repeat(" and", 20_000)}}}
	case "tools/call error":
		answer(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": -32000, "message": "you sent " + token}})
		return
	case "tools/call status":
		w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer error=%q, error_description=%q", "insufficient_scope", token))
		w.WriteHeader(http.StatusForbidden)
		fmt.Fprint(w, "you sent ", token)
		return
	default:
		answer(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": asked.ID, "error": map[string]any{"code": -32601, "message": "no such method, " + token}})
		return
	}
	answer(w, http.StatusOK, map[string]any{"jsonrpc": "2.0", "id": asked.ID, "result": result})
}

// A server that says the token it was sent has it neither in traffic nor in a failure.
func TestATokenThatIsSentBackIsHidden(t *testing.T) {
	h := newHostile(t, nil, map[string]http.HandlerFunc{"/mcp": echoing})
	r := newRig(t, &store{}, nil)
	def := remote(h.url)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	heard := &listener{}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	c, err := r.dialer.Dial(ctx, mcpconn.Target{Definition: def, Timeout: patience, MaxTimeout: patience}, heard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close("the test is over") })
	if got := r.call(c, "result"); !got.OK {
		t.Errorf("%+v", got)
	}
	for _, name := range []string{"error", "status"} {
		if got := r.call(c, name); got.OK || strings.Contains(fmt.Sprint(got), "planted") {
			t.Errorf("%s: %+v", name, got)
		}
	}
	heard.mu.Lock()
	defer heard.mu.Unlock()
	said := 0
	for _, text := range heard.told {
		if strings.Contains(text, "planted") {
			t.Errorf("told %.200q", text)
		}
		if strings.Contains(text, "you sent "+mcpconn.Hidden) {
			said++
		}
	}
	if said < 3 {
		t.Errorf("heard %d times of a token, want every time", said)
	}
}
