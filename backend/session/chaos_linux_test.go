package session

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/mcphost"
)

// network stands before a server; while it is broken every connection is cut.
type network struct {
	server http.Handler

	mu     sync.Mutex
	broken bool
	open   map[net.Conn]struct{}
}

func (n *network) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n.mu.Lock()
	broken := n.broken
	n.mu.Unlock()
	if broken {
		panic(http.ErrAbortHandler)
	}
	n.server.ServeHTTP(w, r)
}

func (n *network) connState(c net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch state {
	case http.StateNew:
		n.open[c] = struct{}{}
	case http.StateClosed, http.StateHijacked:
		delete(n.open, c)
	}
}

func (n *network) set(broken bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.broken = broken
	if broken {
		for c := range n.open {
			_ = c.Close() // that is the fault
		}
	}
}

// mayhem is a process whose sessions and servers are upset at random.
type mayhem struct {
	*rig
	random   *rand.Rand
	manager  *Manager
	sessions []*Session
	nets     []*network
	names    []string
	seen     map[mcphost.State]int // rows in a state when an operation had been done
}

// remote starts an HTTP server behind a network that can be broken.
func (m *mayhem) remote(server http.Handler) string {
	n := &network{server: server, open: map[net.Conn]struct{}{}}
	s := httptest.NewUnstartedServer(n)
	s.Config.ConnState = n.connState
	s.Start()
	m.t.Cleanup(func() { n.set(true); s.Close() })
	m.nets = append(m.nets, n)
	return s.URL
}

// define writes a machine of servers of every transport: two that clash with one another,
// one that never connects, one that is enabled and defined nowhere.
func (m *mayhem) define() {
	entry := func(def mcpconf.Definition) map[string]any {
		if def.Type == mcpconf.Stdio {
			return map[string]any{"command": def.Command, "args": []string{"mcp"}, "env": def.Env}
		}
		return map[string]any{"type": def.Type, "url": def.URL}
	}
	var members []string
	add := func(name string, def mcpconf.Definition) {
		text, err := json.Marshal(entry(def))
		m.must(err)
		members = append(members, fmt.Sprintf("%q: %s", name, text))
		m.names = append(m.names, name)
	}
	add("a", mcptest.Definition("ok", mcptest.Tools("search", "x")))
	add("b", mcptest.Definition("ok", mcptest.Tools("y", "search")))
	add("c", mcptest.Definition("grandchild", mcptest.Tools("z")))
	add("dead", mcptest.Definition("exit1"))
	add("web", mcptest.Remote(mcpconf.StreamableHTTP, m.remote(mcptest.NewHTTP("stream"))))
	add("events", mcptest.Remote(mcpconf.SSE, m.remote(mcptest.NewSSE("ok"))))
	m.write(m.storePath(), `{"mcpServers": {`+strings.Join(members, ", ")+`}}`)
	m.write(m.enablePath(), `{"enabledMcpServers": ["a", "b", "web", "ghost"]}`)
	m.names = append(m.names, "ghost")
}

// upset does one random thing. An operation that the state of the moment refuses (to enable
// what is enabled) is one too.
func (m *mayhem) upset() *Session {
	s := m.sessions[m.random.IntN(len(m.sessions))]
	name := m.names[m.random.IntN(len(m.names))]
	n := m.nets[m.random.IntN(len(m.nets))]
	switch m.random.IntN(11) {
	case 0, 1:
		_ = s.Enable(name)
	case 2:
		_ = s.Disable(name)
	case 3:
		_ = s.Pause(name)
	case 4:
		_ = s.Resume(name)
	case 5:
		_ = s.Retry(name)
	case 6:
		s.RetryFailed()
	case 7:
		m.edit(name)
	case 8:
		m.kill(s, name)
	case 9:
		n.set(true)
	case 10:
		n.set(false)
	}
	return s
}

func (m *mayhem) look(s *Session) {
	snap, _ := s.runtime.Now()
	for _, row := range snap.Rows {
		m.seen[row.State]++
	}
}

// edit changes how a server is connected to, or what of its tools is held back.
func (m *mayhem) edit(name string) {
	store := m.manager.Store()
	defs, _ := store.Value().Get()
	at := slices.IndexFunc(defs.Servers, func(d mcpconf.Definition) bool { return d.Name == name })
	if at < 0 {
		return
	}
	if m.random.IntN(2) == 0 {
		rules := mcpconf.ToolRules{}
		if m.random.IntN(2) == 0 {
			rules.Exclude = []string{"search"}
		}
		m.must(store.SetTools(name, rules))
		return
	}
	def := defs.Servers[at]
	def.TimeoutMs = 20_000 + m.random.IntN(1000)
	if def.Type == mcpconf.Stdio {
		def.Args = []string{fmt.Sprint(m.random.IntN(1000))}
	}
	m.must(store.Replace(name, def))
}

