//go:build linux

package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// plan is what the endpoint answers: first at once, then, when told, tokens at a rate.
type plan struct {
	first  string        // sent in one piece
	tokens int           // sent after it
	rate   int           // a second
	begin  chan struct{} // closed to go on with the tokens; nil: at once
}

// endpoint speaks Chat Completions and answers each request with the next plan.
type endpoint struct {
	http *httptest.Server

	mu    sync.Mutex
	plans []plan
	ended time.Time // when the last answer ended
}

func newEndpoint(tb testing.TB) *endpoint {
	e := &endpoint{}
	e.http = httptest.NewServer(http.HandlerFunc(e.serve))
	tb.Cleanup(func() {
		e.http.CloseClientConnections()
		e.http.Close()
	})
	return e
}

// env makes it the model of a window.
func (e *endpoint) env() []string {
	return []string{"OPENAI_BASE_URL=" + e.http.URL + "/v1", "OPENAI_API_KEY=bench", "OPENAI_MODEL=bench"}
}

func (e *endpoint) next(p plan) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.plans = append(e.plans, p)
}

func (e *endpoint) serve(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.URL.Path, "/chat/completions") {
		http.NotFound(w, r)
		return
	}
	e.mu.Lock()
	if len(e.plans) == 0 {
		e.mu.Unlock()
		http.Error(w, "nothing is planned", http.StatusInternalServerError)
		return
	}
	p := e.plans[0]
	e.plans = e.plans[1:]
	e.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	out := bufio.NewWriter(w)
	p.stream(r, out, w.(http.Flusher))
	fmt.Fprint(out, `data: {"id":"1","object":"chat.completion.chunk","model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	_ = out.Flush() // a window that stopped is no fault
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = time.Now()
}

// stream sends what is due every two milliseconds, each token an event of its own, until
// all are sent or the window hangs up.
func (p plan) stream(r *http.Request, out *bufio.Writer, flusher http.Flusher) {
	send := func() { _ = out.Flush(); flusher.Flush() }
	if p.first != "" {
		delta(out, p.first)
		send()
	}
	if p.begin != nil {
		select {
		case <-p.begin:
		case <-r.Context().Done():
			return
		}
	}
	began := time.Now()
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	tokens := newTokens()
	for sent := 0; sent < p.tokens; {
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		}
		for due := int(time.Since(began).Seconds() * float64(p.rate)); sent < min(due, p.tokens); sent++ {
			delta(out, tokens())
		}
		send()
	}
}

func delta(out *bufio.Writer, text string) {
	quoted, _ := json.Marshal(text) // a string always marshals
	fmt.Fprintf(out, `data: {"id":"1","object":"chat.completion.chunk","model":"bench","choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", quoted)
}

// newTokens returns a source of ordinary Markdown in pieces of four bytes, as tokens are.
func newTokens() func() string {
	text, part := "", 0
	return func() string {
		if len(text) < 4 {
			text += section(part)
			part++
		}
		token := text[:4]
		text = text[4:]
		return token
	}
}

// markdown is ordinary Markdown of at least so many bytes, whole sections.
func markdown(bytes int) string {
	var b strings.Builder
	for part := 0; b.Len() < bytes; part++ {
		b.WriteString(section(part))
	}
	return b.String()
}

// section is one part of an ordinary answer: heading, prose, list, table, code.
func section(part int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## Part %d of the answer\n\n", part)
	fmt.Fprintf(&b, "The **handler** of part %d reads the request, checks `token%d` and hands it on; see [the notes](https://example.org/notes/%d). It does *not* keep it, so that a second call is as cheap as the first one was.\n\n", part, part, part)
	for i := range 4 {
		fmt.Fprintf(&b, "- step %d: open `file%d.go` and look at line %d\n", i+1, part, 10*i+part)
	}
	b.WriteString("\n| name | value | note |\n|---|---:|---|\n")
	for i := range 5 {
		fmt.Fprintf(&b, "| row %d | %d | what it is for |\n", i, part*i)
	}
	fmt.Fprintf(&b, "\n```go\n// Part%d adds what it is given.\nfunc Part%d(values []int) (sum int) {\n\tfor _, v := range values {\n\t\tsum += v * %d\n\t}\n\treturn sum\n}\n```\n\n", part, part, part)
	b.WriteString("1. build it with `make build`\n2. run the tests\n3. look at what the window shows now\n\n> Nothing of this changes what is stored on the disk.\n\n")
	return b.String()
}
