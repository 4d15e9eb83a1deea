//go:build linux

package proc

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// patience is the ceiling of every wait: a loaded machine may be very slow.
const patience = 40 * time.Second

// TestMain is also the program of every process the tests start: "rig:NAME" says which.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && strings.HasPrefix(os.Args[1], "rig:") {
		os.Exit(rig(strings.TrimPrefix(os.Args[1], "rig:"), os.Args[2:]))
	}
	goleak.VerifyTestMain(m)
}

func rig(name string, args []string) int {
	switch name {
	case "watchdog":
		return WatchdogMain(os.Stdin)
	case "app":
		return rigApp(args)
	case "flood":
		line := strings.Repeat("x", 1023) + "\n"
		for range 256 {
			fmt.Fprint(os.Stderr, line)
		}
		fmt.Println("ready")
		_, _ = io.Copy(io.Discard, os.Stdin)
	case "stubborn": // ignores the end of stdin and TERM
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		fmt.Println("ready")
		time.Sleep(time.Hour)
	case "fds":
		names, _ := os.ReadDir("/proc/self/fd")
		for _, n := range names {
			target, _ := os.Readlink("/proc/self/fd/" + n.Name())
			fmt.Println(n.Name(), target)
		}
	}
	return 0
}

// rigApp is an application: a supervisor with a watchdog, a server with a grandchild, and
// one that left the group; it records them in the folder args[0]. It says who they are and
// waits to be killed.
func rigApp(args []string) int {
	s := NewSupervisor(SupervisorOptions{WatchdogCommand: []string{self(), "rig:watchdog"}, Records: strings.Join(args, "")})
	script := fmt.Sprintf("%[1]s rig:stubborn & setsid %[1]s rig:stubborn & wait", self())
	p, err := s.Start(context.Background(), Spec{Path: "sh", Args: []string{"-c", script}})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	lines := bufio.NewScanner(p.Stdout())
	for range 2 {
		lines.Scan()
	}
	fmt.Println(s.mark, s.watchdogPID())
	time.Sleep(time.Hour)
	return 0
}

// watchdogPID finds the watchdog: the child of this process in another session.
func (s *Supervisor) watchdogPID() int {
	pids, _ := listPIDs()
	for _, pid := range pids {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if bytes.Contains(line, []byte("rig:watchdog")) && parent(pid) == os.Getpid() {
			return pid
		}
	}
	return 0
}

func parent(pid int) int {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	ppid, _ := strconv.Atoi(strings.Fields(string(raw[bytes.LastIndexByte(raw, ')')+1:]))[1])
	return ppid
}

func self() string {
	path, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return path
}

func supervise(t *testing.T) *Supervisor {
	t.Helper()
	s := NewSupervisor(SupervisorOptions{WatchdogCommand: []string{self(), "rig:watchdog"}})
	t.Cleanup(func() {
		s.Close()
		eventually(t, "nothing carries the mark", func() bool { return len(s.marked()) == 0 })
	})
	return s
}

func (s *Supervisor) marked() []groupID { return marked(Mark + "=" + s.mark) }

func start(t *testing.T, s *Supervisor, spec Spec) *Process {
	t.Helper()
	p, err := s.Start(t.Context(), spec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

func shell(t *testing.T, s *Supervisor, script string) *Process {
	t.Helper()
	return start(t, s, Spec{Path: "sh", Args: []string{"-c", script}})
}

func readLine(t *testing.T, p *Process) string {
	t.Helper()
	line, err := bufio.NewReader(p.Stdout()).ReadString('\n')
	if err != nil {
		t.Fatalf("read a line of pid %d: %v; stderr %q", p.PID(), err, p.StderrTail())
	}
	return strings.TrimSuffix(line, "\n")
}

func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	if !within(c, patience) {
		t.Fatalf("%s did not happen in %v", what, patience)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

func living(pid int) bool {
	s, err := readStat(pid)
	return err == nil && s.state != 'Z' && s.state != 'X'
}

func executable(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func runApp(t *testing.T, args ...string) (app *exec.Cmd, mark string, watchdog int) {
	t.Helper()
	app = exec.Command(self(), append([]string{"rig:app"}, args...)...)
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill(); _ = app.Wait() })
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	if n, err := fmt.Sscan(line, &mark, &watchdog); n != 2 || watchdog == 0 {
		t.Fatalf("application said %q: %v", line, err)
	}
	return app, mark, watchdog
}
