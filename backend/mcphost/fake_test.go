package mcphost

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

// fakeDialer answers each dial with the script of that server; it counts what runs, so that
// two processes of one server at a time are noticed.
type fakeDialer struct {
	t *testing.T

	mu      sync.Mutex
	scripts map[string]script
	dials   map[string]int
	running map[string]int
	most    map[string]int // running at the same time
	conns   map[string][]*fakeConn
	nextPID int
}

// script is what one dial does, n counting from 1.
type script func(ctx context.Context, n int, obs mcpconn.Observer) (*fakeConn, error)

func newFakeDialer(t *testing.T) *fakeDialer {
	return &fakeDialer{t: t, scripts: map[string]script{}, dials: map[string]int{}, running: map[string]int{},
		most: map[string]int{}, conns: map[string][]*fakeConn{}, nextPID: 100}
}

func (d *fakeDialer) Dial(ctx context.Context, target mcpconn.Target, obs mcpconn.Observer) (mcpconn.Conn, error) {
	name := target.Definition.Name
	d.mu.Lock()
	d.dials[name]++
	n, run := d.dials[name], d.scripts[name]
	d.running[name]++
	d.most[name] = max(d.most[name], d.running[name])
	d.mu.Unlock()
	obs.Stage(mcpconn.Spawn)
	c, err := run(ctx, n, obs)
	d.mu.Lock()
	defer d.mu.Unlock()
	if err != nil {
		d.running[name]--
		return nil, err
	}
	d.nextPID++
	c.pid = d.nextPID
	c.obs = obs
	c.closed = func() {
		d.mu.Lock()
		d.running[name]--
		d.mu.Unlock()
	}
	d.conns[name] = append(d.conns[name], c)
	return c, nil
}

func (d *fakeDialer) count(name string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.dials[name]
}

// last is the newest connection to a server.
func (d *fakeDialer) last(name string) *fakeConn {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.conns[name][len(d.conns[name])-1]
}

func (d *fakeDialer) wantNothingRuns() {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, n := range d.running {
		if n != 0 {
			d.t.Errorf("%d processes of %s still run", n, name)
		}
	}
	for name, n := range d.most {
		if n > 1 {
			d.t.Errorf("%d processes of %s ran at the same time", n, name)
		}
	}
}

// serves connects after d with the named tools.
func serves(d time.Duration, tools ...string) script {
	return func(ctx context.Context, _ int, _ mcpconn.Observer) (*fakeConn, error) {
		if err := sleep(ctx, d); err != nil {
			return nil, err
		}
		return newFakeConn(tools...), nil
	}
}

// fails refuses after d.
func fails(d time.Duration, cause mcpconn.Cause, message string) script {
	return func(ctx context.Context, _ int, _ mcpconn.Observer) (*fakeConn, error) {
		if err := sleep(ctx, d); err != nil {
			return nil, err
		}
		return nil, &mcpconn.Failure{Cause: cause, Message: message, Evidence: mcpconn.Evidence{Stage: mcpconn.Initialize}}
	}
}

// hangs never answers.
func hangs() script { return serves(1000 * time.Hour) }

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return &mcpconn.Failure{Cause: mcpconn.Timeout, Message: "cancelled"}
	}
}

// fakeConn is a live connection whose calls wait for release.
type fakeConn struct {
	mcpconn.Library // nil: not asked here
	pid             int
	obs             mcpconn.Observer
	closed          func()
	done            chan struct{}
	answer          chan struct{} // a call answers when this can be received from

	mu     sync.Mutex
	tools  []mcpconn.Tool
	lost   *mcpconn.Failure
	reason string
	over   bool
	seen   time.Time
	checks int
	dead   bool // Check fails
	calls  []string
}

func newFakeConn(tools ...string) *fakeConn {
	c := &fakeConn{done: make(chan struct{}), answer: make(chan struct{}), seen: time.Now()}
	c.tools = toolsNamed(tools...)
	return c
}

func toolsNamed(names ...string) []mcpconn.Tool {
	var tools []mcpconn.Tool
	for _, name := range names {
		tools = append(tools, mcpconn.Tool{Name: name, Description: "does " + name, InputSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
	}
	return tools
}

func (c *fakeConn) Info() mcpconn.Info {
	return mcpconn.Info{PID: c.pid, Protocol: "2025-11-25", ServerName: "fake", Version: "1", ConnectTime: time.Millisecond}
}

func (c *fakeConn) Tools() []mcpconn.Tool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tools
}

func (c *fakeConn) relist(names ...string) {
	c.mu.Lock()
	c.tools = toolsNamed(names...)
	c.mu.Unlock()
	c.obs.ToolsChanged()
}

func (c *fakeConn) Call(ctx context.Context, name string, _ json.RawMessage, _ mcpconn.CallLimits, _ func(tool.Progress)) tool.Result {
	c.mu.Lock()
	c.calls = append(c.calls, name)
	c.mu.Unlock()
	select {
	case <-c.answer:
		return tool.OKText("answer of " + name)
	case <-ctx.Done():
		return tool.Failed(tool.Cancelled, "cancelled")
	case <-c.done:
		return tool.Failed(tool.ServerGone, "connection over: "+c.reason)
	}
}

func (c *fakeConn) Check(context.Context) error {
	c.mu.Lock()
	c.checks++
	dead := c.dead
	c.mu.Unlock()
	if dead {
		c.die(mcpconn.Timeout, "no sign of life")
		return fmt.Errorf("no answer")
	}
	c.obs.Health(true, 3*time.Millisecond)
	return nil
}

func (c *fakeConn) playDead() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dead = true
}

