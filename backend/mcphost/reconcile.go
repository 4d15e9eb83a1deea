package mcphost

import (
	"context"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/tool"
)

// Why calls in flight end: they complete "MCP server NAME: …".
const (
	whyDisabled  = "not enabled in this workspace any more"
	whyUntrusted = "not trusted in this workspace any more"
	whyPaused    = "paused in this session"
	whyRemoved   = "its definition was removed"
	whyEdited    = "its definition was edited"
	whyRetried   = "restarted by Retry"
	whyClosed    = "the session was closed"
	whyClash     = "its tool names clash"
)

// loopState is what the loop of a Runtime owns.
type loopState struct {
	servers []*server // in table order
	applied uint64
	plan    Plan

	table     *tool.Table
	base      *tool.Table // at the end of the last finished pass
	passBegan time.Time   // of the running pass, zero between passes
	rebuild   *Surface

	published []time.Time // of the last snapshots, oldest first, at most burst
	dirty     bool        // current is not published yet
}

// server is one row's part of the loop's state.
type server struct {
	res     mcpconf.Resolved
	attempt uint64
	key     string     // connection key of the definition as written
	expand  *expansion // running, nil otherwise
	expErr  error      // why the values could not be expanded
	link    *link
	view    *presence // on the current connection, nil while there is none
	list    *listing  // of the tools last seen
	checks  checks    // of the connection last seen
	since   time.Time
	was     sinceKey
}

// sinceKey is what a row's Since belongs to.
type sinceKey struct {
	state State
	cause string
	gen   uint64
}

// expansion is a running Expand. It may wait for a keyring, so it has its own goroutine.
type expansion struct {
	retry bool // the counter was raised meanwhile
	done  chan struct{}
	def   mcpconf.Definition // after done
	err   error              // after done
}

// run is the one loop that owns what runs: it wakes when the plan or a connection changed.
func (rt *Runtime) run(ctx context.Context) {
	defer rt.finish()
	for {
		due, stop := rt.publishTimer()
		select {
		case <-ctx.Done():
			stop()
			return
		case <-rt.wake:
			rt.pass()
		case <-due:
			rt.publish()
		}
		stop()
	}
}

// finish gives up every server and waits for those that end with it.
func (rt *Runtime) finish() {
	var ending []*link
	for _, s := range rt.loop.servers {
		if s.link != nil {
			ending = append(ending, s.link)
		}
		rt.drop(s, whyClosed)
	}
	for _, l := range ending {
		select {
		case <-l.ending:
			<-l.over
		case <-l.over:
		default: // another session uses it
		}
	}
	rt.wg.Wait()
	empty := tool.NewTable()
	rt.current.Store(&assembly{snapshot: Snapshot{Settled: true, At: time.Now()}, table: empty})
	close(rt.over)
	rt.progress.Update(func(p progress) progress { return p })
}

// pass makes what runs what is wanted, as far as it can without waiting, works out rows and
// tools, and publishes them.
func (rt *Runtime) pass() {
	lp := &rt.loop
	rt.mu.Lock()
	plan, asked := rt.plan, rt.asked
	rt.mu.Unlock()
	if asked != lp.applied {
		lp.plan, lp.applied = plan, asked
		rt.reconcile(plan)
		rt.beginPass()
	}
	for _, s := range lp.servers {
		rt.collect(s)
	}
	rt.assemble()
	rt.publish()
}

func (rt *Runtime) beginPass() {
	if rt.loop.passBegan.IsZero() {
		rt.loop.passBegan = time.Now()
	}
}

// reconcile compares what is wanted with what runs. What leaves goes first, so that a
// changed server is stopped before its successor starts.
func (rt *Runtime) reconcile(plan Plan) {
	old := make(map[string]*server, len(rt.loop.servers))
	for _, s := range rt.loop.servers {
		old[s.res.Name] = s
	}
	next := make([]*server, 0, len(plan.Servers))
	for _, res := range plan.Servers {
		s := old[res.Name]
		delete(old, res.Name)
		if s == nil {
			s = &server{attempt: plan.Attempts[res.Name]}
		}
		s.res = res
		next = append(next, s)
	}
	for _, s := range old {
		rt.drop(s, whyRemoved)
	}
	rt.loop.servers = next
	for _, s := range next {
		rt.want(s, plan.Attempts[s.res.Name])
	}
}

