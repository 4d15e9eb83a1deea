package mcpconf

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// ErrGone says that a change is no longer kept: it was taken back already, or too many
// followed it.
var ErrGone = errors.New("the change was taken back already, or too many others followed it")

// LaterError refuses to take a change back while a later one of Patchbay stands on it.
type LaterError struct{ What string }

// Error names the change that has to be taken back before.
func (e *LaterError) Error() string {
	return fmt.Sprintf("a later change, “%s”, comes first: undo that before", e.What)
}

// VersionID tells one change of a file from every other: a number is given again after an
// undo.
type VersionID struct {
	Seq  int
	AtMs int64
}

// ID names the change.
func (v Version) ID() VersionID { return VersionID{v.Seq, v.AtMs} }

// CanUndo is nil when UndoChanges would take these changes back now.
func (s *Store) CanUndo(changes ...VersionID) error { return s.source.canUndo(changes) }

// UndoChanges takes changes back that follow one another and are the newest, in one step,
// and returns them, newest first. It refuses with a *LaterError, ErrGone or
// ErrChangedSince, and then nothing was written.
func (s *Store) UndoChanges(changes ...VersionID) ([]Version, error) {
	return s.source.undoChanges(changes)
}

// CanUndo is nil when UndoChanges would take these changes back now.
func (w *Workspace) CanUndo(changes ...VersionID) error { return w.source.canUndo(changes) }

// UndoChanges takes changes back; see Store.UndoChanges.
func (w *Workspace) UndoChanges(changes ...VersionID) ([]Version, error) {
	return w.source.undoChanges(changes)
}

func (s *source) canUndo(changes []VersionID) error {
	_, err := s.undoable(readContent(s.path), changes)
	return err
}

// undoable returns the changes, newest first, when nothing stands in the way of taking
// them back. It writes nothing.
func (s *source) undoable(now content, changes []VersionID) ([]Version, error) {
	list, err := s.versions()
	if err != nil {
		return nil, err
	}
	list = made(list, now)
	named := func(v Version) bool { return slices.Contains(changes, v.ID()) }
	oldest, found := -1, 0
	for i, v := range list {
		if named(v) {
			oldest = i
			found++
		}
	}
	if found == 0 || found < len(changes) {
		return nil, fmt.Errorf("undo in %s: %w", s.path, ErrGone)
	}
	list = list[:oldest+1]
	if later := slices.IndexFunc(list, func(v Version) bool { return !named(v) }); later >= 0 {
		return nil, &LaterError{What: list[later].What}
	}
	if expect := now.sum(); now.err != nil || !follow(list, expect) {
		return nil, changedSince(list[len(list)-1], s.path)
	}
	return list, nil
}

// made leaves out changes that were noted but never made, because their process ended in
// between. list is newest first.
func made(list []Version, now content) []Version {
	for len(list) > 0 && list[0].After != now.sum() && list[0].Before == now.sum() {
		list = list[1:]
	}
	return list
}

// follow reports whether each change, newest first, begins where the next older one ended,
// and the newest ended with sum.
func follow(list []Version, sum string) bool {
	for _, v := range list {
		if v.After != sum {
			return false
		}
		sum = v.Before
	}
	return true
}

// changedSince says where the version before a change is kept.
func changedSince(v Version, path string) error {
	kept := "before it there was no file"
	if v.Copy != "" {
		kept = "the version before it is kept in " + v.Copy
	}
	return fmt.Errorf("undo %q in %s: %w; %s", v.What, path, ErrChangedSince, kept)
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
		list, err := s.versions()
		if err != nil {
			return err
		}
		if list = made(list, now); len(list) == 0 {
			return fmt.Errorf("%w: Patchbay has changed nothing in %s", ErrNothingToUndo, s.path)
		}
		undone = list[0]
		if now.err != nil || undone.After != now.sum() {
			return changedSince(undone, s.path)
		}
		return s.restore(now, undone)
	})
	if err != nil {
		return Version{}, err
	}
	return undone, nil
}

// undoChanges puts the version before the oldest of the changes back.
func (s *source) undoChanges(changes []VersionID) (undone []Version, err error) {
	err = s.locked(func() error {
		now := readContent(s.path)
		s.see(now, true)
		if undone, err = s.undoable(now, changes); err != nil {
			return err
		}
		return s.restore(now, undone[len(undone)-1])
	})
	if err != nil {
		return nil, err
	}
	return undone, nil
}

// restore puts the version before v back and forgets v and every later change.
func (s *source) restore(now content, v Version) error {
	var before content
	if v.Copy != "" {
		raw, err := os.ReadFile(v.Copy)
		if err != nil {
			return fmt.Errorf("undo %q in %s: %w", v.What, s.path, err)
		}
		before = content{raw: raw, exists: true}
	}
	if before.sum() != v.Before {
		return fmt.Errorf("undo %q in %s: the kept copy %s is damaged", v.What, s.path, v.Copy)
	}
	if err := s.write(now, before); err != nil {
		return fmt.Errorf("undo %q: %w", v.What, err)
	}
	s.see(before, false)
	return s.backups.popFrom(v.Seq)
}

// Undoable is a change with what stands in the way of taking it back.
type Undoable struct {
	Version
	Blocked string // "" when it can be taken back now
}

// Undoables lists the changes that Patchbay made, newest first.
func (s *Store) Undoables() ([]Undoable, error) { return s.source.undoables() }

// Undoables lists the changes that Patchbay made, newest first.
func (w *Workspace) Undoables() ([]Undoable, error) { return w.source.undoables() }

func (s *source) undoables() ([]Undoable, error) {
	list, err := s.versions()
	if err != nil {
		return nil, err
	}
	now := readContent(s.path)
	list = made(list, now)
	out := make([]Undoable, len(list))
	for i, v := range list {
		out[i].Version = v
		switch {
		case !follow(list[:1], now.sum()) || now.err != nil:
			out[i].Blocked = "another program changed the file since"
		case i > 0:
			out[i].Blocked = (&LaterError{What: list[0].What}).Error()
		}
	}
	return out, nil
}
