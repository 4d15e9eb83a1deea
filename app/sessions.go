package app

import "context"

// Sessions is bound: the list of sessions and which one is shown.
type Sessions struct{ core *core }

// List returns the sessions as topic "sessions" carries them.
func (s *Sessions) List() (SessionsSnapshot, error) {
	return stamped(s.core, "Sessions.List", s.core.backend.SessionList, stampSessions)
}

// NewSession begins a conversation in a workspace, or a plain chat when it is "", shows it
// and returns its id.
func (s *Sessions) NewSession(workspace string) (string, error) {
	return call(s.core, "NewSession", func(ctx context.Context) (string, error) { return s.core.backend.NewSession(ctx, workspace) })
}

// OpenSession shows a session of the list.
func (s *Sessions) OpenSession(id string) error {
	return do(s.core, "OpenSession", func(ctx context.Context) error { return s.core.backend.OpenSession(ctx, id) })
}

// PickWorkspace asks for a folder with the system's dialog; "" when the person cancels.
func (s *Sessions) PickWorkspace() (string, error) {
	return patiently(s.core, "PickWorkspace", func(context.Context) (string, error) { return s.core.desktop.pickFolder() })
}

// RenameSession gives a session a title.
func (s *Sessions) RenameSession(id, title string) error {
	return do(s.core, "RenameSession", func(ctx context.Context) error { return s.core.backend.RenameSession(ctx, id, title) })
}

// DeleteSession forgets a session and its messages.
func (s *Sessions) DeleteSession(id string) error {
	return do(s.core, "DeleteSession", func(ctx context.Context) error { return s.core.backend.DeleteSession(ctx, id) })
}

// SearchSessions finds words in titles and messages of every session, best first.
func (s *Sessions) SearchSessions(query string) ([]SearchHit, error) {
	return call(s.core, "SearchSessions", func(ctx context.Context) ([]SearchHit, error) {
		return list(s.core.backend.SearchSessions(ctx, query))
	})
}

// ShowWorkspace shows the newest session of a workspace, or a new one.
func (s *Sessions) ShowWorkspace(workspace string) error {
	return do(s.core, "ShowWorkspace", func(ctx context.Context) error { return s.core.backend.ShowWorkspace(ctx, workspace) })
}
