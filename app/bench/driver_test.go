//go:build linux

package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// driven is a window that WebKitWebDriver drives (W3C WebDriver, level 2), with the shim of
// the tests in the real window preloaded.
type driven struct {
	tb     testing.TB
	cmd    *exec.Cmd
	base   string // of the session
	output bytes.Buffer
}

// elementKey marks an element in JSON (W3C WebDriver, section 12.1).
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// drive opens a window in a place and waits until its page is painted.
func drive(tb testing.TB, p place) *driven {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	v := &driven{tb: tb, cmd: exec.Command("WebKitWebDriver", fmt.Sprintf("--port=%d", port)), base: fmt.Sprintf("http://127.0.0.1:%d", port)}
	v.cmd.Env, v.cmd.Dir = append(p.environment(), "LD_PRELOAD="+program(tb, "E2E_SHIM")), p.home
	v.cmd.Stdout, v.cmd.Stderr = &v.output, &v.output
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the window is in it too
	v.cmd.WaitDelay = 5 * time.Second                       // for what inherited the pipes
	if err := v.cmd.Start(); err != nil {
		tb.Fatalf("start WebKitWebDriver (package webkit2gtk-driver): %v", err)
	}
	v.connect(p)
	v.eventually("the page is drawn", `return document.querySelector("[role=log]") !== null`)
	return v
}

func (v *driven) connect(p place) {
	v.tb.Helper()
	v.wait("the driver listens", func() error { return v.send(http.MethodGet, "/status", nil, nil) })
	options := map[string]any{"binary": program(v.tb, "APP_BIN"), "args": []string{"--workspace", p.workspace}}
	always := map[string]any{"webkitgtk:browserOptions": options, "timeouts": map[string]int{"script": 600_000}}
	var out struct {
		SessionID string `json:"sessionId"`
	}
	err := v.send(http.MethodPost, "/session", map[string]any{"capabilities": map[string]any{"alwaysMatch": always}}, &out)
	if err != nil || out.SessionID == "" {
		v.close()
		v.tb.Fatalf("open the window: %v\n%s", err, &v.output)
	}
	v.base += "/session/" + out.SessionID
}

// send does one command and decodes the value of its answer into out, which may be nil.
func (v *driven) send(method, path string, body, out any) error {
	data, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequest(method, v.base+path, bytes.NewReader(data))
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return fmt.Errorf("read the answer to %s: %w", path, err)
	}
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, answer.Value)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, out)
}

// run executes the body of a function in the page and decodes its result.
func (v *driven) run(script string, out any, args ...any) {
	v.tb.Helper()
	if err := v.try(script, out, args...); err != nil {
		v.tb.Fatal(err)
	}
}

func (v *driven) try(script string, out any, args ...any) error {
	return v.send(http.MethodPost, "/execute/sync", map[string]any{"script": script, "args": append([]any{}, args...)}, out)
}

// await executes the body of an async function in the page and decodes what it resolves to.
func (v *driven) await(script string, out any, args ...any) {
	v.tb.Helper()
	const wrap = `const done = arguments[arguments.length-1]; const args = [...arguments].slice(0, -1);
(async () => { %s })().then(v => done({ok: v === undefined ? null : v}), e => done({err: JSON.stringify(e) + String(e)}));`
	var answer struct {
		OK  json.RawMessage `json:"ok"`
		Err string          `json:"err"`
	}
	err := v.send(http.MethodPost, "/execute/async", map[string]any{"script": fmt.Sprintf(wrap, script), "args": append([]any{}, args...)}, &answer)
	switch {
	case err != nil:
		v.tb.Fatal(err)
	case answer.Err != "":
		v.tb.Fatalf("in the page: %s", answer.Err)
	case out != nil:
		if err := json.Unmarshal(answer.OK, out); err != nil {
			v.tb.Fatal(err)
		}
	}
}

// eventually waits until a script returns true.
func (v *driven) eventually(what, script string, args ...any) {
	v.tb.Helper()
	v.wait(what, func() error {
		var ok bool
		if err := v.try(script, &ok, args...); err != nil || ok {
			return err
		}
		return fmt.Errorf("not yet")
	})
}

func (v *driven) wait(what string, check func() error) {
	v.tb.Helper()
	deadline := time.Now().Add(patience)
	for {
		err := check()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			v.close()
			v.tb.Fatalf("%s: not within %s: %v\n%s", what, patience, err, &v.output)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// labelled finds the one control with this accessible name.
func (v *driven) labelled(name string) string {
	v.tb.Helper()
	const find = `return [...document.querySelectorAll("button,input,textarea")].filter(e => (e.getAttribute("aria-label") ?? e.textContent.trim()) === arguments[0])[0] ?? null`
	var element map[string]string
	v.wait("find "+name, func() error {
		if err := v.try(find, &element, name); err != nil || element != nil {
			return err
		}
		return fmt.Errorf("not there")
	})
	return element[elementKey]
}

// click clicks a control as the mouse would.
func (v *driven) click(name string) {
	v.tb.Helper()
	v.wait("click "+name, func() error {
		return v.send(http.MethodPost, "/element/"+v.labelled(name)+"/click", map[string]any{}, nil)
	})
}

// keys types into a control.
func (v *driven) keys(name, text string) {
	v.tb.Helper()
	v.wait("type into "+name, func() error {
		return v.send(http.MethodPost, "/element/"+v.labelled(name)+"/value", map[string]any{"text": text}, nil)
	})
}

// app is the process of the window.
func (v *driven) app() int { return v.process(filepath.Base(program(v.tb, "APP_BIN"))) }

// web is the process that draws the page.
func (v *driven) web() int { return v.process("WebKitWebProcess") }

func (v *driven) process(name string) int {
	v.tb.Helper()
	for _, pid := range family(v.cmd.Process.Pid) {
		if exe := executable(pid); filepath.Base(exe) == name {
			return pid
		}
	}
	v.tb.Fatalf("there is no process %s", name)
	return 0
}

// close ends the window, then the driver with what is left.
func (v *driven) close() {
	for _, pid := range family(v.cmd.Process.Pid)[1:] {
		if strings.HasPrefix(filepath.Base(executable(pid)), "patchbay-window") {
			_ = syscall.Kill(pid, syscall.SIGTERM)
			break // the first one is the window, the others its helpers
		}
	}
	deadline := time.Now().Add(20 * time.Second)
	for len(family(v.cmd.Process.Pid)) > 1 && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	_ = syscall.Kill(-v.cmd.Process.Pid, syscall.SIGKILL)
	_ = v.cmd.Wait() // it was killed
}
