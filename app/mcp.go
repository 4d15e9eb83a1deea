package app

import "context"

// MCP is bound: the server board's commands, for the shown session.
type MCP struct{ core *core }

// Snapshot returns the rows as topic "mcp" carries them.
func (m *MCP) Snapshot() (MCPSnapshot, error) {
	return stamped(m.core, "MCP.Snapshot", m.core.backend.Servers, stampMCP)
}

// EnableServer enables a server in the workspace and trusts it there.
func (m *MCP) EnableServer(name string) error {
	return m.named("EnableServer", name, m.core.backend.EnableServer)
}

// DisableServer takes a server out of the workspace.
func (m *MCP) DisableServer(name string) error {
	return m.named("DisableServer", name, m.core.backend.DisableServer)
}

// PauseServer leaves an enabled server out of this session.
func (m *MCP) PauseServer(name string) error {
	return m.named("PauseServer", name, m.core.backend.PauseServer)
}

// ResumeServer takes a paused server in again.
func (m *MCP) ResumeServer(name string) error {
	return m.named("ResumeServer", name, m.core.backend.ResumeServer)
}

// TrustServers trusts names that came into workspace.json another way.
func (m *MCP) TrustServers(names []string) error {
	return do(m.core, "TrustServers", func(ctx context.Context) error { return m.core.backend.TrustServers(ctx, names) })
}

// RetryServer tries a server once more; a connected one is restarted.
func (m *MCP) RetryServer(name string) error {
	return m.named("RetryServer", name, m.core.backend.RetryServer)
}

// RetryFailed tries every server in error once more.
func (m *MCP) RetryFailed() error {
	return do(m.core, "RetryFailed", func(ctx context.Context) error { return m.core.backend.RetryFailed(ctx) })
}

// RebuildAll tries every server once more.
func (m *MCP) RebuildAll() error {
	return do(m.core, "RebuildAll", func(ctx context.Context) error { return m.core.backend.RebuildAll(ctx) })
}

// AddServer defines a server on this machine and enables it here when the form says so.
func (m *MCP) AddServer(form ServerForm) error {
	return do(m.core, "AddServer", func(ctx context.Context) error { return m.core.backend.AddServer(ctx, form) })
}

// EditServer changes a definition; values sent back with HasValue are kept.
func (m *MCP) EditServer(name string, form ServerForm) error {
	return do(m.core, "EditServer", func(ctx context.Context) error { return m.core.backend.EditServer(ctx, name, form) })
}

// RemoveServer deletes a definition and its name in this workspace.
func (m *MCP) RemoveServer(name string) error {
	return m.named("RemoveServer", name, m.core.backend.RemoveServer)
}

// UndoRemove brings the last removed server back.
func (m *MCP) UndoRemove() error {
	return do(m.core, "UndoRemove", func(ctx context.Context) error { return m.core.backend.UndoRemove(ctx) })
}

// RestoreFields writes back the fields of ours that another program dropped from mcp.json.
func (m *MCP) RestoreFields() error {
	return do(m.core, "RestoreFields", func(ctx context.Context) error { return m.core.backend.RestoreFields(ctx) })
}

// GetServer returns a definition for the form, without its stored values.
func (m *MCP) GetServer(name string) (ServerForm, error) {
	return call(m.core, "GetServer", func(ctx context.Context) (ServerForm, error) { return m.core.backend.GetServer(ctx, name) })
}

// ResolveClash saves which tools of a server are held back or renamed.
func (m *MCP) ResolveClash(name string, rules ToolRules) error {
	return do(m.core, "ResolveClash", func(ctx context.Context) error { return m.core.backend.ResolveClash(ctx, name, rules) })
}

// ServerTools returns the tools of a server, never nil.
func (m *MCP) ServerTools(name string) ([]ServerTool, error) {
	return call(m.core, "ServerTools", func(ctx context.Context) ([]ServerTool, error) {
		return list(m.core.backend.ServerTools(ctx, name))
	})
}

// ServerLog returns the last lines of a server's stderr and log messages, never nil.
func (m *MCP) ServerLog(name string) ([]string, error) {
	return call(m.core, "ServerLog", func(ctx context.Context) ([]string, error) {
		return list(m.core.backend.ServerLog(ctx, name))
	})
}

// OpenFile opens one of the two configuration files in the person's editor, at the line
// where the editor can be told one; 0 is the beginning.
func (m *MCP) OpenFile(which ConfigFile, line int) error {
	return do(m.core, "OpenFile", func(ctx context.Context) error {
		snap, _ := m.core.backend.Servers().Get()
		path, err := configPath(snap, which)
		if err != nil {
			return err
		}
		return m.core.desktop.openFile(ctx, path, line)
	})
}

func configPath(snap MCPSnapshot, which ConfigFile) (string, error) {
	switch {
	case which == FileStore:
		return snap.Store, nil
	case which == FileWorkspace && snap.WorkspaceConfig != "":
		return snap.WorkspaceConfig, nil
	case which == FileWorkspace:
		return "", &CommandError{Code: CodeNotFound, Message: "a plain chat has no workspace file. Open a workspace first"}
	}
	return "", &CommandError{Code: CodeInvalid, Message: "unknown configuration file: " + string(which) + ". Use store or workspace"}
}

func (m *MCP) named(command, name string, run func(context.Context, string) error) error {
	return do(m.core, command, func(ctx context.Context) error { return run(ctx, name) })
}

// list turns a nil slice into an empty one: null is no list in the page.
func list[T any](values []T, err error) ([]T, error) {
	if values == nil {
		values = []T{}
	}
	return values, err
}
