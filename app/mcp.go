package app

import "context"

// MCP is bound: the server board's commands, for the shown session.
type MCP struct{ core *core }

// Snapshot returns the rows as topic "mcp" carries them.
func (m *MCP) Snapshot() (MCPSnapshot, error) {
	return stamped(m.core, "MCP.Snapshot", m.core.backend.Servers, stampMCP)
}

// EnableServer enables a server in the workspace and trusts it there.
func (m *MCP) EnableServer(name string) (Done, error) {
	return m.changed("EnableServer", name, m.core.backend.EnableServer)
}

// DisableServer takes a server out of the workspace.
func (m *MCP) DisableServer(name string) (Done, error) {
	return m.changed("DisableServer", name, m.core.backend.DisableServer)
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

// GetServer returns a definition for the form, without its stored values.
func (m *MCP) GetServer(name string) (ServerForm, error) {
	return call(m.core, "GetServer", func(ctx context.Context) (ServerForm, error) { return m.core.backend.GetServer(ctx, name) })
}

// AddServer defines a server on this machine and enables it here when the form says so.
func (m *MCP) AddServer(form ServerForm) (Done, error) {
	return call(m.core, "AddServer", func(ctx context.Context) (Done, error) { return m.core.backend.AddServer(ctx, form) })
}

// EditServer changes a definition; values sent back with HasValue are kept.
func (m *MCP) EditServer(name string, form ServerForm) (Done, error) {
	return call(m.core, "EditServer", func(ctx context.Context) (Done, error) { return m.core.backend.EditServer(ctx, name, form) })
}

// RemoveServer deletes a definition and its name in this workspace.
func (m *MCP) RemoveServer(name string) (Done, error) {
	return m.changed("RemoveServer", name, m.core.backend.RemoveServer)
}

// RestoreFields writes back the fields of ours that another program dropped from mcp.json.
func (m *MCP) RestoreFields() (Done, error) {
	return call(m.core, "RestoreFields", m.core.backend.RestoreFields)
}

// ResolveClash saves which tools of a server are held back or renamed, beside the rules
// there are.
func (m *MCP) ResolveClash(name string, rules ToolRules) (Done, error) {
	return call(m.core, "ResolveClash", func(ctx context.Context) (Done, error) { return m.core.backend.ResolveClash(ctx, name, rules) })
}

// SetToolRules saves which tools of a server are held back or renamed, instead of the rules
// there are.
func (m *MCP) SetToolRules(name string, rules ToolRules) (Done, error) {
	return call(m.core, "SetToolRules", func(ctx context.Context) (Done, error) { return m.core.backend.SetToolRules(ctx, name, rules) })
}

// UndoChange takes a change of the files back and says which it was.
func (m *MCP) UndoChange(id string) (string, error) {
	return call(m.core, "UndoChange", func(ctx context.Context) (string, error) { return m.core.backend.UndoChange(ctx, id) })
}

// Changes lists what Patchbay changed in the two files and can take back, newest first.
func (m *MCP) Changes() ([]Change, error) {
	return call(m.core, "Changes", func(ctx context.Context) ([]Change, error) { return list(m.core.backend.Changes(ctx)) })
}

// ParsePaste reads a command line, or another client's JSON, as definitions.
func (m *MCP) ParsePaste(text string) (Paste, error) {
	return call(m.core, "ParsePaste", func(ctx context.Context) (Paste, error) { return m.core.backend.ParsePaste(ctx, text) })
}

// Trial returns the dry run as topic "trial" carries it.
func (m *MCP) Trial() (Trial, error) {
	return stamped(m.core, "Trial", m.core.backend.Trials, stampTrial)
}

// StartTrial runs a definition without saving it; its course is topic "trial". edits names
// the definition whose stored values the form keeps, "" for a new one.
func (m *MCP) StartTrial(form ServerForm, edits string) (string, error) {
	return call(m.core, "StartTrial", func(ctx context.Context) (string, error) { return m.core.backend.StartTrial(ctx, form, edits) })
}

// StopTrial ends the dry run and what it started.
func (m *MCP) StopTrial() error {
	return do(m.core, "StopTrial", m.core.backend.StopTrial)
}

// ServerDetail returns what the detail of a server shows beside its row.
func (m *MCP) ServerDetail(name string) (ServerDetail, error) {
	return call(m.core, "ServerDetail", func(ctx context.Context) (ServerDetail, error) { return m.core.backend.ServerDetail(ctx, name) })
}

// ServerLog returns the lines of a server's stderr and log messages after a sequence
// number, 0 for all that are kept.
func (m *MCP) ServerLog(name string, after uint64) (LogPage, error) {
	return call(m.core, "ServerLog", func(ctx context.Context) (LogPage, error) { return m.core.backend.ServerLog(ctx, name, after) })
}

// CopyDiagnosis puts everything a bug report about a server needs on the clipboard, stored
// values left out.
func (m *MCP) CopyDiagnosis(name string) error {
	return do(m.core, "CopyDiagnosis", func(ctx context.Context) error {
		text, err := m.core.backend.Diagnosis(ctx, name)
		if err != nil {
			return err
		}
		return m.core.desktop.copyText(text)
	})
}

// Clashes returns both sides of every tool name that a server may not have.
func (m *MCP) Clashes(name string) (Clashes, error) {
	return call(m.core, "Clashes", func(ctx context.Context) (Clashes, error) { return m.core.backend.Clashes(ctx, name) })
}

// CallTool tries a tool by hand; original is its name on the server, callID is chosen by
// the caller, for CancelTool. It waits for the tool as long as its server may take.
func (m *MCP) CallTool(callID, server, original, arguments string) (ToolOutcome, error) {
	patient := *m.core
	patient.limit = toolLimit
	return call(&patient, "CallTool", func(ctx context.Context) (ToolOutcome, error) {
		return m.core.backend.CallTool(ctx, callID, server, original, arguments)
	})
}

// CancelTool ends a call of CallTool; one that is over already is no error.
func (m *MCP) CancelTool(callID string) error {
	return m.named("CancelTool", callID, m.core.backend.CancelTool)
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

func (m *MCP) changed(command, name string, run func(context.Context, string) (Done, error)) (Done, error) {
	return call(m.core, command, func(ctx context.Context) (Done, error) { return run(ctx, name) })
}

// list turns a nil slice into an empty one: null is no list in the page.
func list[T any](values []T, err error) ([]T, error) {
	if values == nil {
		values = []T{}
	}
	return values, err
}
