package app

import "context"

// Trials publishes the dry run.
func (l *Local) Trials() Source[Trial] { return l.trial }

// StartTrial runs a definition without saving it.
func (l *Local) StartTrial(_ context.Context, form ServerForm, edits string) (string, error) {
	return "", errNotYet
}

// StopTrial ends the dry run and what it started.
func (l *Local) StopTrial(context.Context) error { return errNotYet }

// ServerDetail is what the detail of a server shows beside its row.
func (l *Local) ServerDetail(_ context.Context, name string) (ServerDetail, error) {
	return ServerDetail{}, errNotYet
}

// ServerLog returns the lines of a server's stderr and log messages after a sequence number.
func (l *Local) ServerLog(_ context.Context, name string, after uint64) (LogPage, error) {
	return LogPage{}, errNotYet
}

// Diagnosis is everything a bug report about a server needs, stored values left out.
func (l *Local) Diagnosis(_ context.Context, name string) (string, error) { return "", errNotYet }

// Clashes returns both sides of every tool name that a server may not have.
func (l *Local) Clashes(_ context.Context, name string) (Clashes, error) {
	return Clashes{}, errNotYet
}

// CallTool runs one tool until it answers or ctx ends.
func (l *Local) CallTool(ctx context.Context, callID, server, original, arguments string) (ToolOutcome, error) {
	return ToolOutcome{}, errNotYet
}

// CancelTool ends a call of CallTool.
func (l *Local) CancelTool(_ context.Context, callID string) error { return errNotYet }
