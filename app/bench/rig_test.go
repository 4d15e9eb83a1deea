//go:build linux

// Package bench measures the real window beside a bare one on this machine. It is run by
// make bench, which builds the programs and starts a display: see build/bench.sh.
package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
)

// patience bounds every wait for a window on a slow machine.
const patience = 90 * time.Second

// readyLine is a part of what both programs print when their page is painted.
const readyLine = "the page is ready"

// program returns the path that an environment variable of build/bench.sh holds.
func program(tb testing.TB, env string) string {
	tb.Helper()
	path := os.Getenv(env)
	if path == "" {
		tb.Fatalf("%s is not set: run make bench, which builds the programs and starts a display", env)
	}
	return path
}

// place is the home and the workspace of a window.
type place struct {
	home, workspace string
	env             []string // added to the window's environment
}

func newPlace(tb testing.TB, env ...string) place {
	return place{home: tb.TempDir(), workspace: tb.TempDir(), env: env}
}

// servers makes every definition enabled and trusted in the workspace.
func (p place) servers(tb testing.TB, definitions map[string]map[string]any) {
	tb.Helper()
	var names []string
	for name := range definitions {
		names = append(names, name)
	}
	p.write(tb, filepath.Join(p.home, ".ai4j", "mcp.json"), map[string]any{"mcpServers": definitions})
	p.write(tb, filepath.Join(p.workspace, ".ai4j", "workspace.json"), map[string]any{"enabledMcpServers": names})
	trust, err := mcpconf.OpenTrust(mcpconf.Options{State: filepath.Join(p.home, ".local/state/patchbay"), Runtime: tb.TempDir()})
	if err != nil {
		tb.Fatal(err)
	}
	defer trust.Close()
	if err := trust.Trust(p.workspace, names...); err != nil {
		tb.Fatal(err)
	}
}

func (p place) write(tb testing.TB, path string, content any) {
	tb.Helper()
	data, err := json.MarshalIndent(content, "", "  ")
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o755)
	}
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		tb.Fatal(err)
	}
}

// environment is that of a person with nothing set up, and p's additions.
func (p place) environment() []string {
	var env []string
	for _, kv := range os.Environ() {
		name, _, _ := strings.Cut(kv, "=")
		if !strings.HasPrefix(name, "XDG_") && !strings.HasPrefix(name, "OPENAI_") && name != "HOME" {
			env = append(env, kv)
		}
	}
	env = append(env, "HOME="+p.home, "LANG=C.UTF-8", "PATCHBAY_LOG=info",
		"XDG_CONFIG_HOME="+filepath.Join(p.home, ".config"), "XDG_DATA_HOME="+filepath.Join(p.home, ".local/share"),
		"XDG_STATE_HOME="+filepath.Join(p.home, ".local/state"), "XDG_CACHE_HOME="+filepath.Join(p.home, ".cache"))
	return append(env, p.env...)
}

// forty are stdio servers, each a process of its own. Their program is a copy, whose memory
// the window's own helpers do not share.
func forty(tb testing.TB) map[string]map[string]any {
	tb.Helper()
	command := filepath.Join(tb.TempDir(), "server")
	data, err := os.ReadFile(program(tb, "CLI_BIN"))
	if err == nil {
		err = os.WriteFile(command, data, 0o755)
	}
	if err != nil {
		tb.Fatal(err)
	}
	all := map[string]map[string]any{}
	for i := range 40 {
		// Each holds back what the others offer too, so that none clashes.
		all[fmt.Sprintf("s%02d", i)] = map[string]any{
			"command": command, "args": []string{"demo-server"},
			"tools": map[string]any{"rename": renamed(i)},
		}
	}
	return all
}

func renamed(i int) map[string]string {
	names := map[string]string{}
	for _, tool := range []string{"demo_echo", "demo_add", "demo_time", "demo_count"} {
		names[tool] = fmt.Sprintf("%s_%d", tool, i)
	}
	return names
}

// window is a running window without a driver.
type window struct {
	cmd   *exec.Cmd
	ready time.Duration // from its start until its page was painted
	log   *bytes.Buffer
	over  sync.WaitGroup
}

// open starts a program in a place and waits until its page is painted.
func open(tb testing.TB, path string, p place, args ...string) *window {
	tb.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		tb.Fatal(err)
	}
	v := &window{cmd: exec.Command(path, args...), log: &bytes.Buffer{}}
	v.cmd.Env, v.cmd.Dir = p.environment(), p.home
	v.cmd.Stdout, v.cmd.Stderr = w, w
	v.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	began := time.Now()
	if err := v.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	w.Close()
	painted := make(chan time.Time, 1)
	v.over.Go(func() { watch(r, v.log, painted) })
	select {
	case at, ok := <-painted:
		if v.ready = at.Sub(began); ok {
			return v
		}
	case <-time.After(patience):
	}
	v.close(tb)
	tb.Fatalf("%s: its page was not painted within %s:\n%s", path, patience, v.log)
	return v
}

// watch reads what a window prints until it ends and tells when the page was painted; the
// channel is closed at the end.
func watch(r io.ReadCloser, log *bytes.Buffer, painted chan<- time.Time) {
	defer r.Close()
	defer close(painted)
	lines := bufio.NewScanner(r)
	for told := false; lines.Scan(); {
		log.Write(append(lines.Bytes(), '\n'))
		if !told && strings.Contains(lines.Text(), readyLine) {
			painted <- time.Now()
			told = true
		}
	}
}

// close ends the window as a desktop would, and what is left of it after a while.
func (v *window) close(tb testing.TB) {
	tb.Helper()
	_ = v.cmd.Process.Signal(syscall.SIGTERM)
	late := time.AfterFunc(30*time.Second, func() { _ = syscall.Kill(-v.cmd.Process.Pid, syscall.SIGKILL) })
	err := v.cmd.Wait()
	if !late.Stop() {
		tb.Fatalf("the window did not close: %v", err)
	}
	v.over.Wait()
}
