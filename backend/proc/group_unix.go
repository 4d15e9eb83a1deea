//go:build unix

package proc

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

const watchdogNeeded = true

// groupID names a process group for as long as the machine runs: process ids come round
// again, start times do not.
type groupID struct {
	pid   int
	start string // of the leader, as the system counts it; "" when it could not be read
}

// group is the process group a Process leads.
type group struct {
	name groupID

	mu   sync.Mutex
	gone bool // seen empty once: its number may be another's by now
}

func startGroup(cmd *exec.Cmd, _ string, session bool) (*group, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: !session, Setsid: session}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	// Not reaped yet, so the number is still its own.
	start, _ := startTime(cmd.Process.Pid)
	return &group{name: groupID{cmd.Process.Pid, start}}, nil
}

func (g *group) id() groupID { return g.name }

// alive reports whether anything in the group still runs; zombies do not.
func (g *group) alive() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.gone = g.gone || !g.name.alive()
	return !g.gone
}

func (g *group) terminate() { g.signal(syscall.SIGTERM) }
func (g *group) kill()      { g.signal(syscall.SIGKILL) }
func (g *group) release()   {}

func (g *group) signal(sig syscall.Signal) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.gone {
		g.name.signal(sig)
	}
}

// alive reports whether a process that is not a zombie is in the group.
func (id groupID) alive() bool {
	if err := syscall.Kill(-id.pid, 0); errors.Is(err, syscall.ESRCH) {
		return false
	}
	return id.ours() && groupLives(id.pid)
}

// ours reports whether the number still means this group. It cannot be given again while
// any member lives; so it is another's only if its leader runs with another start time.
func (id groupID) ours() bool {
	start, err := startTime(id.pid)
	return err != nil || id.start == "" || start == id.start
}

func (id groupID) signal(sig syscall.Signal) {
	if id.ours() {
		_ = syscall.Kill(-id.pid, sig) // gone already is what is wanted
	}
}

func exitOf(state *os.ProcessState) (code int, signal string, ok bool) {
	status, isWait := state.Sys().(syscall.WaitStatus)
	if isWait && status.Signaled() {
		return -1, signalName(status.Signal()), true
	}
	return state.ExitCode(), "", true
}

// isPassing reports whether a start fails for a moment only: the file was just written, or
// the system is short of processes.
func isPassing(err error) bool {
	return errors.Is(err, syscall.ETXTBSY) || errors.Is(err, syscall.EAGAIN)
}
