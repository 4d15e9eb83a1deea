package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/watch"
)

// SignIn is where the sign-in to a server is.
type SignIn struct {
	mcpauth.State
	Kept Keep // where what it gave is kept
}

// SignIns has a new revision whenever the sign-in to a server is somewhere else.
func (m *Manager) SignIns() *watch.Value[map[string]mcpauth.State] { return m.owners.signIns.States() }

// SignIn begins to sign in to a server in the person's browser, or queues that behind
// another sign-in; its course is in SignInOf. keep says where sign-ins are kept on a machine
// without a keyring; where that is not known yet, it is a *settings.NoKeyringError and
// nothing is begun. After it the server is tried again in every session that uses it.
func (m *Manager) SignIn(s *Session, name string, keep Keep) error {
	def, err := s.signInTarget(name)
	if err != nil {
		return err
	}
	if !mcpauth.Unattended(def) { // what needs no person is not kept
		if err := m.owners.kept.Choose(keep); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errClosed
	}
	m.owners.signing.Go(func() {
		// It is the process that is signed in: the end of one session does not end it.
		err := m.owners.signIns.SignIn(context.Background(), def)
		if err == nil {
			m.retrySigned(mcpauth.Key(def), mcphost.Error, mcphost.Busy)
		}
	})
	return nil
}

// CancelSignIn ends a sign-in that waits for the person or for its turn; without one it
// does nothing.
func (m *Manager) CancelSignIn(s *Session, name string) error {
	def, err := s.signInTarget(name)
	if err == nil {
		m.owners.signIns.Cancel(def)
	}
	return err
}

// SignOut takes back what signing in to a server gave, where that is offered, forgets it,
// and ends the connections that used it.
func (m *Manager) SignOut(ctx context.Context, s *Session, name string) error {
	def, err := s.signInTarget(name)
	if err != nil {
		return err
	}
	err = m.owners.signIns.SignOut(ctx, def)
	m.retrySigned(mcpauth.Key(def), mcphost.Connected, mcphost.Busy)
	return err
}

// SignInOf is where the sign-in of a row's server is; ok is false when there is none.
func (s *Session) SignInOf(name string) (SignIn, bool) {
	def, err := s.addressOf(name)
	if err != nil || def.Type == mcpconf.Stdio {
		return SignIn{}, false
	}
	state := s.owners.signIns.State(def)
	if state.Phase == "" {
		return SignIn{}, false
	}
	return SignIn{State: state, Kept: s.owners.kept.Where(mcpauth.Item(def))}, true
}

// retrySigned tries the servers of a sign-in again wherever they are in one of the states.
func (m *Manager) retrySigned(key string, states ...mcphost.State) {
	m.mu.Lock()
	open := slices.Collect(maps.Values(m.sessions))
	m.mu.Unlock()
	for _, s := range open {
		s.retryWhere(func(r mcphost.Row) bool {
			if !slices.Contains(states, r.State) || r.Type == string(mcpconf.Stdio) {
				return false
			}
			def, err := s.addressOf(r.Name)
			return err == nil && mcpauth.Key(def) == key
		})
	}
}

// signOutLimit bounds the sign-out from a server that was removed.
const signOutLimit = 5 * time.Second

// signOutAfter prepares to sign out of a server that is about to be removed: nobody could
// do that afterwards. A sign-in that another definition uses stays.
func (s *Session) signOutAfter(name string) (signOut func()) {
	def, err := s.addressOf(name)
	if err != nil || def.Type == mcpconf.Stdio {
		return func() {}
	}
	return func() {
		defs, _ := s.owners.Store.Value().Get()
		for _, other := range defs.Servers {
			if at, err := s.addressOf(other.Name); err == nil && !mcpconn.HasAuthorization(other) && at.Type != mcpconf.Stdio && mcpauth.Key(at) == mcpauth.Key(def) {
				return
			}
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.closed {
			return
		}
		s.owners.signing.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), signOutLimit)
			defer cancel()
			if err := s.owners.signIns.SignOut(ctx, def); err != nil {
				s.owners.Logger.Warn("sign out of a removed server", "server", name, "error", err)
			}
		})
	}
}

// errNoSignIn refuses to sign in to a server that is not asked over HTTP.
var errNoSignIn = errors.New("only servers that are reached over http are signed in to")

// signInTarget is a definition with its values, as its connection uses it.
func (s *Session) signInTarget(name string) (mcpconf.Definition, error) {
	def, err := s.Definition(name)
	if err != nil {
		return def, err
	}
	if def.Type == mcpconf.Stdio {
		return def, fmt.Errorf("%s: %w", name, errNoSignIn)
	}
	if mcpconn.HasAuthorization(def) {
		return def, fmt.Errorf("%s has an Authorization header in its definition. Remove it to sign in instead", name)
	}
	return s.owners.expand(def, s.workspace)
}

// addressOf is a definition with what names its sign-in expanded and nothing else: it waits
// for no keyring unless the address does.
func (s *Session) addressOf(name string) (mcpconf.Definition, error) {
	def, err := s.Definition(name)
	if err != nil || def.Type == mcpconf.Stdio {
		return def, err
	}
	def.Env, def.Headers = nil, nil
	if !strings.Contains(def.URL, "${") && !strings.Contains(string(def.Auth), "${") {
		return def, nil
	}
	return s.owners.expand(def, s.workspace)
}

// secret reads an item of the keyring that a definition refers to.
func (w *owners) secret(item string) (string, error) {
	if isSignIn(item) {
		return "", fmt.Errorf("the item %q of the keyring belongs to a sign-in, and no definition may use it", item)
	}
	return w.keys.Get(item)
}
