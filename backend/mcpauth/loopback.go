package mcpauth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"html/template"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

// callbackPath is where the browser comes back to.
const callbackPath = "/callback"

// loopback listens on 127.0.0.1 for the browser that an authorization server sends back
// (RFC 8252, 7.3). Its port is bound before anybody is told of it.
type loopback struct {
	listener net.Listener
	server   *http.Server
	answers  chan url.Values
	verdict  chan error // what became of the sign-in, for the page in the browser
	wg       sync.WaitGroup

	mu    sync.Mutex
	state string // that belongs to this sign-in
}

// listen binds a port of 127.0.0.1, any one for 0.
func listen(port int) (*loopback, error) {
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		if port != 0 {
			return nil, fmt.Errorf("port %d of this machine, where the browser is to come back, is taken: %w", port, err)
		}
		return nil, fmt.Errorf("no port of this machine is free for the browser to come back to: %w", err)
	}
	l := &loopback{listener: listener, answers: make(chan url.Values, 1), verdict: make(chan error, 1)}
	l.server = &http.Server{Handler: l, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10}
	l.wg.Go(func() { _ = l.server.Serve(listener) })
	return l, nil
}

// redirect is the address to come back to.
func (l *loopback) redirect() string { return "http://" + l.listener.Addr().String() + callbackPath }

// expect takes only the answer that carries state.
func (l *loopback) expect(state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = state
}

// ServeHTTP takes the first answer of this sign-in, and shows what became of it.
func (l *loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	l.mu.Lock()
	state := l.state
	l.mu.Unlock()
	query := r.URL.Query()
	if r.Method != http.MethodGet || r.URL.Path != callbackPath || r.Host != l.listener.Addr().String() {
		http.NotFound(w, r)
		return
	}
	if state == "" || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(state)) != 1 {
		outcome(w, http.StatusBadRequest, errStranger)
		return
	}
	select {
	case l.answers <- query:
	default:
		outcome(w, http.StatusBadRequest, errStranger) // answered before
		return
	}
	select {
	case err := <-l.verdict:
		outcome(w, http.StatusOK, err)
	case <-r.Context().Done():
	}
}

var errStranger = errors.New("this page does not belong to a sign-in that waits. Begin again in Patchbay")

// answer waits for the browser.
func (l *loopback) answer(ctx context.Context) (url.Values, error) {
	select {
	case query := <-l.answers:
		return query, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// close tells the browser how it ended and gives the port back.
func (l *loopback) close(err error) {
	l.verdict <- err
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close()
	}
	l.wg.Wait()
}

// outcome is the page that the person sees in the browser.
func outcome(w http.ResponseWriter, status int, err error) {
	data := struct{ Title, Text string }{"You are signed in", "Patchbay goes on by itself. You can close this page."}
	if err != nil {
		data.Title, data.Text = "You are not signed in", sentence(err.Error())+" You can close this page and go back to Patchbay."
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("Connection", "close")
	w.WriteHeader(status)
	_ = template.Must(template.New("").Parse(outcomePage)).Execute(w, data) // a browser that left needs no page
}

const outcomePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{{.Title}} · Patchbay</title>
<style>
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { margin: 0; min-height: 100vh; display: grid; place-items: center }
main { max-width: 34rem; padding: 2rem }
h1 { font-size: 1.4rem; font-weight: 600; margin: 0 0 .5rem }
p { margin: 0; opacity: .8 }
</style></head><body><main><h1>{{.Title}}</h1><p>{{.Text}}</p></main></body></html>
`
