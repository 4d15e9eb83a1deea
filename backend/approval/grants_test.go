package approval_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"patchbay/backend/approval"
)

// childEnv makes the test binary a second Patchbay process: its value is the grants file
// and the prefix of the tools it allows.
const childEnv = "APPROVAL_TEST_GRANTS"

const childGrants = 25

func TestMain(m *testing.M) {
	if arg := os.Getenv(childEnv); arg != "" {
		path, prefix, _ := strings.Cut(arg, "|")
		if err := addGrants(path, prefix); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// addGrants allows tools in the workspace, one after another.
func addGrants(path, prefix string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*patience)
	defer cancel()
	s := approval.NewService(approval.Options{Path: path})
	for i := range childGrants {
		q := mcp("a", fmt.Sprintf("%s%d", prefix, i), "h")
		q.ID = q.Spec.Name
		done := make(chan approval.Answer, 1)
		go func() { done <- s.Ask(ctx, q) }()
		for rev := uint64(0); ; {
			list, next, err := s.Questions().Wait(ctx, rev)
			if err != nil {
				return fmt.Errorf("wait for the question about %s: %w", q.ID, err)
			}
			if rev = next; len(list) == 1 {
				break
			}
		}
		if err := s.Answer(q.ID, approval.AllowWorkspace); err != nil {
			return err
		}
		<-done
	}
	return nil
}

// decided is the answer to a question that a grant or a person with decision d gives.
func decided(t *testing.T, s *approval.Service, q approval.Question, d approval.Decision) (approval.Answer, error) {
	t.Helper()
	answer := ask(t.Context(), s, q)
	id := open(t, s, 1)[0].ID
	err := s.Answer(id, d)
	return <-answer, err
}

// grantedBy is who allows the question without a person, "" when it would be asked.
func grantedBy(t *testing.T, path string, q approval.Question) approval.By {
	t.Helper()
	s := service(t, approval.Options{Path: path, Deny: true})
	if a := s.Ask(t.Context(), q); a.Decision.Allows() {
		return a.By
	}
	return ""
}

func TestSessionGrant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	s := service(t, approval.Options{Path: path, Deny: false})
	q := mcp("a", "x", "h1")
	if a, err := decided(t, s, q, approval.AllowSession); err != nil || a.Decision != approval.AllowSession {
		t.Fatalf("answer %+v, %v", a, err)
	}
	wantAnswer(t, ask(t.Context(), s, q), approval.AllowSession, approval.BySession)
	other := q
	other.SessionID = "s2"
	if a, _ := decided(t, s, other, approval.Reject); a.By != approval.ByPerson {
		t.Errorf("another session's question: %+v", a)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a session grant was written: %v", err)
	}
}

func TestOnceIsOnce(t *testing.T) {
	s := service(t, approval.Options{})
	for range 2 {
		if a, err := decided(t, s, mcp("a", "x", "h"), approval.AllowOnce); err != nil || a.By != approval.ByPerson {
			t.Fatalf("answer %+v, %v", a, err)
		}
	}
}

