//go:build linux

package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestProcessEchoesAndEndsWithStdin(t *testing.T) {
	s := supervise(t)
	p := start(t, s, Spec{Path: "cat"})
	if _, err := io.WriteString(p.Stdin(), "hello\n"); err != nil {
		t.Fatal(err)
	}
	if got := readLine(t, p); got != "hello" {
		t.Errorf("read %q", got)
	}
	if _, _, ok := p.ExitCode(); ok {
		t.Error("a running process has an exit code")
	}
	p.Stop(StopOptions{CloseStdin: patience})
	if code, sig, ok := p.ExitCode(); code != 0 || sig != "" || !ok {
		t.Errorf("cat ended with %d %q %v, want by itself at the end of stdin", code, sig, ok)
	}
}

func TestExitCodes(t *testing.T) {
	for _, tt := range []struct {
		script, signal string
		code           int
	}{
		{"exit 3", "", 3},
		{"kill -SEGV $$", "SIGSEGV", -1},
	} {
		p := shell(t, supervise(t), tt.script)
		await(t, tt.script, p.Done())
		if code, sig, ok := p.ExitCode(); code != tt.code || sig != tt.signal || !ok {
			t.Errorf("%s: got %d %q %v", tt.script, code, sig, ok)
		}
	}
}

func TestLastStderrLinesAreThereAtDone(t *testing.T) {
	s := supervise(t)
	p := shell(t, s, `printf 'a\nError: Cannot find module foo' >&2; exit 1`)
	await(t, "exit", p.Done())
	if got := p.StderrTail(); !slices.Equal(got, []string{"a", "Error: Cannot find module foo"}) {
		t.Errorf("tail %q", got)
	}
}

func TestS15ChattyStderrDoesNotBlock(t *testing.T) {
	var mu sync.Mutex
	heard := 0
	p := start(t, supervise(t), Spec{Path: self(), Args: []string{"rig:flood"},
		StderrLine: func(string) { mu.Lock(); heard++; mu.Unlock() }})
	if got := readLine(t, p); got != "ready" {
		t.Fatalf("read %q", got)
	}
	p.Stop(StopOptions{CloseStdin: patience})
	size := len(strings.Join(p.StderrTail(), ""))
	mu.Lock()
	defer mu.Unlock()
	if heard != 256 || size == 0 || size > tailBytes {
		t.Errorf("heard %d lines, kept %d bytes", heard, size)
	}
}

func TestS23WholeTreeIsGone(t *testing.T) {
	tests := []struct{ name, script string }{
		{"grandchild outlives its parent's wait", "sleep 3600 & wait"},
		{"wrapper ignores stdin and TERM", fmt.Sprintf("trap '' TERM; %s rig:stubborn & echo ready; while :; do wait; sleep 0.1; done", self())},
		{"grandchild ignores TERM", self() + " rig:stubborn & wait"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := supervise(t)
			p := shell(t, s, tt.script)
			eventually(t, "leader and grandchild run", func() bool { return len(s.marked()) >= 2 })
			p.Stop(StopOptions{CloseStdin: 50 * time.Millisecond, Term: 100 * time.Millisecond})
			if left := s.marked(); len(left) > 0 {
				t.Errorf("left after Stop: %v", left)
			}
			await(t, "group done", p.GroupDone())
		})
	}
}

