//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// withDemo starts the window with one definition, demo, which is the demo server by a path
// of its own, so that its process can be told from every other.
func withDemo(t *testing.T) (a *app, program string) {
	t.Helper()
	program = link(t, t.TempDir(), "demo", binary(t, "CLI_BIN"))
	return start(t, options{files: map[string]string{"~/.ai4j/mcp.json": store(t, stdio("demo", program, "demo-server"))}}), program
}

// link makes a program known by a path of its own, so that its processes can be told from
// every other.
func link(t *testing.T, dir, name, program string) string {
	t.Helper()
	path := filepath.Join(dir, name+"-of-this-test")
	if err := os.Symlink(program, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// definition is one entry of mcp.json: a name and its JSON.
type definition struct{ name, json string }

func stdio(name, command string, args ...string) definition {
	data, _ := json.Marshal(map[string]any{"command": command, "args": args}) // strings always marshal
	return definition{name, string(data)}
}

// store is an mcp.json with the definitions in this order.
func store(t *testing.T, definitions ...definition) string {
	t.Helper()
	var lines []string
	for _, d := range definitions {
		if !json.Valid([]byte(d.json)) {
			t.Fatalf("definition of %s: %s", d.name, d.json)
		}
		lines = append(lines, fmt.Sprintf("    %q: %s", d.name, d.json))
	}
	return "{\n  \"mcpServers\": {\n" + strings.Join(lines, ",\n") + "\n  }\n}\n"
}

// connect enables demo by its button and waits until its process is there.
func connect(t *testing.T, a *app, program string) {
	t.Helper()
	a.by("button", "Enable demo").click()
	a.by("row", "demo").says("connected", func(text string) bool { return strings.Contains(text, "connected") })
	if len(running(t, program)) == 0 {
		t.Fatal("demo is connected but its process is not found")
	}
}

// running are the ids of the processes whose command line begins with program.
func running(t *testing.T, program string) []int {
	t.Helper()
	out, err := exec.Command("pgrep", "-f", "^"+regexp.QuoteMeta(program)).Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	var pids []int
	for _, field := range strings.Fields(string(out)) {
		var pid int
		if _, err := fmt.Sscan(field, &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func gone(t *testing.T, a *app, program string) {
	t.Helper()
	a.eventually("the server's process is gone", func() error {
		if pids := running(t, program); len(pids) > 0 {
			return fmt.Errorf("still there: %v", pids)
		}
		return nil
	})
}

func TestWindowOpensWithTheRealPage(t *testing.T) {
	a := start(t, options{})
	a.by("grid", "Servers").appears()
	a.by("textbox", "Message").appears()
	a.by("log", "Conversation").appears()
	a.shot("opens")
}

func TestSIGTERMLeavesNoServer(t *testing.T) {
	a, program := withDemo(t)
	connect(t, a, program)
	a.shot("connected")
	for _, pid := range a.pids() {
		if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, a, program)
}

// The wrapper ignores SIGTERM and leaves a child behind, as `npx` and `uv` wrappers do. It
// never answers, so it is killed while it still connects.
func TestKillLeavesNoServer(t *testing.T) {
	dir := t.TempDir()
	demo, shell, nap := link(t, dir, "demo", binary(t, "CLI_BIN")), link(t, dir, "shell", "/bin/sh"), link(t, dir, "nap", "/bin/sleep")
	wrapper := fmt.Sprintf(`trap "" TERM; %s 1000 & cat >/dev/null; wait`, nap)
	a := start(t, options{files: map[string]string{"~/.ai4j/mcp.json": store(t,
		stdio("demo", demo, "demo-server"), stdio("wrapper", shell, "-c", wrapper))}})
	a.by("button", "Enable wrapper").click()
	connect(t, a, demo)
	a.eventually("the wrapper and its child run", func() error {
		if len(running(t, shell)) != 1 || len(running(t, nap)) != 1 {
			return fmt.Errorf("wrapper %v, child %v", running(t, shell), running(t, nap))
		}
		return nil
	})
	for _, pid := range a.pids() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	killed := time.Now()
	for _, program := range []string{demo, shell, nap} {
		gone(t, a, program)
	}
	if took := time.Since(killed); took > 20*time.Second {
		t.Errorf("the last process of the servers ended only after %s", took)
	}
}

// The lock of the first window is in its runtime folder, not on the session bus: the second
// start has none.
func TestSecondStartHandsOverAndEndsWell(t *testing.T) {
	a := start(t, options{})
	a.by("grid", "Servers").appears()
	other := t.TempDir()
	second := exec.CommandContext(t.Context(), binary(t, "APP_BIN"), "--workspace", other)
	second.Env = slices.DeleteFunc(a.env(nil), func(kv string) bool { return strings.HasPrefix(kv, "DBUS_SESSION_BUS_ADDRESS=") })
	second.WaitDelay = 5 * time.Second
	out, err := second.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "already open") {
		t.Fatalf("the second start: %v\n%s", err, out)
	}
	a.eventually("the window shows the second workspace", func() error {
		var shown string
		if err := a.session.await(t.Context(), `return (await window.go.app.MCP.Snapshot()).workspace`, &shown); err != nil {
			return err
		}
		if shown != other {
			return fmt.Errorf("it shows %s", shown)
		}
		return nil
	})
}