func TestWorkspaceGrantIsBound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "grants.json")
	s := service(t, approval.Options{Path: path})
	if _, err := decided(t, s, mcp("a", "x", "h1"), approval.AllowWorkspace); err != nil {
		t.Fatal(err)
	}
	change := func(f func(*approval.Question)) approval.Question {
		q := mcp("a", "x", "h1")
		f(&q)
		return q
	}
	tests := []struct {
		name string
		q    approval.Question
		want approval.By
	}{
		{"the same", mcp("a", "x", "h1"), approval.ByWorkspace},
		{"another session", change(func(q *approval.Question) { q.SessionID = "s9" }), approval.ByWorkspace},
		{"other arguments", change(func(q *approval.Question) { q.Call.Arguments = json.RawMessage(`{"p":1}`) }), approval.ByWorkspace},
		{"a changed tool", mcp("a", "x", "h2"), ""},
		{"another server's tool of that name", mcp("b", "x", "h1"), ""},
		{"another tool", mcp("a", "y", "h1"), ""},
		{"moved borders", mcp("a\x00x", "", "h1"), ""},
		{"another workspace", change(func(q *approval.Question) { q.Workspace = "/other" }), ""},
		{"a plain chat", change(func(q *approval.Question) { q.Workspace = "" }), ""},
	}
	for _, tt := range tests {
		if got := grantedBy(t, path, tt.q); got != tt.want {
			t.Errorf("%s: granted by %q, want %q", tt.name, got, tt.want)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestBashGrantIsTheExactCommand(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	s := service(t, approval.Options{Path: path})
	granted := builtin("bash", `{"action":"exec","command":"go test","cwd":"sub"}`)
	if _, err := decided(t, s, granted, approval.AllowWorkspace); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		arguments string
		want      approval.By
	}{
		{`{"action":"exec","command":"go test","cwd":"sub"}`, approval.ByWorkspace},
		{`{ "cwd":"sub", "command":"go test" }`, approval.ByWorkspace}, // exec when blank
		{`{"command":"go test","cwd":"sub","timeoutMs":1000}`, approval.ByWorkspace},
		{`{"command":"go test","cwd":""}`, ""},
		{`{"command":"go test ","cwd":"sub"}`, ""},
		{`{"command":"go test; rm -rf .","cwd":"sub"}`, ""},
		{`{"command":"GO TEST","cwd":"sub"}`, ""},
		{`{"action":"start","command":"go test","cwd":"sub"}`, ""},
		{`{"command":"go test","Command":"rm","cwd":"sub"}`, ""},
		{`{}`, ""},
		{`no JSON`, ""},
	}
	for _, tt := range tests {
		if got := grantedBy(t, path, builtin("bash", tt.arguments)); got != tt.want {
			t.Errorf("%s: granted by %q, want %q", tt.arguments, got, tt.want)
		}
	}
}

func TestBashInputIsNeverGrantedInTheWorkspace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	s := service(t, approval.Options{Path: path})
	for _, arguments := range []string{`{"action":"write","processId":"p1","input":"y"}`, `{"action":"stop","processId":"p1"}`} {
		a, err := decided(t, s, builtin("bash", arguments), approval.AllowWorkspace)
		if a.Decision != approval.AllowOnce || err == nil || !strings.Contains(err.Error(), "allowed once") {
			t.Errorf("%s: %+v, %v", arguments, a, err)
		}
		if got := grantedBy(t, path, builtin("bash", arguments)); got != "" {
			t.Errorf("%s: granted by %q", arguments, got)
		}
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a grant was written: %v", err)
	}
}

// A server's tool is granted as a tool, also where it is called like a built-in one.
func TestServersBashIsNoShell(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	q := mcp("a", "bash", "h")
	q.Call.Arguments = json.RawMessage(`{"action":"write","command":"x"}`)
	if a, err := decided(t, service(t, approval.Options{Path: path}), q, approval.AllowWorkspace); err != nil || a.Decision != approval.AllowWorkspace {
		t.Fatalf("answer %+v, %v", a, err)
	}
	q.Call.Arguments = json.RawMessage(`{"command":"y"}`)
	if got := grantedBy(t, path, q); got != approval.ByWorkspace {
		t.Errorf("granted by %q", got)
	}
	if got := grantedBy(t, path, builtin("bash", `{"action":"exec","command":"x"}`)); got != "" {
		t.Errorf("the built-in one is granted by %q", got)
	}
}

