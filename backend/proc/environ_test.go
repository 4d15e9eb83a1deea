//go:build linux

package proc

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

const minimalPath = "PATH=/usr/bin:/bin:/usr/sbin:/sbin"

// home is a HOME whose login shell is bash with profile as its start-up file.
func home(t *testing.T, profile string) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".bash_profile"), []byte(profile), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, []string{minimalPath, "HOME=" + dir, "SHELL=/bin/bash", "KEEP=mine"}
}

func completed(t *testing.T, env []string, o EnvironmentOptions) []string {
	t.Helper()
	o.Supervisor = supervise(t)
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	return NewEnvironment(env, o).Completed(t.Context())
}

func wantVar(t *testing.T, env []string, name, want string) {
	t.Helper()
	if got, ok := Lookup(env, name); got != want || ok != (want != "") {
		t.Errorf("%s=%q (%v), want %q", name, got, ok, want)
	}
}

func TestS01CommandOfTheLoginShellIsFound(t *testing.T) {
	tools := t.TempDir()
	executable(t, filepath.Join(tools, "patchbay-npx"), "#!/bin/sh\necho started\n")
	_, env := home(t, "echo 'Welcome back!'; echo 'A=1'\nexport PATH="+tools+":$PATH KEEP=theirs EXTRA=$'two\\nlines' TERM=x\n")
	s := supervise(t)
	if _, err := s.Start(t.Context(), Spec{Path: "patchbay-npx", Env: env}); err == nil {
		t.Fatal("found without the login shell")
	}
	e := NewEnvironment(env, EnvironmentOptions{Probe: ProbeAlways, Supervisor: s, Timeout: patience})
	got := e.Environ(t.Context())
	wantVar(t, got, "KEEP", "mine")
	wantVar(t, got, "EXTRA", "two\nlines")
	wantVar(t, got, "A", "")
	wantVar(t, got, "TERM", "")
	wantVar(t, got, "PATCHBAY_RESOLVING_ENVIRONMENT", "")
	wantVar(t, got, Mark, "")
	if path, _ := Lookup(got, "PATH"); !strings.HasPrefix(path, strings.TrimPrefix(minimalPath, "PATH=")+":") {
		t.Errorf("PATH was reordered: %s", path)
	}
	if line := readLine(t, start(t, s, Spec{Path: "patchbay-npx", Env: got})); line != "started" {
		t.Errorf("read %q", line)
	}
}

func TestS01WellKnownFolders(t *testing.T) {
	dir, env := home(t, "")
	for _, v := range []string{"v9.0.0", "v22.14.0", "v22.9.1", "system"} {
		executable(t, filepath.Join(dir, ".nvm/versions/node", v, "bin", "npx"), "#!/bin/sh\n")
	}
	executable(t, filepath.Join(dir, ".local/bin/uvx"), "#!/bin/sh\n")
	got := completed(t, env, EnvironmentOptions{Probe: ProbeNever})
	for command, want := range map[string]string{
		"uvx": dir + "/.local/bin/uvx",
	} {
		if path, err := LookPath(command, "/", got); path != want {
			t.Errorf("%s: %q %v", command, path, err)
		}
	}
	path, _ := Lookup(got, "PATH")
	folders := filepath.SplitList(path)
	if !slices.Contains(folders, dir+"/.nvm/versions/node/v22.14.0/bin") || strings.Contains(path, "v22.9.1") || strings.Contains(path, ".cargo") {
		t.Errorf("PATH %s", path)
	}
}

func TestS01SlowLoginShellIsLeftBehind(t *testing.T) {
	_, env := home(t, "sleep 3600 & sleep 3600\n")
	s := supervise(t)
	e := NewEnvironment(env, EnvironmentOptions{Supervisor: s, Timeout: 200 * time.Millisecond})
	begin := time.Now()
	got := e.Completed(t.Context())
	if took := time.Since(begin); took > patience {
		t.Errorf("took %v", took)
	}
	wantVar(t, got, "KEEP", "mine")
	if len(s.all()) > 0 {
		eventually(t, "the shell and its sleep are gone", func() bool { return len(s.all()) == 0 })
	}
}

func TestLoginShellThatFails(t *testing.T) {
	for name, profile := range map[string]string{"exits": "exit 7\n", "replaced": "exec true\n"} {
		t.Run(name, func(t *testing.T) {
			_, env := home(t, profile)
			wantVar(t, completed(t, env, EnvironmentOptions{}), "KEEP", "mine")
		})
	}
	_, env := home(t, "")
	env = append(env, "SHELL=/no/such/shell")
	wantVar(t, completed(t, env, EnvironmentOptions{}), "KEEP", "mine")
}

func TestDaemonOfStartUpFileDoesNotHoldTheAnswer(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	_, env := home(t, "setsid sh -c 'echo $$ > "+pidFile+"; exec sleep 5' &\nexport EXTRA=1\n")
	wantVar(t, completed(t, env, EnvironmentOptions{}), "EXTRA", "1")
}

func TestCallersShareOneLoginShell(t *testing.T) {
	count := filepath.Join(t.TempDir(), "count")
	_, env := home(t, "echo x >> "+count+"\nexport EXTRA=1\n")
	e := NewEnvironment(env, EnvironmentOptions{Probe: ProbeAlways, Supervisor: supervise(t), Timeout: patience})
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() { wantVar(t, e.Environ(t.Context()), "EXTRA", "1") })
	}
	wait.Wait()
	if raw, err := os.ReadFile(count); err != nil || string(raw) != "x\n" {
		t.Errorf("asked %q times, %v", raw, err)
	}
}

func TestCancelledCallerLeavesTheQuestionOpen(t *testing.T) {
	_, env := home(t, "export EXTRA=1\n")
	e := NewEnvironment(env, EnvironmentOptions{Supervisor: supervise(t), Timeout: patience})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	wantVar(t, e.Completed(ctx), "EXTRA", "")
	wantVar(t, e.Completed(t.Context()), "EXTRA", "1")
}

func TestProbeNeverAsksNobody(t *testing.T) {
	_, env := home(t, "export EXTRA=1\n")
	e := NewEnvironment(env, EnvironmentOptions{Probe: ProbeNever})
	if got := e.Environ(t.Context()); !slices.Equal(got, env) {
		t.Errorf("got %q", got)
	}
	wantVar(t, e.Completed(t.Context()), "EXTRA", "")
}

func TestEnvWithoutNul(t *testing.T) {
	got, err := readAnswer(io.MultiReader(strings.NewReader("hi mark\nA=1\nfunction () { x=1\nB=2=3\nma"), strings.NewReader("rk\n")), "mark")
	if err != nil || !slices.Equal(got, []string{"A=1", "B=2=3"}) {
		t.Errorf("got %q %v", got, err)
	}
}
