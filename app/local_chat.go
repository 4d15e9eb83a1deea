package app

import (
	"context"
	"errors"

	"patchbay/backend/gateway"
	"patchbay/backend/session"
)

// notBegun is why a turn did not begin, as the page needs it.
func notBegun(err error) error {
	var refused *gateway.ServiceError
	switch {
	case errors.Is(err, session.ErrBusy):
		return &CommandError{Code: CodeBusy, Message: err.Error()}
	case errors.As(err, &refused):
		return &CommandError{Code: CodeInvalid, Message: err.Error(), Server: refused.Service}
	}
	return err
}

// ResendMessage puts text in the place of an earlier message of the user and begins a turn
// from there.
func (l *Local) ResendMessage(_ context.Context, sessionID string, seq uint64, text string) error {
	s, err := l.session(sessionID)
	if err != nil {
		return err
	}
	return notBegun(s.Resend(seq, text))
}

// RetryCall tries the server of a failed call once more and offers the call again.
func (l *Local) RetryCall(_ context.Context, sessionID, callID string) error {
	s, err := l.session(sessionID)
	if err != nil {
		return err
	}
	return notBegun(s.RetryCall(callID))
}

// LightService says whether the next message opens a server.
func (l *Local) LightService(_ context.Context, sessionID, name string, lit bool) error {
	s, err := l.session(sessionID)
	if err != nil {
		return err
	}
	return s.Light(name, lit)
}