func TestPlainChatHasNoWorkspaceGrant(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	s := service(t, approval.Options{Path: path})
	q := mcp("a", "x", "h")
	q.Workspace = ""
	a, err := decided(t, s, q, approval.AllowWorkspace)
	if a.Decision != approval.AllowOnce || err == nil || !strings.Contains(err.Error(), "plain chat") {
		t.Errorf("%+v, %v", a, err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a grant was written: %v", err)
	}
}

func TestCorruptGrantsAreNeverOverwritten(t *testing.T) {
	q := mcp("a", "x", "h")
	valid := filepath.Join(t.TempDir(), "valid.json")
	if _, err := decided(t, service(t, approval.Options{Path: valid}), q, approval.AllowWorkspace); err != nil {
		t.Fatal(err)
	}
	good, err := os.ReadFile(valid)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"cut":            good[:len(good)-3],
		"empty":          {},
		"text behind":    append(bytes.Clone(good), "x"...),
		"another shape":  []byte(`{"workspaces":[]}`),
		"odd entry last": bytes.Replace(good, []byte(`"/w": [`), []byte(`"/v": 1, "/w": [`), 1),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "grants.json")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := grantedBy(t, path, q); got != "" {
				t.Errorf("granted by %q", got)
			}
			a, err := decided(t, service(t, approval.Options{Path: path}), q, approval.AllowWorkspace)
			if a.Decision != approval.AllowOnce || err == nil {
				t.Fatalf("answer %+v, %v", a, err)
			}
			for _, want := range []string{"allowed once only", path, "Correct the file or remove it"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q is not in %q", want, err)
				}
			}
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, data) {
				t.Errorf("the file was changed to %q, %v", now, err)
			}
		})
	}
}

func TestGrantThatCannotBeKeptIsOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := service(t, approval.Options{Path: filepath.Join(file, "grants.json")}) // below a file
	a, err := decided(t, s, mcp("a", "x", "h"), approval.AllowWorkspace)
	if a.Decision != approval.AllowOnce || err == nil || !strings.Contains(err.Error(), "allowed once only: create the folder of grants") {
		t.Errorf("answer %+v, %v", a, err)
	}
	s = approval.NewService(approval.Options{})
	a, err = decided(t, s, mcp("a", "x", "h"), approval.AllowWorkspace)
	if a.Decision != approval.AllowOnce || err == nil || !strings.Contains(err.Error(), "no file to keep grants in") {
		t.Errorf("answer %+v, %v", a, err)
	}
}

func TestTwoProcessesAddGrants(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var children []*exec.Cmd
	for _, prefix := range []string{"p", "q"} {
		c := exec.CommandContext(t.Context(), self)
		c.Env = append(os.Environ(), childEnv+"="+path+"|"+prefix)
		c.Stderr = os.Stderr
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, c)
	}
	for _, c := range children {
		if err := c.Wait(); err != nil {
			t.Fatalf("a process that adds grants: %v", err)
		}
	}
	for _, prefix := range []string{"p", "q"} {
		for i := range childGrants {
			if name := fmt.Sprintf("%s%d", prefix, i); grantedBy(t, path, mcp("a", name, "h")) != approval.ByWorkspace {
				t.Errorf("the grant of %s is lost", name)
			}
		}
	}
}

// Another window's grant counts in a service that is running, and is not written twice.
func TestAnotherWindowsGrantCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	mine, theirs := service(t, approval.Options{Path: path}), service(t, approval.Options{Path: path})
	q := mcp("a", "x", "h")
	waiting := ask(t.Context(), mine, q)
	id := open(t, mine, 1)[0].ID
	if _, err := decided(t, theirs, q, approval.AllowWorkspace); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, ask(t.Context(), mine, q), approval.AllowWorkspace, approval.ByWorkspace)
	if err := mine.Answer(id, approval.AllowWorkspace); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, waiting, approval.AllowWorkspace, approval.ByPerson)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(data), `"key"`); n != 1 {
		t.Errorf("%d grants are kept:\n%s", n, data)
	}
}

func TestDenyAsksNobody(t *testing.T) {
	s := service(t, approval.Options{Deny: true})
	wantAnswer(t, ask(t.Context(), s, mcp("a", "x", "h")), approval.Reject, approval.ByPolicy)
	wantAnswer(t, ask(t.Context(), s, builtin("read_file", `{}`)), approval.AllowOnce, approval.ByMode)
	open(t, s, 0)
}
