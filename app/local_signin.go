package app

import (
	"context"
	"errors"
	"sync"

	"patchbay/backend/mcpauth"
	"patchbay/backend/session"
	"patchbay/backend/settings"
)

// browser opens addresses once the window says how.
type browser struct {
	mu  sync.Mutex
	run func(address string) error
}

func (b *browser) open(address string) error {
	b.mu.Lock()
	run := b.run
	b.mu.Unlock()
	if run == nil {
		return mcpauth.ErrNoBrowser
	}
	return run(address)
}

// BrowseWith says how an address is opened in the system's browser.
func (l *Local) BrowseWith(open func(address string) error) {
	l.browser.mu.Lock()
	defer l.browser.mu.Unlock()
	l.browser.run = open
}

// SignIn begins a sign-in, or queues it.
func (l *Local) SignIn(_ context.Context, name string, keep SignInKeep) error {
	return l.onCurrent(func(s *session.Session) error {
		err := l.manager.SignIn(s, name, session.Keep(keep))
		var missing *settings.NoKeyringError
		if errors.As(err, &missing) {
			return &CommandError{Code: CodeNoKeyring, Message: "There is no keyring on this machine. Say first where sign-ins are kept", Path: missing.File}
		}
		return err
	})
}

// CancelSignIn ends a sign-in that waits.
func (l *Local) CancelSignIn(_ context.Context, name string) error {
	return l.onCurrent(func(s *session.Session) error { return l.manager.CancelSignIn(s, name) })
}

// SignOut takes a sign-in back.
func (l *Local) SignOut(ctx context.Context, name string) error {
	return l.onCurrent(func(s *session.Session) error { return l.manager.SignOut(ctx, s, name) })
}

// toSignIn is a sign-in for the page, nil when there is none.
func toSignIn(s session.SignIn, ok bool) *SignIn {
	if !ok {
		return nil
	}
	return &SignIn{
		State: SignInState(s.Phase), URL: s.URL, SinceMs: unixMs(s.Since), UntilMs: unixMs(s.Until),
		Issuer: s.Issuer, Scopes: orEmpty(s.Scopes), ExpiresMs: unixMs(s.Expires), Renews: s.Renews,
		Kept: string(s.Kept), Wants: orEmpty(s.Wants), Message: s.Message,
	}
}
