//go:build linux

package e2e

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience bounds every wait for the window on a slow machine.
const patience = 60 * time.Second

// app is one running window with a home folder of its own.
type app struct {
	t         *testing.T
	session   session
	home      string
	workspace string
	driver    *exec.Cmd
	output    *output // what the driver and the window print, the page's console included
	noise     []string
	closed    bool
}

// options say how a window is started.
type options struct {
	binary string   // default: APP_BIN
	args   []string // default: --workspace with the folder made
	env    []string // added
	// files are written before the start; "~/" and "./" stand for home and workspace.
	files map[string]string
	// after is a window that is closed now and whose home and workspace this one takes over.
	after *app
	// noise are parts of console errors that the test causes on purpose.
	noise []string
}

// output collects lines of several writers.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write appends p.
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// binary is the program under test. Without APP_BIN there is nothing to drive: make test
// sets it, a plain go test of this package says so and fails.
func binary(t *testing.T, env string) string {
	t.Helper()
	path := os.Getenv(env)
	if path == "" {
		t.Fatalf("%s is not set: run make e2e, which builds the programs and starts a display", env)
	}
	return path
}

// start opens a window and waits until its page is loaded. It is closed with the test,
// which fails when the page logged an error.
func start(t *testing.T, o options) *app {
	t.Helper()
	if o.binary == "" {
		o.binary = binary(t, "APP_BIN")
	}
	a := &app{t: t, output: &output{}, noise: o.noise}
	if o.after != nil {
		a.home, a.workspace = o.after.home, o.after.workspace
	} else {
		a.home, a.workspace = t.TempDir(), t.TempDir()
	}
	for name, content := range o.files {
		a.write(name, content)
	}
	if o.args == nil {
		o.args = []string{"--workspace", a.workspace}
	}
	a.launch(o)
	t.Cleanup(a.close)
	a.eventually("the page is loaded", func() error {
		var state string
		if err := a.session.run(t.Context(), `return document.readyState`, &state); err != nil {
			return err
		}
		if state != "complete" {
			return fmt.Errorf("readyState is %q", state)
		}
		return nil
	})
	return a
}

// write writes a file below the home ("~/…") or the workspace ("./…").
func (a *app) write(name, content string) {
	a.t.Helper()
	path := a.path(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// env is the environment of the driver and the window: its own home, no keys of the
// person who runs the tests, no preload beyond the shim.
func (a *app) env(extra []string) []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "XDG_") && !strings.HasPrefix(name, "OPENAI_") && name != "HOME" {
			env = append(env, kv)
		}
	}
	env = append(env, "HOME="+a.home, "LANG=C.UTF-8",
		"XDG_CONFIG_HOME="+filepath.Join(a.home, ".config"), "XDG_DATA_HOME="+filepath.Join(a.home, ".local/share"),
		"XDG_STATE_HOME="+filepath.Join(a.home, ".local/state"), "XDG_CACHE_HOME="+filepath.Join(a.home, ".cache"))
	return append(env, extra...)
}

func (a *app) launch(o options) {
	a.t.Helper()
	port := freePort(a.t)
	a.driver = exec.Command("WebKitWebDriver", fmt.Sprintf("--port=%d", port))
	a.driver.Env = a.env(append([]string{"LD_PRELOAD=" + binary(a.t, "E2E_SHIM")}, o.env...))
	a.driver.Dir = a.home // as a launcher does: the folder of the tests is no workspace
	a.driver.Stdout, a.driver.Stderr = a.output, a.output
	a.driver.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the window is in it too
	a.driver.WaitDelay = 5 * time.Second                       // for what inherited the pipes
	if err := a.driver.Start(); err != nil {
		a.t.Fatalf("start WebKitWebDriver (package webkit2gtk-driver): %v", err)
	}
	base := fmt.Sprintf("http://127.0.0.1:%d", port)
	a.eventually("the driver listens", func() error { return send(a.t.Context(), http.MethodGet, base+"/status", nil, nil) })
	var err error
	if a.session, err = newSession(a.t.Context(), base, o.binary, o.args); err != nil {
		a.end()
		a.t.Fatalf("open the window: %v\n%s", err, a.output)
	}
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// close ends the window as a desktop would, with SIGTERM, then the driver, and looks at
// the console. Further calls do nothing.
func (a *app) close() {
	if a.closed {
		return
	}
	a.closed = true
	if a.t.Failed() {
		a.shot("failed-" + strings.ReplaceAll(a.t.Name(), "/", "-"))
		a.t.Logf("output:\n%s", a.output)
	}
	for _, pid := range a.pids() {
		_ = syscall.Kill(pid, syscall.SIGTERM)
	}
	deadline := time.Now().Add(20 * time.Second)
	for len(a.pids()) > 0 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	if left := a.pids(); len(left) > 0 {
		a.t.Errorf("the window is still there 20 s after SIGTERM: %v", left)
	}
	a.end()
	for line := range strings.Lines(a.output.String()) {
		if strings.Contains(line, "CONSOLE") && strings.Contains(line, "ERROR") && !a.expected(line) {
			a.t.Errorf("the page logged: %s", strings.TrimSpace(line))
		}
	}
}

func (a *app) expected(line string) bool {
	for _, part := range a.noise {
		if strings.Contains(line, part) {
			return true
		}
	}
	return false
}

// end ends the driver's process group: the window too when it is still there.
func (a *app) end() {
	_ = syscall.Kill(-a.driver.Process.Pid, syscall.SIGKILL)
	_ = a.driver.Wait()
}

// pids are the window's processes: the driver's children.
func (a *app) pids() []int {
	out, _ := exec.Command("pgrep", "-P", fmt.Sprint(a.driver.Process.Pid)).Output()
	var pids []int
	for _, field := range strings.Fields(string(out)) {
		var pid int
		if _, err := fmt.Sscan(field, &pid); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// eventually tries check until it returns nil, and fails the test after patience.
func (a *app) eventually(what string, check func() error) {
	a.t.Helper()
	ctx, cancel := context.WithTimeout(a.t.Context(), patience)
	defer cancel()
	for {
		err := check()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			a.t.Fatalf("%s: not within %s: %v", what, patience, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// shot saves a picture of the page to the folder SCREENS, or does nothing without one.
func (a *app) shot(name string) {
	a.t.Helper()
	dir := os.Getenv("SCREENS")
	if dir == "" {
		return
	}
	png, err := a.picture()
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644)
	}
	if err != nil {
		a.t.Logf("picture %s: %v", name, err)
	}
}

// picture takes a picture of the page. WebKit answers with its next frame, and a page where
// nothing moves has none: something invisible moves meanwhile.
func (a *app) picture() ([]byte, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(a.t.Context()), 15*time.Second)
	defer cancel()
	const move = `const e = document.body.appendChild(document.createElement("i"));
e.setAttribute("aria-hidden", "true"); e.style.cssText = "position:fixed;width:1px;height:1px;top:0;left:0";
let n = 0; const id = setInterval(() => { e.style.opacity = ++n % 2 ? ".01" : ".02"; if (n > 100) { clearInterval(id); e.remove(); } }, 30)`
	if err := a.session.run(ctx, move, nil); err != nil {
		return nil, err
	}
	return a.session.screenshot(ctx)
}