func (c *fakeConn) checked() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checks
}

func (c *fakeConn) LastSeen() time.Time { return c.seen }
func (c *fakeConn) Recovered() int      { return 0 }

func (c *fakeConn) Done() <-chan struct{} { return c.done }

func (c *fakeConn) Lost() *mcpconn.Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// die ends the connection as a server that exits does.
func (c *fakeConn) die(cause mcpconn.Cause, message string) {
	c.end(&mcpconn.Failure{Cause: cause, Message: message}, message)
}

func (c *fakeConn) Close(reason string) { c.end(nil, reason) }

func (c *fakeConn) end(lost *mcpconn.Failure, reason string) {
	c.mu.Lock()
	if c.over {
		c.mu.Unlock()
		return
	}
	c.over, c.lost, c.reason = true, lost, reason
	close(c.done)
	c.mu.Unlock()
	c.closed()
}

// rig is a host with one or more sessions over a fakeDialer.
type rig struct {
	t      *testing.T
	dialer *fakeDialer
	host   *Host
	rts    []*Runtime
}

func newRig(t *testing.T, o HostOptions) *rig {
	r := &rig{t: t, dialer: newFakeDialer(t)}
	o.Dialer = r.dialer
	if o.Reserved == nil {
		o.Reserved = []string{"bash", "read_file", "write_file", "apply_patch"}
	}
	r.host = NewHost(o)
	return r
}

func (r *rig) session(id string) *Runtime {
	rt := r.host.NewRuntime(RuntimeOptions{Session: id, Workspace: "/ws", Title: func() string { return "Session " + id }})
	r.rts = append(r.rts, rt)
	return rt
}

// close ends everything and checks that nothing is left.
func (r *rig) close() {
	r.t.Helper()
	for _, rt := range r.rts {
		if err := rt.Close(context.Background()); err != nil {
			r.t.Errorf("Close: %v", err)
		}
	}
	if err := r.host.Close(); err != nil {
		r.t.Error(err)
	}
	r.dialer.wantNothingRuns()
}

// wanted resolves the named servers as enabled and trusted, in this order.
func wanted(names ...string) []mcpconf.Resolved {
	var servers []mcpconf.Resolved
	for i, name := range names {
		servers = append(servers, mcpconf.Resolved{
			Name: name, State: mcpconf.Wanted, Enabled: true, Trusted: true, Line: i + 1,
			Definition: &mcpconf.Definition{Name: name, Type: mcpconf.Stdio, Command: name, Line: i + 2},
		})
	}
	return servers
}

func with(servers []mcpconf.Resolved, name string, edit func(*mcpconf.Resolved)) []mcpconf.Resolved {
	servers = slices.Clone(servers)
	for i := range servers {
		if servers[i].Name == name {
			if def := servers[i].Definition; def != nil {
				copied := *def
				servers[i].Definition = &copied
			}
			edit(&servers[i])
		}
	}
	return servers
}

func pausedServer(r *mcpconf.Resolved) { r.State, r.Paused = mcpconf.Paused, true }

func plan(servers []mcpconf.Resolved) Plan {
	return Plan{Servers: servers, Store: "/home/u/.ai4j/mcp.json", Enablement: "/ws/.ai4j/workspace.json"}
}

func retries(p Plan, counts map[string]uint64) Plan {
	p.Attempts = counts
	return p
}

func settle(t *testing.T, rt *Runtime, p Plan) Snapshot {
	t.Helper()
	rt.Apply(p)
	return settled(t, rt)
}

func settled(t *testing.T, rt *Runtime) Snapshot {
	t.Helper()
	if err := rt.Settled(t.Context()); err != nil {
		t.Fatalf("Settled: %v", err)
	}
	snap, _ := rt.Snapshot().Get()
	return snap
}

// wantRows compares rows written as "name state error", the error only where there is one.
func wantRows(t *testing.T, snap Snapshot, want ...string) {
	t.Helper()
	var got []string
	for _, r := range snap.Rows {
		got = append(got, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Name, r.State, r.Error)))
	}
	if !slices.Equal(got, want) {
		t.Errorf("rows:\n got %s\nwant %s", strings.Join(got, "\n     "), strings.Join(want, "\n     "))
	}
}

func wantTools(t *testing.T, rt *Runtime, want ...string) {
	t.Helper()
	var got []string
	for _, s := range rt.Table().Specs() {
		got = append(got, s.Name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("tools = %v, want %v", got, want)
	}
}

func row(t *testing.T, snap Snapshot, name string) Row {
	t.Helper()
	i := slices.IndexFunc(snap.Rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		t.Fatalf("no row %s", name)
	}
	return snap.Rows[i]
}
