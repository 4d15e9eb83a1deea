//go:build unix

package proc

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// The watchdog reads lines on stdin: "owner MARK", "add PID START", "remove PID START".
// When its stdin ends, however that came about, it ends what is still registered and what
// carries the mark, and exits.
const (
	watchdogGrace = 700 * time.Millisecond // between TERM and KILL
	watchdogSweep = time.Second            // for killed processes to be gone
	watchdogWrite = time.Second            // for one line to be taken
	watchdogClose = 4 * time.Second        // for it to end when the application closes in order
)

// watchdog is the application's end of the pipe.
type watchdog struct {
	command []string
	mark    string
	log     *slog.Logger

	mu     sync.Mutex // also keeps the lines whole and in order; a write is bounded by watchdogWrite
	pipe   *os.File   // nil: none runs
	exited chan struct{}
	closed bool
}

func newWatchdog(command []string, mark string, log *slog.Logger) *watchdog {
	return &watchdog{command: command, mark: mark, log: log}
}

// ensure starts the watchdog if none is alive, and tells it of the groups that live.
func (w *watchdog) ensure(groups func() []groupID) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil
	}
	if w.pipe != nil {
		select {
		case <-w.exited:
			w.pipe.Close()
			w.pipe = nil
		default:
			return nil
		}
	}
	if err := w.startLocked(); err != nil {
		return err
	}
	w.sendLocked("owner " + w.mark)
	for _, id := range groups() {
		w.sendLocked("add " + id.String())
	}
	return nil
}

func (w *watchdog) startLocked() error {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("start watchdog: open pipe: %w", err)
	}
	defer theirs.Close()
	path := w.command[0]
	if abs, err := filepath.Abs(path); err == nil && strings.Contains(path, "/") {
		path = abs
	}
	cmd := exec.Command(path, w.command[1:]...)
	cmd.Stdin = theirs
	cmd.Dir = "/" // holds no mount
	// Without a mark, also of an application around this one: it is nobody's stray.
	cmd.Env = slices.DeleteFunc(os.Environ(), func(entry string) bool {
		return strings.HasPrefix(entry, Mark+"=")
	})
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return fmt.Errorf("start watchdog: %w", err)
	}
	exited := make(chan struct{})
	go func() {
		_ = cmd.Wait() // how it ended does not matter: the next Start has a new one
		close(exited)
	}()
	w.pipe, w.exited = ours, exited
	return nil
}

func (w *watchdog) add(id groupID)    { w.send("add " + id.String()) }
func (w *watchdog) remove(id groupID) { w.send("remove " + id.String()) }

func (w *watchdog) send(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sendLocked(line)
}

func (w *watchdog) sendLocked(line string) {
	if w.pipe == nil {
		return
	}
	_ = w.pipe.SetWriteDeadline(time.Now().Add(watchdogWrite))
	if _, err := w.pipe.WriteString(line + "\n"); err != nil {
		w.log.Warn("the watchdog does not listen; a new one comes with the next process", "error", err)
		w.pipe.Close()
		w.pipe = nil
	}
}

// close ends the watchdog in order: it sees the end of its stdin and sweeps.
func (w *watchdog) close() {
	w.mu.Lock()
	pipe, exited := w.pipe, w.exited
	w.pipe, w.closed = nil, true
	w.mu.Unlock()
	if pipe != nil {
		pipe.Close()
	}
	if exited != nil && !within(exited, watchdogClose) {
		w.log.Warn("the watchdog did not end in time")
	}
}

// String is the group in the watchdog's lines.
func (id groupID) String() string { return strconv.Itoa(id.pid) + " " + id.start }

// WatchdogMain is the program of the watchdog: it reads what the application says on in and
// returns its exit code once in has ended and the processes are gone, within three seconds.
// The signals of a terminal or a session's end do not end it.
func WatchdogMain(in io.Reader) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGPIPE)
	UnmapCold() // it waits, most often for hours
	mark, groups := follow(in, func(groupID, string) {})
	endAll(mark, groups)
	return 0
}

// follow reads lines until in ends and returns what is registered then. named hears the
// word behind a group, where there is one.
func follow(in io.Reader, named func(groupID, string)) (mark string, groups []groupID) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		verb, rest, _ := strings.Cut(lines.Text(), " ")
		if verb == "owner" {
			mark = rest
			continue
		}
		number, rest, _ := strings.Cut(rest, " ")
		start, name, _ := strings.Cut(rest, " ")
		pid, err := strconv.Atoi(number)
		if err != nil || pid <= 1 {
			continue // kill(-1) would be everybody
		}
		id := groupID{pid, start}
		switch verb {
		case "add":
			if !slices.Contains(groups, id) {
				groups = append(groups, id)
				named(id, name)
			}
		case "remove":
			groups = slices.DeleteFunc(groups, func(g groupID) bool { return g == id })
		}
	}
	return mark, groups
}

// endAll sends TERM, waits, and sends KILL until nothing is left or the time is over. New
// strays are looked for each time: what dies may just have forked.
func endAll(mark string, groups []groupID) {
	signalAll(syscall.SIGTERM, groups, strays(mark))
	if gone(mark, groups, watchdogGrace) {
		return
	}
	for end := time.Now().Add(watchdogSweep); time.Now().Before(end); {
		signalAll(syscall.SIGKILL, groups, strays(mark))
		if gone(mark, groups, 50*time.Millisecond) {
			return
		}
	}
}

func strays(mark string) []groupID {
	if mark == "" {
		return nil
	}
	return marked(Mark + "=" + mark)
}

func signalAll(sig syscall.Signal, groups, strays []groupID) {
	for _, id := range groups {
		if id.alive() {
			id.signal(sig)
		}
	}
	for _, id := range strays {
		if id.ours() {
			_ = syscall.Kill(id.pid, sig) // gone already is what is wanted
		}
	}
}

// gone reports whether within limit nothing is left.
func gone(mark string, groups []groupID, limit time.Duration) bool {
	for end := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		if !slices.ContainsFunc(groups, groupID.alive) && len(strays(mark)) == 0 {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// hasVariable reports whether block, strings ended by NUL, has entry as one of them.
func hasVariable(block []byte, entry string) bool {
	for _, got := range bytes.Split(block, []byte{0}) {
		if string(got) == entry {
			return true
		}
	}
	return false
}
