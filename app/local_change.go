package app

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"patchbay/backend/mcpconf"
	"patchbay/backend/session"
)

// versioned is one of the two files with the changes that were made to it.
type versioned interface {
	Versions() ([]mcpconf.Version, error)
	Undoables() ([]mcpconf.Undoable, error)
	CanUndo(changes ...mcpconf.VersionID) error
	UndoChanges(changes ...mcpconf.VersionID) ([]mcpconf.Version, error)
}

// fileChange is one change of one file.
type fileChange struct {
	file      ConfigFile
	workspace string // of a workspace.json
	version   mcpconf.Version
}

// id names the change wherever it is taken back: "store:12@MS" or
// "workspace:7@MS:FOLDER", the folder as unpadded base64.
func (c fileChange) id() string {
	id := fmt.Sprintf("%s:%d@%d", c.file, c.version.Seq, c.version.AtMs)
	if c.file == FileWorkspace {
		id += ":" + base64.RawURLEncoding.EncodeToString([]byte(c.workspace))
	}
	return id
}

// changing runs a command on the shown session that changes the two files, and tells how to
// take the change back.
func (l *Local) changing(run func(*session.Session) error) (Done, error) {
	s, err := l.current()
	if err != nil {
		return Done{}, err
	}
	l.changes.Lock()
	defer l.changes.Unlock()
	before, err := l.made(s)
	if err != nil {
		return Done{}, err
	}
	if err := run(s); err != nil {
		return Done{}, err
	}
	after, err := l.made(s)
	if err != nil {
		return Done{}, err
	}
	known := map[string]bool{}
	for _, c := range before {
		known[c.id()] = true
	}
	after = slices.DeleteFunc(after, func(c fileChange) bool { return known[c.id()] || !c.version.Mine })
	return Done{ID: joined(after), What: told(after)}, nil
}

