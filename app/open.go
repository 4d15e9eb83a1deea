package app

import (
	"context"
	"errors"

	"patchbay/backend/session"
)

// OpenLocal opens the sessions of this process and shows the newest one of the workspace,
// or a new one; without a workspace that of the newest session, or a plain chat. No server
// starts before Start.
func OpenLocal(o LocalOptions) (Backend, error) {
	b := &browser{}
	manager, err := session.Open(session.Options{Version: o.Version, Logger: o.Logger, Browse: b.open})
	if err != nil {
		return nil, err
	}
	local := newLocal(manager, o.Version, b)
	ctx := context.Background()
	if o.Workspace != "" {
		err = local.ShowWorkspace(ctx, o.Workspace)
	} else if last := manager.LastWorkspace(); last == "" || local.ShowWorkspace(ctx, last) != nil {
		err = local.ShowWorkspace(ctx, "") // the last folder may be gone
	}
	if err != nil {
		return nil, errors.Join(err, local.Close())
	}
	return local, nil
}
