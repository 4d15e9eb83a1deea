package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

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
	def, err := s.Definition(name)
	if err != nil {
		return SignIn{}, false
	}
	key := s.owners.signInKey(def, s.workspace)
	states, _ := s.owners.signIns.States().Get()
	state, ok := states[key]
	if !ok {
		return SignIn{}, false
	}
	return SignIn{State: state, Kept: s.owners.kept.Where(key)}, true
}

// retrySigned tries the servers of a sign-in again wherever they are in one of the states.
func (m *Manager) retrySigned(key string, states ...mcphost.State) {
	m.mu.Lock()
	open := slices.Collect(maps.Values(m.sessions))
	m.mu.Unlock()
	for _, s := range open {
		s.retryWhere(func(r mcphost.Row) bool {
			if !slices.Contains(states, r.State) {
				return false
			}
			def, err := s.Definition(r.Name)
			return err == nil && s.owners.signInKey(def, s.workspace) == key
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
			at, err := s.addressOf(other.Name)
			if err == nil && at.Type != mcpconf.Stdio && !mcpconn.HasAuthorization(other) && mcpauth.Key(at) == mcpauth.Key(def) {
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
	if !hasReference(def) {
		return def, nil
	}
	return s.owners.expand(def, s.workspace)
}

// lockWait bounds the wait for another process that renews the same sign-in.
const lockWait = 30 * time.Second

// lockSignIn keeps other processes of this person from renewing a sign-in meanwhile.
func (w *owners) lockSignIn(ctx context.Context, key string) (unlock func(), err error) {
	if err := os.MkdirAll(w.dirs.Runtime, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	lock := flock.New(filepath.Join(w.dirs.Runtime, "sign-in-"+key+".lock"), flock.SetPermissions(0o600))
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return nil, fmt.Errorf("another Patchbay renews it: %w", err)
	}
	return func() { _ = lock.Unlock() }, nil // the end of the process does it too
}

// hasReference reports whether what names a sign-in is known only once it is expanded.
func hasReference(def mcpconf.Definition) bool {
	return strings.Contains(def.URL, "${") || strings.Contains(string(def.Auth), "${")
}

// signInKey names the sign-in of a definition as it is written, "" where there can be none.
// Nothing waits here: what is expanded is known from when the server was started.
func (w *owners) signInKey(def mcpconf.Definition, workspace string) string {
	switch {
	case def.Type == mcpconf.Stdio:
		return ""
	case !hasReference(def):
		return mcpauth.Key(def)
	}
	w.named.Lock()
	defer w.named.Unlock()
	return w.signInKeys[asWritten(def, workspace)]
}

// noteSignInKey remembers what a definition that was just expanded is signed in as.
func (w *owners) noteSignInKey(def, expanded mcpconf.Definition, workspace string) {
	if def.Type == mcpconf.Stdio || !hasReference(def) {
		return
	}
	w.named.Lock()
	defer w.named.Unlock()
	w.signInKeys[asWritten(def, workspace)] = mcpauth.Key(expanded)
}

func asWritten(def mcpconf.Definition, workspace string) string {
	return workspace + "\x00" + def.URL + "\x00" + string(def.Auth)
}

// secret reads an item of the keyring that a definition refers to.
func (w *owners) secret(item string) (string, error) {
	if isSignIn(item) {
		return "", fmt.Errorf("the item %q of the keyring belongs to a sign-in, and no definition may use it", item)
	}
	return w.keys.Get(item)
}
