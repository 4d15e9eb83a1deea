package proc

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Mark is the environment variable that every process of a Supervisor inherits: how the
// watchdog finds those that left their group.
const Mark = "PATCHBAY_OWNER"

// SupervisorOptions says how a Supervisor works.
type SupervisorOptions struct {
	// WatchdogCommand is the absolute program and arguments that run WatchdogMain on stdin;
	// empty: none is started (on Windows none is needed).
	WatchdogCommand []string
	// MaxSpawns is how many processes are being started at one time, 0 for twice the number
	// of cores and at least four.
	MaxSpawns int
	// Records is a folder of this user's where each application process records what it
	// starts, for Sweep of the next one; "" records nothing (on Windows nothing is needed).
	Records string
	Logger  *slog.Logger // nil: nothing is logged
}

// Supervisor owns the processes of one application process. All methods may be called
// concurrently.
type Supervisor struct {
	mark     string
	spawning chan struct{}
	log      *slog.Logger
	watchdog *watchdog // nil where there is none
	record   *record
	swept    func() []Ended // once

	mu     sync.Mutex
	living map[*Process]struct{}
	closed bool
	wait   sync.WaitGroup // one for every member of living
}

// NewSupervisor returns a Supervisor that has started nothing yet: the watchdog starts with
// the first process. Close ends it.
func NewSupervisor(o SupervisorOptions) *Supervisor {
	if o.MaxSpawns <= 0 {
		o.MaxSpawns = max(4, 2*runtime.NumCPU())
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	s := &Supervisor{
		mark:     rand.Text(),
		spawning: make(chan struct{}, o.MaxSpawns),
		log:      o.Logger,
		living:   make(map[*Process]struct{}),
	}
	s.record = newRecord(o.Records, s.mark, o.Logger)
	s.swept = sync.OnceValue(func() []Ended { return sweep(o.Records, o.Logger) })
	if len(o.WatchdogCommand) > 0 && watchdogNeeded {
		s.watchdog = newWatchdog(slices.Clone(o.WatchdogCommand), s.mark, o.Logger)
	}
	return s
}

// Spec says what to start.
type Spec struct {
	Path string   // command of a definition: resolved by LookPath with Dir and Env
	Args []string // without the program's name
	// CmdLine replaces Args on Windows for programs that parse their command line
	// themselves (cmd.exe); "" elsewhere.
	CmdLine string
	Dir     string   // working folder, "" for that of the application
	Env     []string // complete environment, nil for that of the application
	NoStdin bool     // stdin is the null device and Stdin nil
	// RawStderr leaves stderr to the caller, who reads Stderr to its end; else it is
	// drained into StderrTail and StderrLine.
	RawStderr bool
	// StderrLine hears every line of stderr (cut at 4 KiB, without control sequences) from
	// one goroutine; it must return at once. May be nil.
	StderrLine func(string)

	session  bool // in a session of its own, away from any terminal
	unmarked bool // without Mark: what it daemonises is the user's
}

// Start starts a process in a group of its own. ctx bounds the waiting for a slot, not the
// life of the process: Stop must be called in the end, also when it exits by itself. The
// errors are *NotFoundError, *NotExecutableError, *BadDirError, ErrClosed, the cause of ctx
// or that of the system.
func (s *Supervisor) Start(ctx context.Context, spec Spec) (*Process, error) {
	if err := checkDir(spec.Dir); err != nil {
		return nil, err
	}
	if spec.Env == nil {
		spec.Env = os.Environ()
	}
	command, err := resolve(spec)
	if err != nil {
		return nil, err
	}
	if !spec.unmarked {
		spec.Env = Merge(spec.Env, map[string]string{Mark: s.mark})
	}
	select {
	case s.spawning <- struct{}{}:
		defer func() { <-s.spawning }()
	case <-ctx.Done():
		return nil, fmt.Errorf("start %s: %w", spec.Path, context.Cause(ctx))
	}
	if err := s.enter(); err != nil {
		return nil, err
	}
	s.Sweep() // what is left of an earlier process may hold a port or a lock
	s.record.open()
	s.ensureWatchdog()
	p, err := spawn(ctx, spec, command)
	if err != nil {
		s.wait.Done()
		return nil, err
	}
	s.adopt(p, filepath.Base(spec.Path))
	return p, nil
}

// Sweep ends what application processes that are gone left behind, as the records of the
// options' folder tell, and returns what that was. It takes no time when there is nothing,
// else a few seconds at most. Every Supervisor does it once: a further caller waits for the
// first and gets the same.
func (s *Supervisor) Sweep() []Ended { return s.swept() }

func resolve(spec Spec) (Command, error) {
	if spec.CmdLine != "" {
		path, err := LookPath(spec.Path, spec.Dir, spec.Env)
		return Command{Path: path, Args: spec.Args, CmdLine: spec.CmdLine}, err
	}
	find := func(command string) (string, error) { return LookPath(command, spec.Dir, spec.Env) }
	return BuildCommand(runtime.GOOS, find, spec.Path, spec.Args)
}

// enter counts one process before it exists, so that Close waits for it.
func (s *Supervisor) enter() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return ErrClosed
	}
	s.wait.Add(1)
	return nil
}

