package app

import "context"

// ResendMessage puts text in the place of an earlier message of the user and begins a turn
// from there.
func (l *Local) ResendMessage(_ context.Context, sessionID string, seq uint64, text string) error {
	return errNotYet
}

// RetryCall tries the server of a failed call once more and offers the call again.
func (l *Local) RetryCall(_ context.Context, sessionID, callID string) error { return errNotYet }

// LightService says whether the next message opens a server.
func (l *Local) LightService(_ context.Context, sessionID, name string, lit bool) error {
	return errNotYet
}
