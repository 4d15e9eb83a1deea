package mcpconn_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

// patience is the ceiling of every wait: a loaded machine may be very slow.
const patience = 40 * time.Second

func TestMain(m *testing.M) {
	mcptest.Main()
	mainSDK()
	goleak.VerifyTestMain(m)
}

// rig is a dialer with the processes it may start.
type rig struct {
	mcpconn.Dialer
	supervisor *proc.Supervisor
}

func newRig(t testing.TB) rig {
	t.Helper()
	return newRigIn(t, os.Environ())
}

func newRigIn(t testing.TB, environ []string) rig {
	t.Helper()
	s := proc.NewSupervisor(proc.SupervisorOptions{})
	t.Cleanup(s.Close)
	return rig{supervisor: s, Dialer: mcpconn.NewDialer(mcpconn.Options{
		Version: "1.2.3", Supervisor: s,
		Environment: proc.NewEnvironment(environ, proc.EnvironmentOptions{Probe: proc.ProbeNever, Supervisor: s}),
	})}
}

// target connects within patience.
func target(def mcpconf.Definition) mcpconn.Target {
	return mcpconn.Target{Definition: def, Timeout: patience, MaxTimeout: patience}
}

// within is a target with a time limit that stderr does not extend.
func within(def mcpconf.Definition, limit time.Duration) mcpconn.Target {
	return mcpconn.Target{Definition: def, Timeout: limit, MaxTimeout: limit}
}

// connect makes a connection that must succeed, and closes it at the end of the test.
func (r rig) connect(t testing.TB, to mcpconn.Target) (mcpconn.Conn, *ear) {
	t.Helper()
	heard := newEar()
	c, err := r.Dial(t.Context(), to, heard)
	if err != nil {
		t.Fatalf("dial %s: %v", to.Definition.Name, err)
	}
	t.Cleanup(func() { c.Close("the test is over") })
	return c, heard
}

// fail makes an attempt that must not succeed.
func (r rig) fail(t testing.TB, to mcpconn.Target) (*mcpconn.Failure, *ear) {
	t.Helper()
	heard := newEar()
	c, err := r.Dial(t.Context(), to, heard)
	if err == nil {
		c.Close("the test is over")
		t.Fatalf("dial %s: connected", to.Definition.Name)
	}
	var f *mcpconn.Failure
	if !errors.As(err, &f) {
		t.Fatalf("dial %s: %T is no Failure: %v", to.Definition.Name, err, err)
	}
	return f, heard
}

// ear is an Observer that remembers.
type ear struct {
	mu      sync.Mutex
	stages  []mcpconn.Stage
	stderr  []string
	logs    []string
	changes int
	health  []bool
	leans   []mcpconn.Deprecated
	library []string // what changed: "resources", "prompts", or a URI
	frames  []mcpconn.Frame
	news    chan struct{} // capacity 1
}

func newEar() *ear { return &ear{news: make(chan struct{}, 1)} }

func (e *ear) note(f func()) {
	e.mu.Lock()
	f()
	e.mu.Unlock()
	select {
	case e.news <- struct{}{}:
	default:
	}
}

func (e *ear) Stage(s mcpconn.Stage)  { e.note(func() { e.stages = append(e.stages, s) }) }
func (e *ear) Stderr(line string)     { e.note(func() { e.stderr = append(e.stderr, line) }) }
func (e *ear) Log(level, text string) { e.note(func() { e.logs = append(e.logs, level+" "+text) }) }
func (e *ear) ToolsChanged()          { e.note(func() { e.changes++ }) }
func (e *ear) ResourcesChanged()      { e.note(func() { e.library = append(e.library, "resources") }) }
func (e *ear) PromptsChanged()        { e.note(func() { e.library = append(e.library, "prompts") }) }
func (e *ear) ResourceUpdated(u string) {
	e.note(func() { e.library = append(e.library, u) })
}
func (e *ear) Spawned(int) {}

func (e *ear) LeansOn(f mcpconn.Deprecated) { e.note(func() { e.leans = append(e.leans, f) }) }

func (e *ear) Frame(f mcpconn.Frame) (number uint64) {
	e.note(func() {
		e.frames = append(e.frames, f)
		number = uint64(len(e.frames))
	})
	return number
}

func (e *ear) Health(ok bool, _ time.Duration) {
	e.note(func() { e.health = append(e.health, ok) })
}

// until waits until what was heard satisfies ok.
func (e *ear) until(t testing.TB, what string, ok func(*ear) bool) {
	t.Helper()
	limit := time.After(patience)
	for {
		e.mu.Lock()
		done := ok(e)
		e.mu.Unlock()
		if done {
			return
		}
		select {
		case <-e.news:
		case <-limit:
			t.Fatalf("not heard: %s", what)
		}
	}
}

func (e *ear) lines() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return strings.Join(e.stderr, "\n")
}

// limits are far off.
func limits() mcpconn.CallLimits { return mcpconn.CallLimits{Idle: patience, Most: patience} }

func call(t testing.TB, c mcpconn.Conn, name, arguments string) tool.Result {
	t.Helper()
	return c.Call(t.Context(), name, json.RawMessage(arguments), limits(), nil)
}

// textOf is the text of a result's content.
func textOf(r tool.Result) string {
	var parts []string
	for _, c := range r.Content {
		parts = append(parts, c.Text+string(c.JSON))
	}
	return strings.Join(parts, "\n")
}

func wantText(t testing.TB, got tool.Result, want string) {
	t.Helper()
	if !got.OK || textOf(got) != want {
		t.Errorf("got ok=%v reason=%q %q, want %q", got.OK, got.Reason, textOf(got), want)
	}
}

func wantHas(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%s: %q does not hold %q", what, text, part)
		}
	}
}

// ended waits for the end of a connection.
func ended(t testing.TB, c mcpconn.Conn) {
	t.Helper()
	select {
	case <-c.Done():
	case <-time.After(patience):
		t.Fatal("the connection does not end")
	}
}

func toolNames(c mcpconn.Conn) []string {
	names := []string{}
	for _, t := range c.Tools() {
		names = append(names, t.Name)
	}
	return names
}

// background is a context that lives as long as the test binary.
func background() context.Context { return context.Background() }
