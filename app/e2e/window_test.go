//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
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
	program = filepath.Join(t.TempDir(), "demo-of-this-test")
	if err := os.Symlink(binary(t, "CLI_BIN"), program); err != nil {
		t.Fatal(err)
	}
	store, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"demo": map[string]any{"command": program, "args": []string{"demo-server"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, options{files: map[string]string{"~/.ai4j/mcp.json": string(store)}}), program
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
	out, err := exec.Command("pgrep", "-f", "^"+program).Output()
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

func TestKillLeavesNoServer(t *testing.T) {
	a, program := withDemo(t)
	connect(t, a, program)
	for _, pid := range a.pids() {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	gone(t, a, program)
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