// made lists the changes of both files that are kept, newest first.
func (l *Local) made(s *session.Session) ([]fileChange, error) {
	list, err := changesOf(l.manager.Store(), FileStore, "")
	if err != nil {
		return nil, err
	}
	if conf := s.Enablement(); conf != nil {
		more, err := changesOf(conf, FileWorkspace, s.Workspace())
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	slices.SortStableFunc(list, newestFirst)
	return list, nil
}

func changesOf(f versioned, file ConfigFile, workspace string) ([]fileChange, error) {
	versions, err := f.Versions()
	if err != nil {
		return nil, err
	}
	var list []fileChange
	for _, v := range versions {
		list = append(list, fileChange{file, workspace, v})
	}
	return list, nil
}

func newestFirst(a, b fileChange) int {
	return cmp.Or(cmp.Compare(b.version.AtMs, a.version.AtMs), cmp.Compare(b.version.Seq, a.version.Seq))
}

func joined(changes []fileChange) string {
	var ids []string
	for _, c := range changes {
		ids = append(ids, c.id())
	}
	return strings.Join(ids, ",")
}

// told says what changes of one command did. What it did to a definition says what it did
// to the workspace too: who removes a server knows that it is disabled.
func told(changes []fileChange) string {
	var store, workspace []string
	for _, c := range slices.Backward(changes) {
		if c.file == FileStore {
			store = append(store, past(c.version.What))
		} else {
			workspace = append(workspace, past(c.version.What))
		}
	}
	if len(store) > 0 {
		return strings.Join(store, ", ")
	}
	return strings.Join(workspace, ", ")
}

// pasts turn what a version says into what was done.
var pasts = map[string]string{
	"add ": "Added ", "edit ": "Edited ", "rename ": "Renamed ", "remove ": "Removed ", "enable ": "Enabled ", "disable ": "Disabled ",
	"set the tools of ": "Changed the tools of ", "restore fields": "Restored fields",
}

func past(what string) string {
	for now, then := range pasts {
		if rest, ok := strings.CutPrefix(what, now); ok {
			return then + rest
		}
	}
	return what
}

// UndoChange takes a change of the files back and says which it was. When one of two files
// cannot go back, both stay.
func (l *Local) UndoChange(_ context.Context, id string) (string, error) {
	wanted, err := parseChange(id)
	if err != nil {
		return "", err
	}
	l.changes.Lock()
	defer l.changes.Unlock()
	var files []undoing
	for _, w := range wanted {
		if w.owner, err = l.owner(w); err != nil {
			return "", err
		}
		if err := w.owner.CanUndo(w.ids...); err != nil {
			return "", undoError(err)
		}
		files = append(files, w)
	}
	var undone []fileChange
	for _, f := range files {
		versions, err := f.owner.UndoChanges(f.ids...)
		if err != nil && len(undone) > 0 {
			return "", fmt.Errorf("%s was taken back, but not the rest: %w", told(undone), err)
		}
		if err != nil {
			return "", undoError(err)
		}
		for _, v := range versions {
			undone = append(undone, fileChange{f.file, f.workspace, v})
		}
	}
	slices.SortStableFunc(undone, newestFirst)
	return told(undone), nil
}

// undoing is what to take back of one file.
type undoing struct {
	file      ConfigFile
	workspace string
	ids       []mcpconf.VersionID
	owner     versioned
}

// owner is the file that a change was made to, also when another session is shown now.
func (l *Local) owner(u undoing) (versioned, error) {
	if u.file == FileStore {
		return l.manager.Store(), nil
	}
	conf, err := l.manager.EnablementOf(u.workspace)
	if err != nil {
		return nil, err
	}
	return conf, nil
}

// parseChange reads the id of a Done or a Change, file by file in the order they are named.
func parseChange(id string) ([]undoing, error) {
	var list []undoing
	for part := range strings.SplitSeq(id, ",") {
		u, version, ok := parsePart(part)
		if !ok {
			return nil, &CommandError{Code: CodeInvalid, Message: fmt.Sprintf("%q names no change", id)}
		}
		i := slices.IndexFunc(list, func(o undoing) bool { return o.file == u.file && o.workspace == u.workspace })
		if i < 0 {
			list = append(list, u)
			i = len(list) - 1
		}
		list[i].ids = append(list[i].ids, version)
	}
	return list, nil
}

func parsePart(part string) (u undoing, v mcpconf.VersionID, ok bool) {
	fields := strings.Split(part, ":")
	if len(fields) < 2 {
		return u, v, false
	}
	u.file = ConfigFile(fields[0])
	switch {
	case u.file == FileStore && len(fields) == 2:
	case u.file == FileWorkspace && len(fields) == 3:
		folder, err := base64.RawURLEncoding.DecodeString(fields[2])
		if err != nil || len(folder) == 0 {
			return u, v, false
		}
		u.workspace = string(folder)
	default:
		return u, v, false
	}
	seq, at, _ := strings.Cut(fields[1], "@")
	var err, atErr error
	v.Seq, err = strconv.Atoi(seq)
	v.AtMs, atErr = strconv.ParseInt(at, 10, 64)
	return u, v, err == nil && atErr == nil
}

func undoError(err error) error {
	var later *mcpconf.LaterError
	switch {
	case errors.As(err, &later), errors.Is(err, mcpconf.ErrChangedSince):
		return &CommandError{Code: CodeConflict, Message: err.Error()}
	case errors.Is(err, mcpconf.ErrGone):
		return &CommandError{Code: CodeNotFound, Message: err.Error()}
	}
	return err
}

// Changes lists what Patchbay changed in the two files and can take back, newest first.
func (l *Local) Changes(context.Context) ([]Change, error) {
	var list []Change
	add := func(f versioned, file ConfigFile, workspace string) error {
		kept, err := f.Undoables()
		for _, u := range kept {
			c := fileChange{file, workspace, u.Version}
			list = append(list, Change{ID: c.id(), AtMs: u.AtMs, What: past(u.What), File: file, Blocked: u.Blocked})
		}
		return err
	}
	if err := add(l.manager.Store(), FileStore, ""); err != nil {
		return nil, err
	}
	if s := l.manager.Current(); s != nil && s.Enablement() != nil {
		if err := add(s.Enablement(), FileWorkspace, s.Workspace()); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b Change) int { return cmp.Compare(b.AtMs, a.AtMs) })
	return list, nil
}
