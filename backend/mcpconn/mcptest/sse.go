package mcptest

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

// SSE is an HTTP+SSE server (MCP 2024-11-05, basic/transports) for one client at a time: GET
// opens the stream, POST takes messages on the same path. Its mode is one of answerModes,
// one of listResult, or:
//
//	ok
//	noendpoint      the stream begins with a message instead
//	silent          the stream never begins
//	endpoint=URL    names another address to post to
//	post=STATUS     refuses every POST
//	hanginit, hanglist   never answers initialize, tools/list
type SSE struct {
	*HTTP // counts requests

	out chan string
	cut sync.Mutex
	end chan struct{}
}

// NewSSE returns a server in a mode.
func NewSSE(mode string) *SSE {
	return &SSE{HTTP: NewHTTP(mode), out: make(chan string, 64), end: make(chan struct{})}
}

// Cut ends the open stream, as a server does that stops.
func (s *SSE) Cut() {
	s.cut.Lock()
	defer s.cut.Unlock()
	close(s.end)
	s.end = make(chan struct{})
}

// ServeHTTP answers one request.
func (s *SSE) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mode, arg := s.note(r)
	if answer, ok := answerModes[mode]; ok {
		_, _ = io.Copy(io.Discard, r.Body) // or the client's end is not noticed
		answer(w, r, arg)
		return
	}
	switch r.Method {
	case http.MethodGet:
		s.stream(w, r, mode, arg)
	case http.MethodPost:
		if mode == "post" {
			answerModes["status"](w, r, arg)
			return
		}
		s.take(w, r, mode)
	default:
		w.WriteHeader(http.StatusMethodNotAllowed)
	}
}

func (s *SSE) stream(w http.ResponseWriter, r *http.Request, mode, arg string) {
	openStream(w)
	first := "event: endpoint\ndata: " + r.URL.Path + "?id=1\n\n"
	switch mode {
	case "noendpoint":
		first = "data: {}\n\n"
	case "silent":
		first = ": nothing yet\n\n"
	case "endpoint":
		first = "event: endpoint\ndata: " + arg + "\n\n"
	}
	s.cut.Lock()
	end := s.end
	s.cut.Unlock()
	for text := first; ; {
		_, _ = io.WriteString(w, text) // a client that is gone ends the context
		w.(http.Flusher).Flush()
		select {
		case text = <-s.out:
		case <-end:
			return
		case <-r.Context().Done():
			return
		}
	}
}

func (s *SSE) take(w http.ResponseWriter, r *http.Request, mode string) {
	var m message
	if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.calls[m.Method]++
	s.mu.Unlock()
	w.WriteHeader(http.StatusAccepted)
	if len(m.ID) == 0 || hangs(mode, m.Method) {
		return
	}
	var params struct {
		callParams
		Cursor string `json:"cursor"`
	}
	_ = json.Unmarshal(m.Params, &params) // absent params are none
	var result any = object{}
	switch m.Method {
	case "initialize":
		result = initResult("2024-11-05")
	case "tools/list":
		result = listResult(mode, params.Cursor)
	case "tools/call":
		if params.Name == "hang" {
			return
		}
		result = callResult(params.callParams, m.Params)
	}
	data, err := json.Marshal(object{"jsonrpc": "2.0", "id": m.ID, "result": result})
	if err != nil {
		panic("mcptest: " + err.Error())
	}
	s.out <- strings.Join([]string{"event: message", "data: " + string(data), "", ""}, "\n")
}
