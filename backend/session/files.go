package session

import "patchbay/backend/mcpconf"

// Enablement owns the session's workspace.json, nil in a plain chat.
func (s *Session) Enablement() *mcpconf.Workspace { return s.conf }

// EnablementOf owns the workspace.json of a folder, which every session there shares.
func (m *Manager) EnablementOf(workspace string) (*mcpconf.Workspace, error) {
	_, conf, err := m.openWorkspace(workspace)
	return conf, err
}
