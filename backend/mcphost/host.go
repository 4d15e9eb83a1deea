package mcphost

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// Timing are the clocks of a Host; a zero field means the default in its comment.
type Timing struct {
	Connect        time.Duration // to connect, where the definition does not say: 30 s
	ConnectMost    time.Duration // the most that is extended to while stderr shows progress: 180 s
	ReconnectFirst time.Duration // from a loss to the first try: 5 s
	ReconnectTries int           // in a row before giving up: 8
	ReconnectReset time.Duration // of health after which the count starts anew: 60 s
	RetryQuiet     time.Duration // after which a burst of retries is over: 300 ms
	RetryPatience  time.Duration // for which an attempt is not cut short by a retry: 1 s
	Heartbeat      time.Duration // of streamable_http while shown or in a turn: 30 s
	Stale          time.Duration // silence after which Probe asks for a sign of life: 15 s
	CallIdle       time.Duration // of a call without progress, where the definition does not say: 120 s
	CallMost       time.Duration // of a call altogether: 30 min
	Close          time.Duration // to end everything: 12 s
}

func (t Timing) withDefaults() Timing {
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&t.Connect, 30 * time.Second},
		{&t.ConnectMost, 180 * time.Second},
		{&t.ReconnectFirst, 5 * time.Second},
		{&t.ReconnectReset, 60 * time.Second},
		{&t.RetryQuiet, 300 * time.Millisecond},
		{&t.RetryPatience, time.Second},
		{&t.Heartbeat, 30 * time.Second},
		{&t.Stale, 15 * time.Second},
		{&t.CallIdle, 120 * time.Second},
		{&t.CallMost, 30 * time.Minute},
		{&t.Close, 12 * time.Second},
	} {
		if *d.field <= 0 {
			*d.field = d.value
		}
	}
	if t.ReconnectTries <= 0 {
		t.ReconnectTries = 8
	}
	return t
}

// HostOptions say how a Host connects.
type HostOptions struct {
	Dialer mcpconn.Dialer
	// Expand replaces references in the values of a definition when its server starts. It
	// may wait (keyring); an error makes an env_missing row. nil leaves values as written.
	Expand   func(def mcpconf.Definition, workspace string) (mcpconf.Definition, error)
	Reserved []string     // names of the built-in tools
	Logger   *slog.Logger // nil discards
	Timing   Timing
	Person   Person // answers what servers ask of a person; nil: nobody can, and servers are told so
}

// Host owns the connections of an application process: a pool keyed by workspace and
// expanded definition. A connection lives while a Runtime wants it.
type Host struct {
	opts HostOptions
	wg   sync.WaitGroup // links and everything they started

	mu     sync.Mutex
	closed bool
	links  uint64             // made so far
	pool   map[string]*link   // by key: what a view may join
	alive  map[string][]*link // by place: every link that is not over, ending ones included
	// by place: kept when a link is made anew; those of one session go with its last link
	timelines map[string]*timeline
	traffic   map[string]*traffic
}

// NewHost returns a Host without connections.
func NewHost(o HostOptions) *Host {
	o.Timing = o.Timing.withDefaults()
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return &Host{opts: o, pool: map[string]*link{}, alive: map[string][]*link{}, timelines: map[string]*timeline{}, traffic: map[string]*traffic{}}
}

// errClosing is why links end when the application does.
var errClosing = errors.New("the application is closing")

// Close ends every connection, all in parallel, and returns when they are gone, or with an
// error that names what is not after HostOptions.Timing.Close.
func (h *Host) Close() error {
	h.mu.Lock()
	h.closed = true
	var names []string
	for _, links := range h.alive {
		for _, l := range links {
			l.cancel(errClosing)
			names = append(names, l.name)
		}
	}
	h.mu.Unlock()
	done := make(chan struct{})
	go func() {
		h.wg.Wait()
		close(done)
	}()
	timer := time.NewTimer(h.opts.Timing.Close)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		return errors.New("stop MCP servers: still running after " + h.opts.Timing.Close.String() + ": " + strings.Join(names, ", "))
	}
}

// berth is what a connection is pooled by.
type berth struct {
	owner     string             // "" when shared, else the session that alone may use it
	workspace string             // canonical
	def       mcpconf.Definition // expanded
}

// place names the server a berth is for, whatever its definition is.
func (b berth) place() string { return b.owner + "\x00" + b.workspace + "\x00" + b.def.Name }

func (b berth) key() string { return b.place() + "\x00" + b.def.ConnectionKey() }

// acquire makes rt a view of the connection at b and starts it where there is none. The
// new one waits until older ones of the same place are gone. A failed one is tried again.
func (h *Host) acquire(rt *Runtime, b berth) *link {
	h.mu.Lock()
	l, old := h.pool[b.key()], true
	if l == nil || h.closed {
		h.links++
		l, old = newLink(h, b, h.links), false
		h.startLocked(l)
	}
	others := l.addView(rt)
	h.mu.Unlock()
	if old {
		l.retryIfFailed()
	}
	wakeAll(others)
	return l
}

func (h *Host) startLocked(l *link) {
	if h.closed {
		l.refuse(errClosing)
		return
	}
	place := l.berth.place()
	l.predecessors = append([]*link(nil), h.alive[place]...)
	h.pool[l.berth.key()] = l
	h.alive[place] = append(h.alive[place], l)
	ctx, cancel := context.WithCancelCause(context.Background())
	l.cancel = cancel
	h.wg.Go(func() {
		l.run(ctx)
		cancel(nil)
		h.forget(l)
	})
}

func (h *Host) forget(l *link) {
	h.mu.Lock()
	defer h.mu.Unlock()
	place := l.berth.place()
	var rest []*link
	for _, other := range h.alive[place] {
		if other != l {
			rest = append(rest, other)
		}
	}
	if h.alive[place] = rest; rest == nil {
		delete(h.alive, place)
		if l.berth.owner != "" {
			delete(h.timelines, place)
			delete(h.traffic, place)
		}
	}
	if h.pool[l.berth.key()] == l {
		delete(h.pool, l.berth.key())
	}
}

// release ends the view of rt on l, and l itself when that was the last. why is what calls
// in flight are answered with. It does not wait; l.over is closed when l is gone.
func (h *Host) release(rt *Runtime, l *link, why string) {
	h.mu.Lock()
	others := l.dropView(rt)
	if len(others) == 0 {
		if h.pool[l.berth.key()] == l {
			delete(h.pool, l.berth.key())
		}
		l.timeline.end(l.snapshot().start, why) // at once: who sees the new rows sees this too
		close(l.ending)
		l.cancel(errors.New(why))
	}
	h.mu.Unlock()
	wakeAll(others)
}

func wakeAll(views []*Runtime) {
	for _, rt := range views {
		rt.kick()
	}
}
