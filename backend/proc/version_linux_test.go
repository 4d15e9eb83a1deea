package proc

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTheLoginShellIsAskedOnceAndAgainWhenWanted(t *testing.T) {
	dir, env := home(t, "echo x >> "+filepath.Join("$HOME", "asked")+"\nexport PATH=/one:$PATH MINE=1\n")
	e := NewEnvironment(env, EnvironmentOptions{Probe: ProbeAlways, Supervisor: supervise(t), Timeout: patience})
	asked := func() int {
		text, _ := os.ReadFile(filepath.Join(dir, "asked")) // not there before the first question
		return strings.Count(string(text), "x")
	}
	shell, err := e.LoginShell(t.Context(), false)
	if err != nil || shell.Path != "/bin/bash" {
		t.Fatalf("shell = %q, %v", shell.Path, err)
	}
	wantVar(t, shell.Env, "MINE", "1")
	wantVar(t, e.Own(), "MINE", "")
	e.Completed(t.Context())
	if _, err := e.LoginShell(t.Context(), false); err != nil || asked() != 1 {
		t.Errorf("asked %d times, want once: %v", asked(), err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".bash_profile"), []byte("export PATH=/two:$PATH\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	shell, err = e.LoginShell(t.Context(), true)
	if search, _ := Lookup(shell.Env, "PATH"); err != nil || !strings.HasPrefix(search, "/two:") {
		t.Errorf("asked again: %q, %v", search, err)
	}
	if search, _ := Lookup(e.Completed(t.Context()), "PATH"); !strings.Contains(search, "/two") || strings.Contains(search, "/one") {
		t.Errorf("completed with the old answer: %q", search)
	}
}

func TestALoginShellThatHangsOrIsNotAsked(t *testing.T) {
	_, env := home(t, "sleep 60\n")
	e := NewEnvironment(env, EnvironmentOptions{Probe: ProbeAlways, Supervisor: supervise(t), Timeout: 200 * time.Millisecond})
	if _, err := e.LoginShell(t.Context(), false); err == nil || !strings.Contains(err.Error(), "did not answer within 200ms") {
		t.Errorf("hangs: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	slow := NewEnvironment(env, EnvironmentOptions{Probe: ProbeAlways, Supervisor: supervise(t), Timeout: patience})
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := slow.LoginShell(ctx, false); err == nil || ctx.Err() == nil {
		t.Errorf("cancelled: %v", err)
	}
	never := NewEnvironment(env, EnvironmentOptions{Probe: ProbeNever, Supervisor: supervise(t)})
	if _, err := never.LoginShell(t.Context(), false); err == nil {
		t.Error("a shell that is not asked has answered")
	}
}

func TestForCommandCompletesOnlyWhatIsNotFound(t *testing.T) {
	tools := t.TempDir()
	executable(t, filepath.Join(tools, "only-in-shell"), "#!/bin/sh\n")
	_, env := home(t, "export PATH="+tools+":$PATH\n")
	e := NewEnvironment(env, EnvironmentOptions{Supervisor: supervise(t), Timeout: patience})
	e.terminal = true // else everything is completed
	has := func(command string, overrides map[string]string) bool {
		search, _ := Lookup(e.ForCommand(t.Context(), command, "", overrides), "PATH")
		return strings.Contains(search, tools)
	}
	if has("sh", nil) || !has("only-in-shell", nil) || has("only-in-shell", map[string]string{"PATH": "/mine"}) {
		t.Errorf("sh %v, only-in-shell %v, with a PATH of its own %v", has("sh", nil), has("only-in-shell", nil), has("only-in-shell", map[string]string{"PATH": "/mine"}))
	}
}

func TestVersionsAreAskedForAndKept(t *testing.T) {
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	node := executable(t, filepath.Join(dir, "node"), "#!/bin/sh\necho x >> "+count+"\necho \"v22.14.0 in $PWD\"\necho more\n")
	s := supervise(t)
	v := NewVersions(s)
	env := []string{"PATH=/usr/bin:/bin"}
	for _, again := range []bool{false, false, true} {
		if got, err := v.Of(t.Context(), node, dir, env, again); err != nil || got != "v22.14.0 in "+dir {
			t.Errorf("version = %q, %v", got, err)
		}
	}
	if text, err := os.ReadFile(count); err != nil || strings.Count(string(text), "x") != 2 {
		t.Errorf("asked %q, want twice: %v", text, err)
	}
	silent := executable(t, filepath.Join(dir, "silent"), "#!/bin/sh\n")
	if got, err := v.Of(t.Context(), silent, dir, env, false); err == nil {
		t.Errorf("a silent program has version %q", got)
	}
	endless := executable(t, filepath.Join(dir, "endless"), "#!/bin/sh\nsleep 300\n")
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if got, err := v.Of(ctx, endless, dir, env, false); err == nil {
		t.Errorf("an endless program has version %q", got)
	}
	eventually(t, "nothing of the questions is left", func() bool { return len(s.marked()) == 0 })
}

// TestAShellThatTellsItsLastArgumentIsUnderstood: where _ is exported, dash hands its children the last argument
// of the command before in it, which was the mark that ends the answer.
func TestAShellThatTellsItsLastArgumentIsUnderstood(t *testing.T) {
	for _, path := range []string{"/bin/sh", "/bin/bash", "/bin/dash", "/bin/zsh"} {
		if _, err := os.Stat(path); err != nil {
			continue
		}
		dir := t.TempDir()
		profile := "export PATH=/mine:$PATH\n"
		for n := range 40 { // so that _ is not the last one, in whatever order they come
			profile += fmt.Sprintf("export MINE_%d=1\n", n)
		}
		for _, file := range []string{".profile", ".zprofile"} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(profile), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		e := NewEnvironment([]string{minimalPath, "HOME=" + dir, "SHELL=" + path, "_=/usr/bin/patchbay"}, EnvironmentOptions{Probe: ProbeAlways, Supervisor: supervise(t), Timeout: patience})
		shell, err := e.LoginShell(t.Context(), false)
		search, _ := Lookup(shell.Env, "PATH")
		mine := strings.Count("\n"+strings.Join(shell.Env, "\n"), "\nMINE_")
		if err != nil || !strings.HasPrefix(search, "/mine:") || mine != 40 {
			t.Errorf("%s: PATH %q, %d of 40 variables, %v: %q", path, search, mine, err, shell.Env)
		}
	}
}
