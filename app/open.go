package app

import (
	"context"
	"errors"

	"patchbay/backend/session"
)

// OpenLocal opens the sessions of this process and shows the newest one of the workspace
// (of plain chats when none is named), or a new one. No server starts before Start.
func OpenLocal(o LocalOptions) (Backend, error) {
	manager, err := session.Open(session.Options{Version: o.Version, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	local := NewLocal(manager, o.Version)
	if err := local.ShowWorkspace(context.Background(), o.Workspace); err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return local, nil
}