// kill ends the process of a server, as the system may at any time.
func (m *mayhem) kill(s *Session, name string) {
	snap, _ := s.runtime.Now()
	for _, row := range snap.Rows {
		if row.Name == name && row.PID > 0 {
			_ = syscall.Kill(row.PID, syscall.SIGKILL) // it may be gone by now
		}
	}
}

// outcome is what of a row does not depend on when and how often it was tried.
type outcome struct {
	Name, Error   string
	State         mcphost.State
	Enabled       bool
	Paused        bool
	Cause, Action string
	Conflicts     []mcphost.Conflict
	Tools         []string
}

func outcomes(s *Session) []outcome {
	snap, _ := s.runtime.Now()
	var all []outcome
	for _, r := range snap.Rows {
		all = append(all, outcome{
			Name: r.Name, Error: r.Error, State: r.State, Enabled: r.Enabled, Paused: r.Paused,
			Cause: string(r.Cause), Action: string(r.Action), Conflicts: r.Conflicts, Tools: r.Tools,
		})
	}
	return all
}

// held counts what a process holds. Of its children only the servers' are there.
type held struct{ goroutines, files, processes int }

func (h held) over(base held) bool {
	return h.goroutines > base.goroutines || h.files > base.files || h.processes > base.processes
}

func (r *rig) holds() held {
	files, err := os.ReadDir("/proc/self/fd")
	r.must(err)
	h := held{goroutines: runtime.NumGoroutine(), files: len(files)}
	procs, err := os.ReadDir("/proc")
	r.must(err)
	for _, p := range procs {
		env, err := os.ReadFile(filepath.Join("/proc", p.Name(), "environ"))
		if err == nil && strings.Contains(string(env), "HOME="+r.home+"\x00") {
			h.processes++
		}
	}
	return h
}

// TestAThousandRandomOperations upsets two sessions of a workspace and their servers, then
// repairs the network and retries what failed. The rows are then those of a process that
// reads the same three layers for the first time, and nothing is left when it closes.
func TestAThousandRandomOperations(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	m := &mayhem{rig: newRig(t), random: rand.New(rand.NewPCG(1, seed)), seen: map[mcphost.State]int{}}
	m.define()
	m.close(m.open(Options{TrustAll: true})) // what is made once in a process is made now
	base := m.holds()

	m.manager = m.open(Options{TrustAll: true})
	for range 2 {
		m.sessions = append(m.sessions, m.session(m.manager))
	}
	for range 1000 {
		m.look(m.upset())
		time.Sleep(time.Duration(m.random.IntN(8)) * time.Millisecond)
	}
	for _, state := range mcphost.AllStates {
		if m.seen[state] == 0 {
			t.Errorf("no row was ever %s: %v", state, m.seen)
		}
	}
	for _, n := range m.nets {
		n.set(false)
	}
	var want [][]outcome
	for _, s := range m.sessions {
		m.calm(s)
	}
	for _, s := range m.sessions {
		want = append(want, outcomes(s))
	}
	paused := make([]mcpconf.PauseSet, len(m.sessions))
	for i, s := range m.sessions {
		w, _ := s.wanted.Get()
		paused[i] = w.paused
	}
	m.close(m.manager)
	m.leaves(base)
	m.fresh(want, paused)
}

// calm retries what failed until the rows stay as they are.
func (m *mayhem) calm(s *Session) {
	m.settle(s)
	for range 3 { // a process that was killed a moment ago may not be missed yet
		s.RetryFailed()
		m.settle(s)
		time.Sleep(200 * time.Millisecond)
	}
}

// leaves waits until the process holds no more than before.
func (m *mayhem) leaves(base held) {
	m.t.Helper()
	var now held
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if now = m.holds(); !now.over(base) {
			return
		}
		if time.Now().After(end) {
			stacks := make([]byte, 1<<20)
			m.t.Fatalf("held before: %+v, after: %+v\n%s", base, now, stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// fresh assembles the layers anew and compares.
func (m *mayhem) fresh(want [][]outcome, paused []mcpconf.PauseSet) {
	m.t.Helper()
	manager := m.open(Options{TrustAll: true})
	for i := range want {
		s, err := manager.NewSession(m.workspace)
		m.must(err)
		s.wanted.Update(func(w wanted) wanted { w.paused = paused[i]; return w })
		s.Start()
		m.settle(s)
		got := outcomes(s)
		if !reflect.DeepEqual(got, want[i]) {
			m.t.Errorf("session %d after a thousand operations:\n%s\na fresh assembly:\n%s", i, text(want[i]), text(got))
		}
	}
}

func text(rows []outcome) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "  %+v\n", r)
	}
	return b.String()
}
