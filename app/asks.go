package app

import "context"

// AskCommands answer servers.
type AskCommands interface {
	Asks() Source[AsksSnapshot]
	AnswerAsk(ctx context.Context, id string, answer AskAnswer) error
	// CancelCall ends one call of a running turn, which goes on.
	CancelCall(ctx context.Context, sessionID, callID string) error
	// SetLogLevel asks a connected server for log messages of a level and above.
	SetLogLevel(ctx context.Context, name, level string) error
}

// Asks returns what servers ask now as topic "asks" carries it.
func (c *Chat) Asks() (AsksSnapshot, error) {
	return stamped(c.core, "Asks", c.core.backend.Asks, stampAsks)
}

// AnswerAsk answers a server's question; the first answer wins, and one that the server
// could not take is an error that leaves the question open.
func (c *Chat) AnswerAsk(id string, answer AskAnswer) error {
	return do(c.core, "AnswerAsk", func(ctx context.Context) error { return c.core.backend.AnswerAsk(ctx, id, answer) })
}

// CancelCall ends one call of a running turn; the turn goes on.
func (c *Chat) CancelCall(sessionID, callID string) error {
	return do(c.core, "CancelCall", func(ctx context.Context) error { return c.core.backend.CancelCall(ctx, sessionID, callID) })
}

// SetLogLevel asks a server for log messages of a level (RFC 5424 words) and above.
func (m *MCP) SetLogLevel(name, level string) error {
	return do(m.core, "SetLogLevel", func(ctx context.Context) error { return m.core.backend.SetLogLevel(ctx, name, level) })
}
