package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/demo"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/mcphost"
	"patchbay/backend/model/modeltest"
	"patchbay/backend/proc"
)

// patience is the ceiling of every wait: a loaded machine may be very slow.
const patience = 60 * time.Second

// TestMain makes the test binary be the servers, the watchdog, and a whole process with one
// turn that is killed.
func TestMain(m *testing.M) {
	mcptest.Main()
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "watchdog":
			os.Exit(proc.WatchdogMain(os.Stdin))
		case "demo-server":
			if err := demo.Run(context.Background(), os.Stdin, os.Stdout); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		case "fragile-server":
			os.Exit(fragileServer(os.Args[2]))
		case "turn":
			os.Exit(turnProcess(os.Args[2], os.Args[3]))
		}
	}
	goleak.VerifyTestMain(m)
}

// rig is a HOME, a workspace, and a strict model endpoint.
type rig struct {
	t         *testing.T
	home      string
	workspace string
	model     *modeltest.Server
}

func newRig(t *testing.T, answers ...modeltest.Answer) *rig {
	t.Helper()
	return newRigOf(t, modeltest.Limits{}, answers...)
}

// newRigOf is newRig with an endpoint of other limits.
func newRigOf(t *testing.T, limits modeltest.Limits, answers ...modeltest.Answer) *rig {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, home: filepath.Join(base, "home"), workspace: filepath.Join(base, "ws"), model: modeltest.New(t, limits, answers...)}
	for name, value := range map[string]string{
		"HOME": r.home, "SHELL": "/bin/sh", "OPENAI_BASE_URL": r.model.URL(), "OPENAI_API_KEY": "sk-test", "OPENAI_MODEL": "fake-1", "OPENAI_API": "",
		"XDG_CONFIG_HOME": "", "XDG_STATE_HOME": "", "XDG_DATA_HOME": "", "XDG_CACHE_HOME": "", "XDG_RUNTIME_DIR": "",
	} {
		t.Setenv(name, value)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server, err := json.Marshal(map[string]any{"command": self, "args": []string{"demo-server"}})
	if err != nil {
		t.Fatal(err)
	}
	r.write(r.storePath(), fmt.Sprintf(`{"mcpServers": {"demo": %s, "dead": {"command": "false"}, "spare": %s}}`, server, server))
	r.write(filepath.Join(r.workspace, "README"), "hello\n")
	return r
}

func (r *rig) storePath() string  { return filepath.Join(r.home, ".ai4j", "mcp.json") }
func (r *rig) enablePath() string { return filepath.Join(r.workspace, ".ai4j", "workspace.json") }

func (r *rig) write(path, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// open opens a manager that is closed with the test.
func (r *rig) open(o Options) *Manager {
	r.t.Helper()
	o.Version = "test"
	m, err := Open(o)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { r.close(m) })
	return m
}

func (r *rig) close(m *Manager) {
	r.t.Helper()
	if err := m.Close(); err != nil {
		r.t.Errorf("close: %v", err)
	}
}

// session begins a shown session of the workspace with the given servers settled.
func (r *rig) session(m *Manager, enabled ...string) *Session {
	r.t.Helper()
	s, err := m.NewSession(r.workspace)
	r.must(err)
	for _, name := range enabled {
		r.must(s.Enable(name))
	}
	m.Show(s.ID())
	s.Start()
	r.settle(s)
	return s
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) settle(s *Session) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r.must(s.Settled(ctx))
}

// row returns a row that must be there.
func (r *rig) row(s *Session, name string) mcphost.Row {
	r.t.Helper()
	snap, _ := s.Rows().Get()
	for _, row := range snap.Rows {
		if row.Name == name {
			return row
		}
	}
	r.t.Fatalf("no row %s", name)
	return mcphost.Row{}
}

func (r *rig) wantState(s *Session, name string, want mcphost.State) mcphost.Row {
	r.t.Helper()
	row := r.row(s, name)
	if row.State != want {
		r.t.Fatalf("%s is %s (%s %s), want %s", name, row.State, row.Error, row.Reason, want)
	}
	return row
}

func (r *rig) eventually(what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within %s: %s", patience, what)
		}
	}
}

// send sends a message and returns the events of its turn, Done last.
func (r *rig) send(s *Session, p Prompt) []agent.Event {
	r.t.Helper()
	from := s.Events().Last()
	r.must(s.Send(p))
	return r.until(s, from, agent.Done)
}

// until returns the events after from up to the first of a kind.
func (r *rig) until(s *Session, from uint64, kind agent.Kind) []agent.Event {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var all []agent.Event
	for {
		events, last, _, err := s.Events().Wait(ctx, from)
		if err != nil {
			r.t.Fatalf("no %s event: %v; have %+v", kind, err, all)
		}
		from = last
		for _, e := range events {
			all = append(all, e)
			if e.Kind == kind {
				return all
			}
		}
	}
}

// ofKind picks the events of one kind.
func ofKind(events []agent.Event, kind agent.Kind) []agent.Event {
	var picked []agent.Event
	for _, e := range events {
		if e.Kind == kind {
			picked = append(picked, e)
		}
	}
	return picked
}

func (r *rig) wantDone(events []agent.Event, want agent.StopReason) {
	r.t.Helper()
	if last := events[len(events)-1]; last.Kind != agent.Done || last.StopReason != want {
		r.t.Fatalf("the turn ended with %s %s %v, want %s", last.Kind, last.StopReason, ofKind(events, agent.Failure), want)
	}
}

// toolNames are the tools of the newest model request.
func (r *rig) toolNames() string {
	r.t.Helper()
	requests := r.model.Requests()
	if len(requests) == 0 {
		r.t.Fatal("the model was not asked")
	}
	return strings.Join(requests[len(requests)-1].Chat.ToolNames(), " ")
}

// answerWith answers the open question.
func (r *rig) answerWith(m *Manager, d approval.Decision) {
	r.t.Helper()
	questions, _ := m.Approvals().Questions().Get()
	if len(questions) != 1 {
		r.t.Fatalf("%d questions are open", len(questions))
	}
	r.must(m.Approvals().Answer(questions[0].ID, d))
}

// tree is every file of a folder with its content.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(path, ".procs") { // which processes run
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
