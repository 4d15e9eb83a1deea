package app

import "context"

// ProcessCommands tell how a server was started and what runs of it.
type ProcessCommands interface {
	ServerTimeline(ctx context.Context, name string) (ServerTimeline, error)
	ServerProcesses(ctx context.Context, name string) (ServerProcesses, error)
	// ServerDoctor examines a server; StopDoctor ends it by the id the caller chose.
	ServerDoctor(ctx context.Context, callID, name string, again bool) (ServerDoctor, error)
	StopDoctor(ctx context.Context, callID string) error
}

// ServerTimeline returns the last starts of a server.
func (m *MCP) ServerTimeline(name string) (ServerTimeline, error) {
	return call(m.core, "ServerTimeline", func(ctx context.Context) (ServerTimeline, error) {
		return m.core.backend.ServerTimeline(ctx, name)
	})
}

// ServerProcesses returns what runs of a server now.
func (m *MCP) ServerProcesses(name string) (ServerProcesses, error) {
	return call(m.core, "ServerProcesses", func(ctx context.Context) (ServerProcesses, error) {
		return m.core.backend.ServerProcesses(ctx, name)
	})
}

// ServerDoctor says in what a server's start here differs from one in a terminal. again
// asks the login shell and the programs anew; callID is chosen by the caller, for
// StopDoctor.
func (m *MCP) ServerDoctor(callID, name string, again bool) (ServerDoctor, error) {
	return call(m.core, "ServerDoctor", func(ctx context.Context) (ServerDoctor, error) {
		return m.core.backend.ServerDoctor(ctx, callID, name, again)
	})
}

// StopDoctor ends a ServerDoctor; one that is over already is no error.
func (m *MCP) StopDoctor(callID string) error {
	return m.named("StopDoctor", callID, m.core.backend.StopDoctor)
}