// ensureWatchdog starts the watchdog when there is none alive. A server without a watchdog
// is better than no server, so trouble is logged and tried again at the next Start.
func (s *Supervisor) ensureWatchdog() {
	if s.watchdog == nil {
		return
	}
	if err := s.watchdog.ensure(s.groups); err != nil {
		s.log.Warn("processes are not watched: they may outlive a crash", "error", err)
	}
}

// adopt makes p one of the living: known to the watchdog until its whole group is gone.
func (s *Supervisor) adopt(p *Process, name string) {
	s.mu.Lock()
	s.living[p] = struct{}{}
	closed := s.closed
	s.mu.Unlock()
	s.record.add(p.group.id(), name)
	if s.watchdog != nil {
		s.watchdog.add(p.group.id())
	}
	go func() {
		defer s.wait.Done()
		p.watch()
		s.mu.Lock()
		delete(s.living, p)
		s.mu.Unlock()
		s.record.remove(p.group.id())
		if s.watchdog != nil {
			s.watchdog.remove(p.group.id())
		}
	}()
	if closed {
		p.kill()
	}
}

// groups lists the living groups, for a new watchdog.
func (s *Supervisor) groups() []groupID {
	var ids []groupID
	for _, p := range s.all() {
		ids = append(ids, p.group.id())
	}
	return ids
}

func (s *Supervisor) all() []*Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Collect(maps.Keys(s.living))
}

// StopAll stops every process, all at once; it takes no longer than the slowest Stop.
func (s *Supervisor) StopAll(o StopOptions) {
	var wait sync.WaitGroup
	for _, p := range s.all() {
		wait.Go(func() { p.Stop(o) })
	}
	wait.Wait()
}

// Close stops every process with the default graces, refuses new ones, and ends the
// watchdog, which first ends what left its group. It takes a few seconds at most and may be
// called twice.
func (s *Supervisor) Close() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.StopAll(StopOptions{})
	gone := make(chan struct{})
	go func() { s.wait.Wait(); close(gone) }()
	select {
	case <-gone:
	case <-time.After(killWait):
		s.log.Warn("processes did not end although they were killed", "count", len(s.all()))
	}
	if s.watchdog != nil {
		s.watchdog.close()
	}
	if len(s.all()) == 0 { // else the next process tries again
		s.record.close()
	}
}

func checkDir(dir string) error {
	if dir == "" {
		return nil
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return &BadDirError{Dir: dir, Reason: "no such folder; create it or change cwd"}
	case err != nil:
		return &BadDirError{Dir: dir, Reason: reason(err)}
	case !info.IsDir():
		return &BadDirError{Dir: dir, Reason: "it is not a folder; change cwd"}
	}
	return nil
}

// reason is what the system says, without the path that the caller names itself.
func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}
