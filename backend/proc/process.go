package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Bounds of waiting.
const (
	defaultGrace  = time.Second             // each of StopOptions
	killWait      = 1500 * time.Millisecond // for a killed group to be gone
	lingerGrace   = 100 * time.Millisecond  // for a group whose leader obeyed the end of stdin
	drainGrace    = 200 * time.Millisecond  // for the last lines of stderr
	spawnAttempts = 6
)

// StopOptions are the graces of a stop: 0 takes the default of one second, less than 0
// leaves the step out.
type StopOptions struct {
	CloseStdin time.Duration // between the end of stdin and TERM
	Term       time.Duration // between TERM and KILL
}

// Process is one process and the group it leads. All methods may be called concurrently.
type Process struct {
	cmd    *exec.Cmd
	group  *group
	stdin  *os.File // nil with NoStdin
	stdout *os.File
	stderr *os.File
	tail   *tail // nil with RawStderr

	drained   chan struct{} // stderr is read to its end; nil with RawStderr
	done      chan struct{} // the leader exited
	groupDone chan struct{} // nothing of the group lives
	hurry     chan struct{} // a stop is waiting for the group
	hurryOnce sync.Once
	stopOnce  sync.Once
	stopped   chan struct{} // the first Stop returned
}

// pipes are both ends of a process's three streams.
type pipes struct{ ours, theirs [3]*os.File }

func openPipes(spec Spec) (*pipes, error) {
	var p pipes
	for i := range p.ours {
		var err error
		switch {
		case i == 0 && spec.NoStdin:
			p.theirs[0], err = os.Open(os.DevNull)
		case i == 0:
			p.theirs[0], p.ours[0], err = os.Pipe()
		default:
			p.ours[i], p.theirs[i], err = os.Pipe()
		}
		if err != nil {
			closeFiles(p.ours)
			closeFiles(p.theirs)
			return nil, fmt.Errorf("start %s: open pipe: %w", spec.Path, err)
		}
	}
	return &p, nil
}

