package mcphost

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/tool"
	"patchbay/backend/watch"
)

// RuntimeOptions say whose view a Runtime is.
type RuntimeOptions struct {
	Session   string        // its id
	Title     func() string // names it in Row.Shared of other sessions; nil = Session
	Workspace string        // canonical folder, "" for a plain chat
	// Private connections are never shared and their values never expanded: the servers
	// that an ACP host supplies.
	Private bool
	// Alone connections are never shared either, but their values are expanded: a dry run.
	Alone bool
	// Taken tells which tool names others hold beside the built-in tools, by owner; nil none.
	// It is asked at each pass and must not wait.
	Taken func() map[string]string
}

// Plan is what is wanted: the resolved servers and how often each was asked to try again.
// It is immutable.
type Plan struct {
	Servers    []mcpconf.Resolved
	Attempts   map[string]uint64 // per server; a higher number asks for one more try
	Store      string            // path of mcp.json, "" when the definitions come from no file
	Enablement string            // path of workspace.json, "" for a plain chat
}

// Runtime is one session's view of the host: it makes what runs what its latest Plan wants,
// claims tool names in table order, and publishes rows and the tool table.
type Runtime struct {
	host *Host
	opts RuntimeOptions
	wake chan struct{} // capacity 1
	stop context.CancelFunc
	over chan struct{} // closed when the loop has ended and every view is given up
	wg   sync.WaitGroup

	snap     *watch.Value[Snapshot]
	progress *watch.Value[progress]
	current  atomic.Pointer[assembly]
	active   atomic.Bool
	shown    atomic.Bool

	mu    sync.Mutex
	plan  Plan
	asked uint64 // Applies so far

	loop loopState // owned by the loop
}

// assembly is the outcome of a pass: rows and tools that belong together. Immutable.
type assembly struct {
	snapshot Snapshot
	table    *tool.Table
	servers  map[string]known
	links    []*link
}

// progress says how far the loop is.
type progress struct {
	applied uint64 // Applies that the last pass knew
	settled bool   // no attempt runs, and the snapshot that says so is published
}

// NewRuntime starts a view without servers; Apply says what it shall hold. Close ends it.
func (h *Host) NewRuntime(o RuntimeOptions) *Runtime {
	ctx, cancel := context.WithCancel(context.Background())
	rt := &Runtime{
		host: h, opts: o, stop: cancel,
		wake:     make(chan struct{}, 1),
		over:     make(chan struct{}),
		snap:     watch.NewValue(Snapshot{Settled: true, At: time.Now()}),
		progress: watch.NewValue(progress{settled: true}),
		loop:     loopState{table: tool.NewTable(), base: tool.NewTable()},
	}
	rt.current.Store(&assembly{snapshot: Snapshot{Settled: true}, table: rt.loop.table})
	go rt.run(ctx)
	return rt
}

// Apply makes plan what is wanted and returns at once. Only the latest plan counts: of a
// burst, those between are skipped.
func (rt *Runtime) Apply(plan Plan) {
	rt.mu.Lock()
	rt.plan = plan
	rt.asked++
	rt.mu.Unlock()
	rt.kick()
}

// Snapshot publishes the rows, at most ten times a second; the last change is always
// published.
func (rt *Runtime) Snapshot() *watch.Value[Snapshot] { return rt.snap }

// Now returns the rows and the tools of the latest pass, which belong together. It may be a
// moment ahead of Snapshot.
func (rt *Runtime) Now() (Snapshot, *tool.Table) {
	a := rt.current.Load()
	return a.snapshot, a.table
}

// Table is the tools of the connected servers, in table order.
func (rt *Runtime) Table() *tool.Table { return rt.current.Load().table }

// Settled waits until everything applied so far is in force and no attempt runs, or for the
// end of ctx. Snapshot then holds the outcome.
func (rt *Runtime) Settled(ctx context.Context) error {
	rt.mu.Lock()
	asked := rt.asked
	rt.mu.Unlock()
	for rev := uint64(0); ; {
		p, next, err := rt.progress.Wait(ctx, rev)
		if err != nil {
			return err
		}
		if p.settled && p.applied >= asked {
			return nil
		}
		select {
		case <-rt.over:
			return errors.New("wait for MCP servers: the session is closed")
		default:
			rev = next
		}
	}
}

// SetActive says whether a turn runs. Servers of active or shown sessions get heartbeats.
func (rt *Runtime) SetActive(active bool) { rt.active.Store(active) }

// SetShown says whether the session is on the screen.
func (rt *Runtime) SetShown(shown bool) { rt.shown.Store(shown) }

func (rt *Runtime) isActive() bool { return rt.active.Load() || rt.shown.Load() }

// Probe asks streamable_http servers that were silent for long for a sign of life, all at
// once, and returns when each answered or is out of the table, or with ctx. Session calls
// it before a turn, so that a half-open connection is noticed before a tool call is.
func (rt *Runtime) Probe(ctx context.Context) {
	var wg sync.WaitGroup
	for _, l := range rt.current.Load().links {
		s := l.snapshot()
		if s.phase == up && l.httpKind() && time.Since(s.conn.LastSeen()) > rt.host.opts.Timing.Stale {
			wg.Go(func() { s.probe(ctx) })
		}
	}
	wg.Wait()
	rt.onePass(ctx)
}

// probe checks the connection of s and, when that fails, waits until its loss is known.
func (s linkState) probe(ctx context.Context) {
	if s.conn.Check(ctx) == nil {
		return
	}
	select {
	case <-s.gone:
	case <-ctx.Done():
	}
}

// onePass waits for one pass of the loop.
func (rt *Runtime) onePass(ctx context.Context) {
	rt.mu.Lock()
	rt.asked++
	asked := rt.asked
	rt.mu.Unlock()
	rt.kick()
	for rev := uint64(0); ; {
		p, next, err := rt.progress.Wait(ctx, rev)
		if err != nil || p.applied >= asked {
			return
		}
		select {
		case <-rt.over:
			return
		default:
			rev = next
		}
	}
}

// Close gives up every server and returns when those that no other session uses are gone,
// or with the cause of ctx.
func (rt *Runtime) Close(ctx context.Context) error {
	rt.stop()
	select {
	case <-rt.over:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (rt *Runtime) title() string {
	if rt.opts.Title == nil {
		return rt.opts.Session
	}
	return rt.opts.Title()
}

// kick makes the loop look again.
func (rt *Runtime) kick() {
	select {
	case rt.wake <- struct{}{}:
	default:
	}
}
