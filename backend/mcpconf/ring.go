package mcpconf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"patchbay/backend/fsx"
)

// maxVersions is how many earlier versions of each file are kept.
const maxVersions = 20

// ErrNothingToUndo says that Patchbay has made no change that could be undone.
var ErrNothingToUndo = errors.New("nothing to undo")

// ErrChangedSince refuses an Undo because another program changed the file since.
var ErrChangedSince = errors.New("it was changed by another program since")

// Version is one change that Patchbay made to a file.
type Version struct {
	Seq    int    `json:"seq"`
	AtMs   int64  `json:"atMs"` // Unix milliseconds
	What   string `json:"what"` // e.g. "add fetch"
	Before string `json:"before"`
	After  string `json:"after"` // sums of the file before and after the change
	// Copy is the path of the earlier version, "" when there was no file.
	Copy string `json:"copy"`
}

// ring keeps the last versions of one file in a folder of its own, each readable by the
// owner alone. Its caller holds the lock of the file.
type ring struct{ dir string }

func newRing(state, path string) *ring {
	return &ring{dir: filepath.Join(state, "backups", filepath.Base(path)+"-"+fileKey(path))}
}

func (r *ring) index() string { return filepath.Join(r.dir, "index.json") }

// versions lists the changes, oldest first.
func (r *ring) versions() ([]Version, error) {
	data, err := os.ReadFile(r.index())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Version
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("read %s: %w; delete it to start afresh", r.index(), err)
	}
	return list, nil
}

func (r *ring) save(list []Version) error {
	data, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return fsx.WriteAtomic(r.index(), append(data, '\n'), 0o600)
}

// push keeps now, which is about to be replaced by next.
func (r *ring) push(what string, now, next content) error {
	if err := os.MkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	list, err := r.versions()
	if err != nil {
		return err
	}
	v := Version{Seq: 1, AtMs: time.Now().UnixMilli(), What: what, Before: now.sum(), After: next.sum()}
	if len(list) > 0 {
		v.Seq = list[len(list)-1].Seq + 1
	}
	if now.exists {
		v.Copy = filepath.Join(r.dir, fmt.Sprintf("%06d.json", v.Seq))
		if err := fsx.WriteAtomic(v.Copy, now.raw, 0o600); err != nil {
			return err
		}
	}
	list = append(list, v)
	var gone []Version
	if over := len(list) - maxVersions; over > 0 {
		gone, list = list[:over], list[over:]
	}
	if err := r.save(list); err != nil {
		return err
	}
	r.drop(gone...)
	return nil
}

// pop forgets the last change.
func (r *ring) pop() error {
	list, err := r.versions()
	if err != nil || len(list) == 0 {
		return err
	}
	last := list[len(list)-1]
	if err := r.save(list[:len(list)-1]); err != nil {
		return err
	}
	r.drop(last)
	return nil
}

// drop deletes copies that the index no longer names; one that stays does no harm.
func (r *ring) drop(gone ...Version) {
	for _, v := range gone {
		if v.Copy != "" {
			_ = os.Remove(v.Copy)
		}
	}
}

// Versions lists the changes that Patchbay made and can still undo, newest first.
func (s *source) versions() ([]Version, error) {
	list, err := s.backups.versions()
	if err != nil {
		return nil, fmt.Errorf("list the versions of %s: %w", s.path, err)
	}
	slices.Reverse(list)
	return list, nil
}

// undo restores the version before the last change, if the file is still what that change
// made of it, and tells which change that was.
func (s *source) undo() (undone Version, err error) {
	err = s.locked(func() error {
		now := readContent(s.path)
		s.see(now, true)
		undone, err = s.lastChange(now)
		if err != nil {
			return err
		}
		var before content
		if undone.Copy != "" {
			if before.raw, err = os.ReadFile(undone.Copy); err != nil {
				return fmt.Errorf("undo %q in %s: %w", undone.What, s.path, err)
			}
			before.exists = true
		}
		if before.sum() != undone.Before {
			return fmt.Errorf("undo %q in %s: the kept copy %s is damaged", undone.What, s.path, undone.Copy)
		}
		if err := s.write(now, before); err != nil {
			return fmt.Errorf("undo %q: %w", undone.What, err)
		}
		s.see(before, false)
		return s.backups.pop()
	})
	return undone, err
}

// lastChange is the change that made the file what it is. One that was noted but never
// made (the process died between) is forgotten.
func (s *source) lastChange(now content) (Version, error) {
	for {
		list, err := s.backups.versions()
		if err != nil {
			return Version{}, err
		}
		if len(list) == 0 {
			return Version{}, fmt.Errorf("%w: Patchbay has changed nothing in %s", ErrNothingToUndo, s.path)
		}
		last := list[len(list)-1]
		switch now.sum() {
		case last.After:
			return last, nil
		case last.Before:
			if err := s.backups.pop(); err != nil {
				return Version{}, err
			}
			continue
		}
		kept := "before it there was no file"
		if last.Copy != "" {
			kept = "the version before it is kept in " + last.Copy
		}
		return Version{}, fmt.Errorf("undo %q in %s: %w; %s", last.What, s.path, ErrChangedSince, kept)
	}
}