func closeFiles(files [3]*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// spawn starts the command. The streams are files, so that the wait for the leader never
// hangs on a grandchild that holds one.
func spawn(ctx context.Context, spec Spec, command Command) (*Process, error) {
	p, err := openPipes(spec)
	if err != nil {
		return nil, err
	}
	defer closeFiles(p.theirs)
	cmd, g, err := launch(ctx, spec, command, p.theirs)
	if err != nil {
		closeFiles(p.ours)
		return nil, startError(spec, command, err)
	}
	proc := &Process{
		cmd: cmd, group: g,
		stdin: p.ours[0], stdout: p.ours[1], stderr: p.ours[2],
		done:      make(chan struct{}),
		groupDone: make(chan struct{}),
		hurry:     make(chan struct{}),
		stopped:   make(chan struct{}),
	}
	if !spec.RawStderr {
		proc.tail = newTail(spec.StderrLine)
		proc.drained = make(chan struct{})
	}
	return proc, nil
}

// launch runs the command, a few times where it fails for a moment only.
func launch(ctx context.Context, spec Spec, command Command, std [3]*os.File) (*exec.Cmd, *group, error) {
	pause := 10 * time.Millisecond
	for attempt := 1; ; attempt++ {
		cmd := &exec.Cmd{Path: command.Path, Args: append([]string{command.Path}, command.Args...), Dir: spec.Dir, Env: spec.Env}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = std[0], std[1], std[2]
		g, err := startGroup(cmd, command.CmdLine, spec.session)
		if err == nil {
			return cmd, g, nil
		}
		if !isPassing(err) || attempt == spawnAttempts {
			return nil, nil, err
		}
		select {
		case <-time.After(pause):
			pause *= 2
		case <-ctx.Done():
			return nil, nil, context.Cause(ctx)
		}
	}
}

func startError(spec Spec, command Command, err error) error {
	switch {
	case errors.Is(err, syscall.ENOEXEC):
		return &NotExecutableError{Path: command.Path, Reason: "not a program of this system; a script needs a first line such as #!/bin/sh"}
	case errors.Is(err, os.ErrNotExist):
		// The file was found a moment ago, so it is what its first line names.
		return &NotExecutableError{Path: command.Path, Reason: "the interpreter in its first line or its loader does not exist"}
	case errors.Is(err, os.ErrPermission):
		return &NotExecutableError{Path: command.Path, Reason: "permission denied by the system"}
	}
	return fmt.Errorf("start %s: %w", spec.Path, err)
}

// watch waits for the leader and then for its group. It returns when nothing of it lives.
func (p *Process) watch() {
	if p.tail != nil {
		go func() {
			defer close(p.drained)
			p.tail.drain(p.stderr)
		}()
	}
	_ = p.cmd.Wait() // the state is in ProcessState
	gone := !p.group.alive()
	p.awaitTail()
	if gone {
		close(p.groupDone) // before Done: who sees the exit can tell whether anything is left
	}
	close(p.done)
	if !gone {
		p.awaitGroup()
		close(p.groupDone)
	}
	p.group.release()
	p.endTail()
}

// awaitGroup polls: no system tells when a process group is empty.
func (p *Process) awaitGroup() {
	for pause := 10 * time.Millisecond; p.group.alive(); {
		select {
		case <-p.hurry:
			time.Sleep(5 * time.Millisecond)
		case <-time.After(pause):
			pause = min(2*pause, time.Second)
		}
	}
}

// awaitTail lets the last lines in before Done, so that who sees the exit sees its reason.
func (p *Process) awaitTail() {
	if p.tail == nil {
		return
	}
	select {
	case <-p.drained:
	case <-time.After(drainGrace): // a grandchild holds stderr
	}
}

// endTail ends the reading of stderr when the group is gone: what daemonised may hold it
// for ever.
func (p *Process) endTail() {
	if p.tail == nil {
		return
	}
	p.awaitTail()
	p.stderr.Close()
	<-p.drained
}

// PID returns the process id of the leader, which is that of the group.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Stdin is the process's stdin, nil with NoStdin.
func (p *Process) Stdin() io.WriteCloser {
	if p.stdin == nil {
		return nil
	}
	return p.stdin
}

// Stdout is the process's stdout. It may stay open after Done when a grandchild holds it;
// Stop closes it.
func (p *Process) Stdout() io.ReadCloser { return p.stdout }

// Stderr is the process's stderr with RawStderr, nil otherwise.
func (p *Process) Stderr() io.ReadCloser {
	if p.tail != nil {
		return nil
	}
	return p.stderr
}

// Done is closed when the process itself has exited and its last lines are in StderrTail.
func (p *Process) Done() <-chan struct{} { return p.done }

// GroupDone is closed when neither the process nor anything it started in its group lives.
func (p *Process) GroupDone() <-chan struct{} { return p.groupDone }

// ExitCode tells how the process ended: its exit code, or -1 and the name of the signal
// that ended it. ok is false while it runs.
func (p *Process) ExitCode() (code int, signal string, ok bool) {
	select {
	case <-p.done:
	default:
		return 0, "", false
	}
	return exitOf(p.cmd.ProcessState)
}

// StderrTail returns the last lines of stderr, at most 200 and 64 KiB, cut at 4 KiB each.
func (p *Process) StderrTail() []string {
	if p.tail == nil {
		return nil
	}
	return p.tail.snapshot()
}

// Stop ends the process with everything in its group: it closes stdin, waits, sends TERM,
// waits, sends KILL, and returns when nothing of the group lives or, at the latest, 1.5
// seconds after KILL. Then the pipes are closed. It also ends what a leader that exited by
// itself left behind. A second caller waits for the first.
func (p *Process) Stop(o StopOptions) {
	p.stopOnce.Do(func() {
		defer close(p.stopped)
		p.stop(grace(o.CloseStdin), grace(o.Term))
	})
	<-p.stopped
}

func grace(d time.Duration) time.Duration {
	if d == 0 {
		return defaultGrace
	}
	return max(d, 0)
}

func (p *Process) stop(closeStdin, term time.Duration) {
	defer p.closePipes()
	p.hurryOnce.Do(func() { close(p.hurry) })
	if p.stdin != nil {
		p.stdin.Close()
		within(p.done, closeStdin)
		if within(p.groupDone, min(lingerGrace, closeStdin)) {
			return
		}
	}
	if term > 0 {
		p.group.terminate()
		if within(p.groupDone, term) {
			return
		}
	}
	p.group.kill()
	within(p.groupDone, killWait)
}

// Kill ends the whole group at once, closes the pipes, and returns when nothing of it lives
// or after 1.5 seconds.
func (p *Process) Kill() {
	p.kill()
	within(p.groupDone, killWait)
	p.closePipes()
}

func (p *Process) kill() {
	p.hurryOnce.Do(func() { close(p.hurry) })
	p.group.kill()
}

func (p *Process) closePipes() {
	if p.stdin != nil {
		p.stdin.Close()
	}
	p.stdout.Close()
	if p.tail == nil {
		p.stderr.Close()
	}
}

// within reports whether c is closed within d.
func within(c <-chan struct{}, d time.Duration) bool {
	select {
	case <-c:
		return true
	default:
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}
