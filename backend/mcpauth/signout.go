package mcpauth

import (
	"context"
	"fmt"
	"net/url"

	"patchbay/backend/mcpconf"
)

// SignOut takes back what signing in to a server gave, where its authorization server
// offers that (RFC 7009), and forgets it with the registration. It is forgotten whatever
// the server says; the error then says what may still be valid there.
func (m *Manager) SignOut(ctx context.Context, def mcpconf.Definition) error {
	m.Cancel(def)
	s := m.at(def)
	s.renewing.Lock()
	defer s.renewing.Unlock()
	unlock, err := m.opts.Lock(ctx, s.key)
	if err != nil {
		return fmt.Errorf("forget the sign-in: %w", err)
	}
	r, err := m.load(s.key) // another process may have renewed it
	if err != nil {
		unlock()
		return fmt.Errorf("read the sign-in: %w", err)
	}
	s.mu.Lock()
	if r == nil || s.unkept {
		r = s.record
	}
	s.mu.Unlock()
	s.hold(nil)
	err = m.forget(s.key)
	unlock()
	m.publish(s.key, State{})
	if err != nil || r == nil {
		return err
	}
	if err := m.revoke(ctx, r); err != nil {
		return fmt.Errorf("the sign-in is forgotten here, but %s did not take it back: %w", host(r.Issuer), err)
	}
	return nil
}

// revoke makes tokens invalid where their server offers that.
func (m *Manager) revoke(ctx context.Context, r *record) error {
	if r.RevokeURL == "" {
		return nil
	}
	for _, each := range []struct{ token, kind string }{{r.Refresh, "refresh_token"}, {r.Access, "access_token"}} {
		if each.token == "" {
			continue
		}
		if _, err := m.post(ctx, r, r.RevokeURL, url.Values{"token": {each.token}, "token_type_hint": {each.kind}}); err != nil {
			return err
		}
	}
	return nil
}
