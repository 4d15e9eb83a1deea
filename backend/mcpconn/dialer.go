package mcpconn

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"patchbay/backend/proc"
)

// Options say what connections are made with.
type Options struct {
	Version     string // of this program, told to servers
	Supervisor  *proc.Supervisor
	Environment *proc.Environment
	Logger      *slog.Logger  // nil discards
	Eras        string        // file that remembers which revision servers speak; "" remembers it while the process runs
	Probe       time.Duration // for server/discover before initialize follows; 0: 3 s
	Auth        Auth          // signs requests over HTTP; nil signs none
	LeastTools  time.Duration // between two looks whether a list of tools still holds; 0: 30 s
}

// dialer makes connections with go-sdk over transports of our own.
type dialer struct {
	opts      Options
	transport *http.Transport
	eras      *eras
}

// NewDialer returns the Dialer of this process.
//
// A connection speaks the newest revision that both sides have: server/discover (2026-07-28)
// comes first, then initialize (2025-11-25) on the same connection. Servers that know only
// initialize may ignore or break on anything else, so the first is waited for a short time
// only, and a process that ends on it is started once more. What worked is remembered.
func NewDialer(o Options) Dialer {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DialContext = (&net.Dialer{Timeout: 15 * time.Second, KeepAlive: 15 * time.Second}).DialContext
	transport.MaxIdleConnsPerHost = 16
	transport.IdleConnTimeout = 30 * time.Second
	return &dialer{opts: o, transport: transport, eras: &eras{path: o.Eras, logger: o.Logger}}
}

// Dial connects within the target's time limit, whatever the server does.
func (d *dialer) Dial(ctx context.Context, target Target, observer Observer) (Conn, error) {
	limit := newDeadline(target.Timeout, target.MaxTimeout)
	defer limit.stop()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	a := &attempt{d: d, target: target, obs: observer, limit: limit, mask: newMask(target.Definition)}
	a.mask.tokens = &a.tokens
	type outcome struct {
		c   *conn
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		c, err := a.run(ctx)
		done <- outcome{c, err}
	}()
	var cause error
	select {
	case out := <-done:
		return a.finish(out.c, out.err)
	case <-limit.passed:
		cause = errTimeLimit
	case <-ctx.Done():
		cause = &givenUpError{context.Cause(ctx)}
	}
	cancel(cause)
	a.abort()
	out := <-done
	a.forgetExit() // it was ended here
	if out.c != nil {
		out.c.Close("the attempt was given up")
	}
	return a.finish(nil, cause)
}

// errTimeLimit ends an attempt that took too long.
var errTimeLimit = errors.New("the time limit passed")

// givenUpError ends an attempt whose caller no longer wants it.
type givenUpError struct{ cause error }

func (e *givenUpError) Error() string { return "the attempt was given up: " + e.cause.Error() }
func (e *givenUpError) Unwrap() error { return e.cause }

func (a *attempt) finish(c *conn, err error) (Conn, error) {
	if err == nil {
		return c, nil
	}
	return nil, a.explain(err)
}

// deadline is a time limit that progress moves, up to a most.
type deadline struct {
	passed chan struct{} // closed when it passed
	step   time.Duration
	most   time.Time

	mu    sync.Mutex
	at    time.Time
	timer *time.Timer
	once  sync.Once
}

func newDeadline(step, most time.Duration) *deadline {
	now := time.Now()
	d := &deadline{passed: make(chan struct{}), step: step, most: now.Add(max(step, most)), at: now.Add(step)}
	d.timer = time.AfterFunc(step, func() { d.once.Do(func() { close(d.passed) }) })
	return d
}

// extend moves the limit to one step from now.
func (d *deadline) extend() {
	d.mu.Lock()
	defer d.mu.Unlock()
	next := time.Now().Add(d.step)
	if next.After(d.most) {
		next = d.most
	}
	if next.After(d.at) && d.timer.Stop() {
		d.at = next
		d.timer.Reset(time.Until(next))
	}
}

func (d *deadline) stop() { d.timer.Stop() }