func TestGrandchildrenOfALeaderThatExitedAreStopped(t *testing.T) {
	s := supervise(t)
	p := shell(t, s, "sleep 3600 >/dev/null 2>&1 & echo $!")
	await(t, "exit of the leader", p.Done())
	if within(p.GroupDone(), 50*time.Millisecond) {
		t.Fatal("the group is done while sleep runs")
	}
	p.Stop(StopOptions{})
	await(t, "group done", p.GroupDone())
	if left := s.marked(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

func TestStopDoesNotWaitForWhoHoldsThePipes(t *testing.T) {
	s := supervise(t)
	p := shell(t, s, "setsid sleep 3600 & echo ready")
	readLine(t, p)
	await(t, "exit", p.Done())
	p.Stop(StopOptions{})
	if _, err := p.Stdout().Read(make([]byte, 1)); !errors.Is(err, os.ErrClosed) {
		t.Errorf("stdout after Stop: %v", err)
	}
	if len(s.marked()) != 1 {
		t.Error("the daemon is out of the group, and yet gone")
	}
	s.Close() // the watchdog finds it by its mark
	if left := s.marked(); len(left) > 0 {
		t.Errorf("left after Close: %v", left)
	}
}

func TestCloseStopsAllAtOnceAndRefusesNewOnes(t *testing.T) {
	s := supervise(t)
	for range 6 {
		readLine(t, start(t, s, Spec{Path: self(), Args: []string{"rig:stubborn"}}))
	}
	begin := time.Now()
	s.Close()
	if took := time.Since(begin); took > 6*2*defaultGrace {
		t.Errorf("took %v: one after the other", took)
	}
	if left := s.marked(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := s.Start(t.Context(), Spec{Path: "true"}); !errors.Is(err, ErrClosed) {
		t.Errorf("Start after Close: %v", err)
	}
}

func TestS23KilledApplicationLeavesNothing(t *testing.T) {
	app, mark, watchdog := runApp(t)
	entry := Mark + "=" + mark
	if got := len(marked(entry)); got < 3 {
		t.Fatalf("%d processes carry the mark, want shell, grandchild and daemon", got)
	}
	if err := app.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = app.Wait()
	eventually(t, "no process carries the mark and no watchdog runs", func() bool {
		return len(marked(entry)) == 0 && !living(watchdog)
	})
}

func TestWatchdogSurvivesSignalsOfATerminal(t *testing.T) {
	app, mark, watchdog := runApp(t)
	for _, sig := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if err := syscall.Kill(watchdog, sig); err != nil {
			t.Fatal(err)
		}
	}
	_ = app.Process.Kill()
	_ = app.Wait()
	eventually(t, "the watchdog did its work", func() bool {
		return len(marked(Mark+"="+mark)) == 0 && !living(watchdog)
	})
}

func TestDeadWatchdogIsReplaced(t *testing.T) {
	s := supervise(t)
	first := shell(t, s, "sleep 3600")
	old := s.watchdogPID()
	if old == 0 {
		t.Fatal("no watchdog")
	}
	if err := syscall.Kill(old, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	eventually(t, "its end is known", func() bool { return !living(old) && s.watchdogPID() == 0 })
	shell(t, s, "sleep 3600")
	next := s.watchdogPID()
	if next == 0 || next == old {
		t.Fatalf("watchdog %d, was %d", next, old)
	}
	s.watchdog.close() // as the end of the application: it must know the first group too
	await(t, "end of the first process", first.Done())
}

func TestWatchdogNeverHitsANumberThatCameRound(t *testing.T) {
	s := supervise(t)
	p := shell(t, s, "sleep 3600")
	id := p.group.id()
	lines := fmt.Sprintf("add %d 1\nadd %s\nremove %s\nadd 1 1\nadd -5 1\nadd x\n", id.pid, id, id)
	if code := runWatchdog(t, lines); code != 0 {
		t.Errorf("exit %d", code)
	}
	if !living(id.pid) {
		t.Error("a process with another start time was ended")
	}
}

// runWatchdog runs the watchdog as a program that reads lines.
func runWatchdog(t *testing.T, lines string) int {
	t.Helper()
	s := NewSupervisor(SupervisorOptions{})
	defer s.Close()
	p := start(t, s, Spec{Path: self(), Args: []string{"rig:watchdog"}})
	if _, err := io.WriteString(p.Stdin(), lines); err != nil {
		t.Fatal(err)
	}
	p.Stdin().Close()
	await(t, "exit of the watchdog", p.Done())
	code, _, _ := p.ExitCode()
	return code
}

func TestChildrenInheritNothing(t *testing.T) {
	s := supervise(t)
	shell(t, s, "sleep 3600") // the watchdog and another child have pipes open now
	own := ownPipes(t)
	p := start(t, s, Spec{Path: self(), Args: []string{"rig:fds"}})
	raw, err := io.ReadAll(p.Stdout())
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		fd, target, _ := strings.Cut(line, " ")
		if len(fd) > 1 || fd > "2" {
			if slices.Contains(own, target) {
				t.Errorf("inherited fd %s: %s", fd, target)
			}
		}
	}
	if len(own) < 3 {
		t.Errorf("this process has only %v open: nothing was tested", own)
	}
}

// ownPipes are the pipes this process opened itself: those that close on exec.
func ownPipes(t *testing.T) []string {
	t.Helper()
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	var own []string
	for _, n := range names {
		target, _ := os.Readlink("/proc/self/fd/" + n.Name())
		info, _ := os.ReadFile("/proc/self/fdinfo/" + n.Name())
		if strings.HasPrefix(target, "pipe:") && closesOnExec(string(info)) {
			own = append(own, target)
		}
	}
	return own
}

// closesOnExec reads the octal flags of /proc/PID/fdinfo (proc_pid_fdinfo(5)).
func closesOnExec(info string) bool {
	_, after, _ := strings.Cut(info, "flags:")
	var flags int
	_, err := fmt.Sscanf(strings.TrimSpace(after), "%o", &flags)
	return err == nil && flags&syscall.O_CLOEXEC != 0
}

func TestStartErrors(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	lost := executable(t, filepath.Join(dir, "lost"), "#!/no/such/interpreter\n")
	blank := executable(t, filepath.Join(dir, "blank"), "")
	env := []string{"PATH=/nowhere:" + dir}
	s := supervise(t)
	for _, tt := range []struct {
		name string
		spec Spec
		want []string
		kind any
	}{
		{"not found", Spec{Path: "npx", Env: env}, []string{`"npx"`, "/nowhere", "absolute path"}, new(*NotFoundError)},
		{"no such file", Spec{Path: "./nope", Dir: dir}, []string{"./nope", "no such file"}, new(*NotFoundError)},
		{"no permission", Spec{Path: "plain", Env: env}, []string{plain, "chmod +x"}, new(*NotExecutableError)},
		{"interpreter", Spec{Path: lost}, []string{lost, "interpreter"}, new(*NotExecutableError)},
		{"format", Spec{Path: blank}, []string{blank, "#!"}, new(*NotExecutableError)},
		{"no folder", Spec{Path: "sh", Dir: dir + "/no"}, []string{dir + "/no", "no such folder"}, new(*BadDirError)},
		{"file as folder", Spec{Path: "sh", Dir: plain}, []string{plain, "not a folder"}, new(*BadDirError)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := s.Start(t.Context(), tt.spec)
			if err == nil || !errors.As(err, tt.kind) {
				t.Fatalf("got %T %v, want %T", err, err, tt.kind)
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q lacks %q", err, want)
				}
			}
		})
	}
}

