package mcpconf

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
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
	Mine bool   `json:"-"` // this process made the change, not another Patchbay
}

// ring keeps the last versions of one file in a folder of its own, each readable by the
// owner alone. Its caller holds the lock of the file.
type ring struct {
	dir string

	mu   sync.Mutex
	mine map[VersionID]bool // changes that this process made
}

func newRing(state, path string) *ring {
	return &ring{dir: filepath.Join(state, "backups", filepath.Base(path)+"-"+fileKey(path)), mine: map[VersionID]bool{}}
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
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, v := range list {
		list[i].Mine = r.mine[v.ID()]
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
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mine[v.ID()] = true
	return nil
}

// pop forgets the last change.
func (r *ring) pop() error {
	list, err := r.versions()
	if err != nil || len(list) == 0 {
		return err
	}
	return r.popFrom(list[len(list)-1].Seq)
}

// popFrom forgets a change and every later one.
func (r *ring) popFrom(seq int) error {
	list, err := r.versions()
	if err != nil {
		return err
	}
	kept := slices.IndexFunc(list, func(v Version) bool { return v.Seq >= seq })
	if kept < 0 {
		return nil
	}
	if err := r.save(list[:kept]); err != nil {
		return err
	}
	r.drop(list[kept:]...)
	return nil
}

// drop deletes copies that the index no longer names; one that stays does no harm.
func (r *ring) drop(gone ...Version) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range gone {
		delete(r.mine, v.ID())
		if v.Copy != "" {
			_ = os.Remove(v.Copy)
		}
	}
}
