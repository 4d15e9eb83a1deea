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