// want starts what a server needs. Values are expanded again only when the definition or
// the counter changed, so a healthy connection is kept through everything else.
func (rt *Runtime) want(s *server, attempt uint64) {
	raised := attempt > s.attempt
	s.attempt = attempt
	if s.res.State != mcpconf.Wanted {
		rt.drop(s, whyLeft(s.res))
		return
	}
	key := s.res.Definition.ConnectionKey()
	known := s.link != nil || s.expand != nil || s.expErr != nil
	switch {
	case known && key == s.key && !raised:
		return
	case s.expand != nil && key == s.key:
		s.expand.retry = true
		return
	}
	s.key = key
	raised = raised || s.expand != nil && s.expand.retry
	s.expand = rt.startExpansion(*s.res.Definition, raised)
}

func whyLeft(res mcpconf.Resolved) string {
	switch {
	case res.State == mcpconf.Paused:
		return whyPaused
	case res.State == mcpconf.Missing:
		return whyRemoved
	case res.State == mcpconf.Invalid:
		return whyEdited
	case res.Enabled && !res.Trusted:
		return whyUntrusted
	}
	return whyDisabled
}

func (rt *Runtime) startExpansion(def mcpconf.Definition, retry bool) *expansion {
	x := &expansion{retry: retry, done: make(chan struct{})}
	expand := rt.host.opts.Expand
	if expand == nil || rt.opts.Private {
		x.def = def
		close(x.done)
		return x
	}
	rt.wg.Go(func() {
		x.def, x.err = expand(def, rt.opts.Workspace)
		close(x.done)
		rt.kick()
	})
	return x
}

// collect takes in a finished expansion: the same connection is kept or retried, another
// one takes its place.
func (rt *Runtime) collect(s *server) {
	if s.expand == nil {
		return
	}
	select {
	case <-s.expand.done:
	default:
		return
	}
	x := s.expand
	s.expand, s.expErr = nil, x.err
	if x.err != nil {
		rt.drop(s, whyEdited)
		s.expErr = x.err
		return
	}
	b := rt.berth(x.def)
	switch {
	case s.link == nil:
	case s.link.berth.key() != b.key():
		rt.drop(s, whyEdited)
	default:
		if x.retry {
			s.link.retry()
		}
		return
	}
	s.link = rt.host.acquire(rt, b)
}

// berth is where a connection of this session to def lies.
func (rt *Runtime) berth(def mcpconf.Definition) berth {
	b := berth{workspace: rt.opts.Workspace, def: def}
	if rt.opts.Private || rt.opts.Alone {
		b.owner = rt.opts.Session
	}
	return b
}

// drop gives up a server's connection: its calls end at once, whoever else uses it.
func (rt *Runtime) drop(s *server, why string) {
	if s.view != nil {
		s.view.leave(why)
	}
	if s.link != nil {
		rt.host.release(rt, s.link, why)
	}
	s.link, s.view, s.expand, s.expErr, s.list, s.checks = nil, nil, nil, nil, nil, checks{}
}

// listOf converts the tools of a link once per list and rules.
func (s *server) listOf(state linkState) *listing {
	tools := state.tools()
	if tools == nil && state.phase != up {
		s.list = nil
		return nil
	}
	rules := s.res.Definition.Tools
	if s.list == nil || !s.list.isOf(tools, rules) {
		s.list = newListing(s.res.Name, tools, rules)
	}
	return s.list
}

// present follows the connection's generation: calls of an earlier one end.
func (s *server) present(session string, state linkState, limits func(mcpconf.Definition) (idle, most time.Duration)) {
	if s.view != nil && (state.phase != up || s.view.conn != state.conn) {
		why := whyRetried
		if state.lost != nil {
			why = "connection lost: " + state.lost.Message
		}
		s.view.leave(why)
		s.view = nil
	}
	if s.view == nil && state.phase == up {
		idle, most := limits(*s.res.Definition)
		s.view = newPresence(s.res.Name, session, state.conn, s.link, idle, most)
	}
}
