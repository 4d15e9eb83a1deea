package mcptest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// answerModes are HTTP servers that never speak MCP: what they answer to everything.
var answerModes = map[string]func(w http.ResponseWriter, r *http.Request, arg string){
	"401": func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="https://example.invalid/.well-known/oauth-protected-resource"`)
		w.WriteHeader(http.StatusUnauthorized)
	},
	"401nohdr": func(w http.ResponseWriter, _ *http.Request, _ string) { w.WriteHeader(http.StatusUnauthorized) },
	"status": func(w http.ResponseWriter, _ *http.Request, arg string) {
		status := 0
		_, _ = fmt.Sscan(arg, &status) // a test writes a number
		http.Error(w, "no", status)
	},
	"html": func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><title>Sign in</title>")
	},
	"notmcp": func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"hello":"world"}`)
	},
	"text": func(w http.ResponseWriter, _ *http.Request, _ string) { _, _ = io.WriteString(w, "hello") },
	"bigbody": func(w http.ResponseWriter, _ *http.Request, _ string) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `"`+strings.Repeat("x", 17<<20)+`"`)
	},
	"blackhole": func(_ http.ResponseWriter, r *http.Request, _ string) { <-r.Context().Done() },
	"redirect": func(w http.ResponseWriter, r *http.Request, arg string) { // "redirect=302 URL"
		status, to := 0, ""
		_, _ = fmt.Sscan(arg, &status, &to) // a test writes them
		http.Redirect(w, r, to, status)
	},
}

// HTTP is a Streamable HTTP server (MCP 2025-11-25, basic/transports) with a mode: one of
// answerModes, one of listResult, or:
//
//	ok              answers by JSON; GET is 405
//	stream          answers by event streams, progress included; GET is an idle stream
//	gethang         accepts GET and never sends its headers
//	idleclose=D     ends every GET stream after D
//	slash=STATUS    redirects /mcp to /mcp/ by that status, 307 when none is given
//	bearer=TOKEN    401 unless Authorization is Bearer TOKEN
//	hanginit, hanglist   never answers initialize, tools/list
//	initerror       refuses initialize by a JSON-RPC error
//	nosession       gives no Mcp-Session-Id
type HTTP struct {
	mu       sync.Mutex
	mode     string
	sessions map[string]bool
	made     int
	requests map[string]int // by HTTP method
	calls    map[string]int // by JSON-RPC method
	headers  []http.Header
}

// NewHTTP returns a server in a mode.
func NewHTTP(mode string) *HTTP {
	return &HTTP{mode: mode, sessions: map[string]bool{}, requests: map[string]int{}, calls: map[string]int{}}
}

// SetMode changes the mode from the next request on.
func (h *HTTP) SetMode(mode string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.mode = mode
}

// Restart forgets every session, as a server does that was started again.
func (h *HTTP) Restart() {
	h.mu.Lock()
	defer h.mu.Unlock()
	clear(h.sessions)
}

// Requests counts the requests of an HTTP method.
func (h *HTTP) Requests(method string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.requests[method]
}

// Calls counts the messages of a JSON-RPC method.
func (h *HTTP) Calls(method string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.calls[method]
}

// Headers are those of every request so far.
func (h *HTTP) Headers() []http.Header {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]http.Header(nil), h.headers...)
}

func (h *HTTP) note(r *http.Request) (mode, arg string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests[r.Method]++
	h.headers = append(h.headers, r.Header.Clone())
	mode, arg, _ = strings.Cut(h.mode, "=")
	return mode, arg
}

// ServeHTTP answers one request.
func (h *HTTP) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mode, arg := h.note(r)
	if answer, ok := answerModes[mode]; ok {
		_, _ = io.Copy(io.Discard, r.Body) // or the client's end is not noticed
		answer(w, r, arg)
		return
	}
	if mode == "bearer" && r.Header.Get("Authorization") != "Bearer "+arg {
		answerModes["401"](w, r, "")
		return
	}
	if mode == "slash" && !strings.HasSuffix(r.URL.Path, "/") {
		status := http.StatusTemporaryRedirect
		if arg != "" {
			_, _ = fmt.Sscan(arg, &status) // a test writes a number
		}
		w.Header().Set("Location", r.URL.Path+"/")
		w.WriteHeader(status)
		return
	}
	switch r.Method {
	case http.MethodGet:
		get(w, r, mode, arg)
	case http.MethodDelete:
		h.forget(r.Header.Get("Mcp-Session-Id"))
	default:
		h.post(w, r, mode)
	}
}

func get(w http.ResponseWriter, r *http.Request, mode, arg string) {
	switch mode {
	case "gethang":
		<-r.Context().Done()
	case "stream":
		openStream(w)
		<-r.Context().Done()
	case "idleclose":
		openStream(w)
		_, _ = io.WriteString(w, "event: ping\ndata:\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-time.After(length(arg)):
		case <-r.Context().Done():
		}
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func openStream(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
}

func (h *HTTP) forget(session string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, session)
}

func (h *HTTP) post(w http.ResponseWriter, r *http.Request, mode string) {
	var m message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	h.calls[m.Method]++
	known := mode == "nosession" || h.sessions[r.Header.Get("Mcp-Session-Id")]
	if m.Method == "initialize" && mode != "initerror" {
		h.made++
		id := fmt.Sprintf("session-%d", h.made)
		h.sessions[id] = true
		if mode != "nosession" {
			w.Header().Set("Mcp-Session-Id", id)
		}
		known = true
	}
	h.mu.Unlock()
	if m.Method == "server/discover" || m.Method == "initialize" && mode == "initerror" {
		reply(w, mode, object{"jsonrpc": "2.0", "id": m.ID, "error": object{"code": -32601, "message": "not here"}})
		return
	}
	if !known {
		http.Error(w, "session not found", http.StatusNotFound)
		return
	}
	if len(m.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	if hangs(mode, m.Method) {
		<-r.Context().Done()
		return
	}
	answerPost(w, r, mode, m)
}

func hangs(mode, method string) bool {
	return mode == "hanginit" && method == "initialize" || mode == "hanglist" && method == "tools/list"
}

func answerPost(w http.ResponseWriter, r *http.Request, mode string, m message) {
	var params struct {
		callParams
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(m.Params, &params) // absent params are none
	var result any = object{}
	switch m.Method {
	case "initialize":
		result = initResult("2025-11-25")
	case "tools/list":
		result = listResult(mode, params.Cursor)
	case "tools/call":
		switch params.Name {
		case "hang":
			<-r.Context().Done()
			return
		case "progress":
			streamProgress(w, params.callParams, m)
			return
		}
		result = callResult(params.callParams, m.Params)
	}
	reply(w, mode, object{"jsonrpc": "2.0", "id": m.ID, "result": result})
}

func streamProgress(w http.ResponseWriter, p callParams, m message) {
	openStream(w)
	for i := range p.Arguments.N {
		time.Sleep(p.each())
		writeEvent(w, object{"jsonrpc": "2.0", "method": "notifications/progress", "params": object{
			"progressToken": p.Meta.Token, "progress": i + 1, "total": p.Arguments.N, "message": "working",
		}})
	}
	writeEvent(w, object{"jsonrpc": "2.0", "id": m.ID, "result": said("finished")})
}

func reply(w http.ResponseWriter, mode string, v any) {
	if mode == "stream" {
		openStream(w)
		writeEvent(w, v)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // a client that is gone needs no answer
}

func writeEvent(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic("mcptest: " + err.Error())
	}
	_, _ = fmt.Fprintf(w, "event: message\ndata: %s\n\n", data)
	w.(http.Flusher).Flush()
}
