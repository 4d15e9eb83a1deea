//go:build unix

package proc

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A record is what one application process started, written for the next one: the second
// net, for when the watchdog was killed too. It is a file PID-START-MARK.procs, named after
// its owner, of lines:
//
//	patchbay 1 MACHINE
//	add PID START NAME
//	remove PID START
//
// MACHINE names a boot and, on Linux, a process namespace: numbers mean nothing in another.
const (
	recordHead   = "patchbay 1 "
	recordSuffix = ".procs"
	recordBytes  = 1 << 20 // the most that is read of one
)

// record is the file of this process. Trouble with it is logged once and starts go on.
type record struct {
	path string // "": none is kept
	log  *slog.Logger

	mu     sync.Mutex
	file   *os.File // nil until the first process
	living map[groupID]bool
	closed bool
}

// newRecord keeps a record in dir, none when dir is "" or this process cannot be told from
// others.
func newRecord(dir, mark string, log *slog.Logger) *record {
	r := &record{log: log, living: map[groupID]bool{}}
	start, err := startTime(os.Getpid())
	if dir != "" && err == nil {
		r.path = filepath.Join(dir, fmt.Sprintf("%d-%s-%s%s", os.Getpid(), start, mark, recordSuffix))
	}
	return r
}

// open makes the file, before the first process: what is started between is found by mark.
func (r *record) open() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.path == "" || r.file != nil || r.closed {
		return
	}
	err := os.MkdirAll(filepath.Dir(r.path), 0o700)
	if err == nil {
		r.file, err = os.OpenFile(r.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND|os.O_TRUNC, 0o600)
	}
	if err != nil {
		r.giveUpLocked(err)
		return
	}
	r.writeLocked(recordHead + machine())
}

func (r *record) add(id groupID, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.living[id] = true
	r.writeLocked("add " + id.String() + " " + strings.ToValidUTF8(strings.Map(oneLine, name), ""))
}

func oneLine(c rune) rune {
	if c < ' ' {
		return -1
	}
	return c
}

// remove begins the file anew when nothing is left, so that it does not grow for ever.
func (r *record) remove(id groupID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.living, id)
	if r.file == nil || len(r.living) > 0 {
		r.writeLocked("remove " + id.String())
		return
	}
	if err := r.file.Truncate(0); err != nil {
		r.giveUpLocked(err)
		return
	}
	r.writeLocked(recordHead + machine())
}

func (r *record) writeLocked(line string) {
	if r.file == nil {
		return
	}
	if _, err := r.file.WriteString(line + "\n"); err != nil {
		r.giveUpLocked(err)
	}
}

func (r *record) giveUpLocked(err error) {
	r.log.Warn("processes are not recorded: if Patchbay and its watchdog are killed, they stay", "error", err)
	r.dropLocked()
}

func (r *record) dropLocked() {
	if r.file != nil {
		r.file.Close()
		_ = os.Remove(r.path) // the next process sees that its owner is gone
	}
	r.file, r.path = nil, ""
}

// close removes the file: everything is gone.
func (r *record) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	r.dropLocked()
}

// read is what a record says.
type read struct {
	owner   groupID
	mark    string
	machine string // "" when the content cannot be read
	groups  []groupID
	names   map[int]string
}

// readRecord reads the file of that name in dir; ok is false for what is no record.
func readRecord(dir, name string) (r read, ok bool) {
	parts := strings.Split(strings.TrimSuffix(name, recordSuffix), "-")
	if !strings.HasSuffix(name, recordSuffix) || len(parts) != 3 {
		return read{}, false
	}
	pid, err := strconv.Atoi(parts[0])
	info, statErr := os.Lstat(filepath.Join(dir, name))
	if err != nil || pid <= 1 || parts[1] == "" || parts[2] == "" || statErr != nil || !info.Mode().IsRegular() {
		return read{}, false
	}
	r = read{owner: groupID{pid, parts[1]}, mark: parts[2], names: map[int]string{}}
	if info.Size() > recordBytes {
		return r, true
	}
	text, err := os.ReadFile(filepath.Join(dir, name))
	head, rest, whole := bytes.Cut(text, []byte("\n"))
	at, ours := strings.CutPrefix(string(head), recordHead)
	if err != nil || !whole || !ours {
		return r, true
	}
	r.machine = at
	_, r.groups = follow(bytes.NewReader(rest), func(id groupID, name string) { r.names[id.pid] = name })
	return r, true
}

// ownerLives reports whether the process that wrote a record still runs.
func (r read) ownerLives() bool {
	start, err := startTime(r.owner.pid)
	return err == nil && start == r.owner.start
}

// sweep ends what dead owners of the records in dir left behind and removes those records.
// A record whose owner lives, or lives where it cannot be seen, is left alone.
func sweep(dir string, log *slog.Logger) []Ended {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // nothing was recorded yet
	}
	here := machine()
	boot, _, _ := strings.Cut(here, " ")
	var ended []Ended
	for _, entry := range entries {
		r, ok := readRecord(dir, entry.Name())
		if !ok || r.ownerLives() {
			continue
		}
		path := filepath.Join(dir, entry.Name())
		theirs, _, _ := strings.Cut(r.machine, " ")
		switch {
		case r.machine == "" || theirs != boot:
			_ = os.Remove(path) // unreadable, or of an earlier boot: its numbers mean nothing
			continue
		case r.machine != here:
			continue // of another container
		}
		gone, left := r.end()
		ended = append(ended, gone...)
		if left {
			log.Warn("processes of an earlier Patchbay do not end", "owner", r.owner.pid)
			continue
		}
		_ = os.Remove(path)
	}
	if text := EndedText(ended); text != "" {
		log.Warn(text)
	}
	return ended
}

// end ends what is left of a dead owner's processes. A group is known by its leader, which
// must run with the recorded start time; everything else must carry the owner's mark: the
// number of a group whose leader is gone may be another's by now.
func (r read) end() (ended []Ended, left bool) {
	groups := slices.DeleteFunc(slices.Clone(r.groups), func(id groupID) bool {
		start, err := startTime(id.pid)
		return err != nil || start != id.start || !id.alive()
	})
	ended = r.name(groups, strays(r.mark))
	if len(ended) == 0 {
		return nil, false
	}
	endAll(r.mark, groups)
	return ended, !gone(r.mark, groups, 0)
}

// name lists the processes of groups and strays, by number.
func (r read) name(groups, strays []groupID) []Ended {
	ctx, cancel := context.WithTimeout(context.Background(), treeLimit)
	defer cancel()
	all, err := snapshot(ctx)
	if err != nil {
		all = nil // they are ended all the same
	}
	leads := func(pid int) func(groupID) bool { return func(id groupID) bool { return id.pid == pid } }
	var ended []Ended
	for _, p := range all {
		if !p.Zombie && p.PID != os.Getpid() && (slices.ContainsFunc(groups, leads(p.Group)) || slices.ContainsFunc(strays, leads(p.PID))) {
			ended = append(ended, Ended{p.PID, cmp.Or(r.names[p.PID], p.Name)})
		}
	}
	if len(ended) == 0 {
		for _, id := range slices.Concat(groups, strays) {
			ended = append(ended, Ended{id.pid, cmp.Or(r.names[id.pid], "unknown")})
		}
	}
	slices.SortFunc(ended, func(a, b Ended) int { return cmp.Compare(a.PID, b.PID) })
	return ended
}
