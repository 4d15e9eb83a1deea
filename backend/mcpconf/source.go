package mcpconf

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"patchbay/backend/fsx"
)

// Options say where the owner of a configuration file keeps what it needs beside it.
type Options struct {
	State    string        // folder of backups and trust; made when it is first needed
	Runtime  string        // folder of locks, the same for all processes of the user
	Logger   *slog.Logger  // nil discards
	Debounce time.Duration // quiet time after a change before the file is read; 0 = 100 ms
	Poll     time.Duration // between two looks at a file that cannot be watched; 0 = 2 s
}

func (o Options) withDefaults() (Options, error) {
	if o.State == "" || o.Runtime == "" {
		return o, errors.New("open configuration: no folder for state or locks; set HOME or XDG_STATE_HOME")
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Debounce <= 0 {
		o.Debounce = 100 * time.Millisecond
	}
	if o.Poll <= 0 {
		o.Poll = 2 * time.Second
	}
	return o, nil
}

const (
	lockWait  = 30 * time.Second // for another Patchbay process that edits the same file
	lockEvery = 5 * time.Millisecond
	editTries = 10 // against a program that keeps changing the file
)

// content is a file as it was read at one moment.
type content struct {
	raw    []byte
	exists bool
	err    *FileError // it is there but cannot be read
}

func (c content) same(d content) bool {
	return c.exists == d.exists && bytes.Equal(c.raw, d.raw) && (c.err == nil) == (d.err == nil) &&
		(c.err == nil || *c.err == *d.err)
}

func (c content) sum() string {
	if !c.exists {
		return "absent"
	}
	h := sha256.Sum256(c.raw)
	return hex.EncodeToString(h[:])
}

// source is one file on disk: it reads it, notices changes, and makes edits that are
// atomic, compared before they replace anything, and serialised with other processes.
type source struct {
	path     string
	perm     fs.FileMode // of a new file
	dirPerm  fs.FileMode // of the folder, when it has to be made
	inside   string      // a folder that is never made: without it nothing is written; "" for none
	opts     Options
	backups  *ring // nil keeps none
	accept   func(c content, outside bool)
	cancel   context.CancelFunc
	watching sync.WaitGroup

	turn chan struct{} // holds one token while somebody reads or edits; guards seen
	seen content       // what accept was last called with
}

// start reads the file for the first time and begins to watch it. accept is called by one
// goroutine at a time, and first before start returns.
func (s *source) start() {
	s.turn = make(chan struct{}, 1)
	s.seen = readContent(s.path)
	s.accept(s.seen, false)
	var ctx context.Context
	ctx, s.cancel = context.WithCancel(context.Background())
	s.watching.Go(func() { s.watch(ctx) })
}

// close ends the watching.
func (s *source) close() {
	s.cancel()
	s.watching.Wait()
}

// reload reads the file and publishes it when it is not what was seen last.
func (s *source) reload() {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	s.see(readContent(s.path), true)
}

// see publishes what the file holds, when that is new. The caller holds the turn.
func (s *source) see(c content, outside bool) {
	if c.same(s.seen) {
		return
	}
	s.seen = c
	s.accept(c, outside)
}

func readContent(path string) content {
	fail := func(err error) content {
		return content{exists: true, err: &FileError{Path: path, Message: "the file cannot be read: " + bare(err).Error()}}
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}
	}
	if err != nil {
		return fail(err)
	}
	if !info.Mode().IsRegular() { // a pipe would block for ever
		return fail(errors.New("it is not a regular file"))
	}
	if info.Size() > maxFileSize {
		return fail(fmt.Errorf("it is larger than %d MiB", maxFileSize>>20))
	}
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}
	}
	if err != nil {
		return fail(err)
	}
	return content{raw: raw, exists: true}
}

var errChanged = errors.New("the file changed in the meantime")

// edit replaces the file by what change makes of it. change may be called again when
// another program was faster. Nothing is written when change returns an error or the same
// bytes.
func (s *source) edit(what string, change func(c content) ([]byte, error)) error {
	return s.locked(func() error {
		for range editTries {
			now := readContent(s.path)
			s.see(now, true)
			if now.err != nil {
				return refuse(now.err)
			}
			next, err := change(now)
			if err != nil || now.exists && bytes.Equal(next, now.raw) {
				return err
			}
			if err = s.commit(what, now, content{raw: next, exists: true}); !errors.Is(err, errChanged) {
				return err
			}
		}
		return fmt.Errorf("edit %s: another program keeps changing it; nothing was written, try again", s.path)
	})
}

// commit keeps the old version, then replaces it by the new one and publishes that.
func (s *source) commit(what string, now, next content) error {
	if s.backups != nil {
		if err := s.backups.push(what, now, next); err != nil {
			return fmt.Errorf("keep a copy of %s before changing it: %w; nothing was written", s.path, err)
		}
	}
	if err := s.write(now, next); err != nil {
		if s.backups != nil {
			if popErr := s.backups.pop(); popErr != nil {
				s.opts.Logger.Warn("drop the copy of a change that was not made", "file", s.path, "error", popErr)
			}
		}
		return err
	}
	s.see(next, false)
	return nil
}

func (s *source) write(now, next content) error {
	real, err := fsx.RealPath(s.path)
	if err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	if !next.exists {
		if !readContent(s.path).same(now) {
			return errChanged
		}
		return os.Remove(real)
	}
	if _, err := os.Stat(s.inside); s.inside != "" && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s is gone: put it back, or open another workspace; nothing was written", s.inside)
	}
	if err := os.MkdirAll(filepath.Dir(real), s.dirPerm); err != nil {
		return fmt.Errorf("create the folder of %s: %w", s.path, bare(err))
	}
	err = fsx.WriteAtomicIf(s.path, next.raw, s.perm, func() error {
		if !readContent(s.path).same(now) {
			return errChanged
		}
		return nil
	})
	if err != nil && !errors.Is(err, errChanged) {
		return fmt.Errorf("write %s: %w", s.path, bare(err))
	}
	return err
}

// bare is an error without the name of the temporary file it happened to.
func bare(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// locked runs do alone among all Patchbay processes. The lock is a file in the runtime
// folder, named after the real file, so that a repository never gets one.
func (s *source) locked(do func() error) error {
	s.turn <- struct{}{}
	defer func() { <-s.turn }()
	if err := os.MkdirAll(s.opts.Runtime, 0o700); err != nil {
		return fmt.Errorf("create the folder of locks: %w", err)
	}
	lock := flock.New(filepath.Join(s.opts.Runtime, fileKey(s.path)+".lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	held, err := lock.TryLockContext(ctx, lockEvery)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("edit %s: another Patchbay process has held the lock %s for %s; close it and try again", s.path, lock.Path(), lockWait)
	}
	if err != nil || !held {
		return fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	defer func() { _ = lock.Unlock() }()
	fsx.RemoveStrays(s.path, time.Minute) // of processes that were killed: a repository stays clean
	return do()
}

// fileKey names what belongs to a file: the same for every path that leads to it.
func fileKey(path string) string {
	if real, err := fsx.RealPath(path); err == nil {
		path = real
	}
	h := sha256.Sum256([]byte(path))
	return hex.EncodeToString(h[:8])
}