func TestJustWrittenProgramIsTriedAgain(t *testing.T) {
	path := executable(t, filepath.Join(t.TempDir(), "busy"), "#!/bin/sh\necho up\n")
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	closed := time.AfterFunc(30*time.Millisecond, func() { f.Close() })
	defer closed.Stop()
	if got := readLine(t, start(t, supervise(t), Spec{Path: path})); got != "up" {
		t.Errorf("read %q", got)
	}
}

func TestWaitingForASlotEndsWithTheContext(t *testing.T) {
	s := NewSupervisor(SupervisorOptions{MaxSpawns: 1})
	defer s.Close()
	s.spawning <- struct{}{}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("paused"))
	if _, err := s.Start(ctx, Spec{Path: "sh"}); err == nil || !strings.Contains(err.Error(), "paused") {
		t.Errorf("got %v", err)
	}
	<-s.spawning
}

func TestManyStartAndStopTogether(t *testing.T) {
	s := supervise(t)
	var wait sync.WaitGroup
	for range 24 {
		wait.Go(func() {
			p, err := s.Start(t.Context(), Spec{Path: "cat"})
			if err != nil {
				t.Error(err)
				return
			}
			wait.Go(func() { p.Stop(StopOptions{}) })
			p.Stop(StopOptions{})
		})
	}
	wait.Wait()
	if n := len(s.marked()); n != 0 {
		t.Errorf("%d left", n)
	}
}
