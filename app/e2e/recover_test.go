//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// pageProcess is the process of the window's page.
func (a *app) pageProcess() (int, error) {
	for _, window := range a.pids() {
		out, _ := exec.Command("pgrep", "-P", fmt.Sprint(window)).Output()
		for _, field := range strings.Fields(string(out)) {
			name, _ := os.Readlink(filepath.Join("/proc", field, "exe"))
			var pid int
			if _, err := fmt.Sscan(field, &pid); err == nil && filepath.Base(name) == "WebKitWebProcess" {
				return pid, nil
			}
		}
	}
	return 0, errors.New("the window has no page process")
}

// crash kills the page's process and waits for another one.
func (a *app) crash() {
	a.t.Helper()
	old, err := a.pageProcess()
	if err == nil {
		err = syscall.Kill(old, syscall.SIGKILL)
	}
	if err != nil {
		a.t.Fatal(err)
	}
	a.eventually("the page has another process", func() error {
		now, err := a.pageProcess()
		if err == nil && now == old {
			err = errors.New("it is the old one")
		}
		return err
	})
}

// rejoin drives the page anew: a driver's session ends with the process of its page.
func (a *app) rejoin() {
	a.t.Helper()
	var address string
	for _, pid := range a.pids() {
		env, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		for kv := range strings.SplitSeq(string(env), "\x00") {
			if value, ok := strings.CutPrefix(kv, "WEBKIT_INSPECTOR_SERVER="); ok {
				address = value
			}
		}
	}
	port := freePort(a.t)
	driver := exec.Command("WebKitWebDriver", fmt.Sprintf("--port=%d", port), "--target="+address)
	driver.Stdout, driver.Stderr = a.output, a.output
	driver.WaitDelay = 5 * time.Second
	if err := driver.Start(); err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() {
		_ = driver.Process.Kill()
		_ = driver.Wait()
	})
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	a.eventually("another driver drives the page", func() error {
		var out struct{ SessionID string }
		err := send(a.t.Context(), http.MethodPost, base+"/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{}}}, &out)
		a.session = session{base: base, id: out.SessionID}
		return err
	})
}

// The page's process is killed: the page comes back with the same session, conversation and
// rows, the turn that ran goes on, and no server was started again.
func TestRecoverTheSamePageAfterACrash(t *testing.T) {
	a, program := withDemo(t)
	connect(t, a, program)
	a.say(`call demo_echo with {"text": "before the crash"}`)
	a.answer("demo_echo", "Allow for session")
	a.conversation("the answer", has("demo_echo answered: before the crash"))
	a.idle()
	before := a.serverPIDs()
	a.counting()
	a.crash()
	a.rejoin()
	a.conversation("what was there", has("demo_echo answered: before the crash", "demo_count", " of 50"))
	a.reaches("connected", "demo")
	a.same(before, "demo")
	a.shot("recovered")
	a.by("button", "Stop").click()
	a.idle()
	a.echoes("after the crash")
	if out := a.output.String(); !strings.Contains(out, "is loaded again") {
		t.Errorf("the log does not tell of the crash:\n%s", out)
	}
}

// A page that does not become ready is told of by a dialog of the system, whose buttons
// work: Reload gives it another try, Quit ends the program.
func TestRecoverFromAPageThatIsNeverReady(t *testing.T) {
	a := start(t, options{binary: binary(t, "PROBE_BIN"), args: []string{"1s"}})
	const log = "The window is not ready after 1 s"
	told := func(times int) {
		t.Helper()
		a.eventually(fmt.Sprintf("the log tells %d times", times), func() error {
			if n := strings.Count(a.output.String(), log); n != times {
				return fmt.Errorf("it told %d times", n)
			}
			return nil
		})
	}
	told(1)
	a.in(`window.old = true`)
	a.dialog("Reload")
	told(2)
	var old bool
	if err := a.session.run(t.Context(), `return !!window.old`, &old); err != nil || old {
		t.Errorf("the page was not loaded again: %v", err)
	}
	a.dialog("Quit")
	a.eventually("the window is closed", func() error {
		if pids := a.pids(); len(pids) > 0 {
			return fmt.Errorf("it runs: %v", pids)
		}
		return nil
	})
	for _, part := range []string{"Servers and sessions are safe", "patchbay mcp list", "WEBKIT_DISABLE_DMABUF_RENDERER=1"} {
		if !strings.Contains(a.output.String(), part) {
			t.Errorf("the log does not say %q", part)
		}
	}
}

// The dialog does not keep the window from closing.
func TestRecoverDialogDoesNotHoldTheWindow(t *testing.T) {
	a := start(t, options{binary: binary(t, "PROBE_BIN"), args: []string{"100ms"}})
	a.eventually("the dialog is there", func() error {
		root, err := desktop(t)
		if err != nil {
			return err
		}
		if _, ok := root.find("push button", "Reload", 12); !ok {
			return errors.New("no dialog")
		}
		return nil
	})
	a.close() // fails the test when SIGTERM does not end it
}

// A part of the page that throws says so, and Reload brings the same state back.
func TestRecoverFromAPageThatThrows(t *testing.T) {
	a, program := withDemo(t)
	a.noise = []string{"null is not an object"} // React tells of what it caught
	connect(t, a, program)
	a.say(`call demo_echo with {"text": "before it threw"}`)
	a.answer("demo_echo", "Allow once")
	a.conversation("the answer", has("demo_echo answered: before it threw"))
	a.idle()
	const spoil = `const snap = await window.go.app.MCP.Snapshot();
window.wails.EventsNotify(JSON.stringify({name: "mcp", data: [{...snap, rev: 1e9, rows: [null]}]}))`
	a.in(spoil)
	a.by("heading", "This part of the window stopped working").appears()
	a.shot("crashed")
	a.by("button", "Reload").click()
	a.conversation("what was there", has("demo_echo answered: before it threw"))
	a.reaches("connected", "demo")
}
