package app

import (
	"context"
	"errors"

	"patchbay/backend/session"
)

var errNotYet = errors.New("not built yet")

// changing runs a command on the shown session that changes the two files, and tells how to
// take the change back.
func (l *Local) changing(run func(*session.Session) error) (Done, error) {
	return Done{}, l.onCurrent(run)
}

// UndoChange takes a change of the files back and says which it was.
func (l *Local) UndoChange(_ context.Context, id string) (string, error) { return "", errNotYet }

// Changes lists what Patchbay changed in the two files and can take back, newest first.
func (l *Local) Changes(context.Context) ([]Change, error) { return nil, errNotYet }

// ParsePaste reads a command line, or another client's JSON, as definitions.
func (l *Local) ParsePaste(_ context.Context, text string) (Paste, error) { return Paste{}, errNotYet }

// SearchSessions finds words in titles and messages of every session.
func (l *Local) SearchSessions(_ context.Context, query string) ([]SearchHit, error) {
	return nil, errNotYet
}
