package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"patchbay/backend/mcpconf"
)

const insufficientScope = "insufficient_scope" // RFC 6750, 3.1

// Token is the token that requests to a server are signed with, "" without a sign-in. One
// that is about to expire is renewed first. An error means that it could not be, which may
// pass.
func (m *Manager) Token(ctx context.Context, def mcpconf.Definition) (string, error) {
	s := m.at(def)
	r, err := m.recordOf(s)
	if err != nil || !r.usable() {
		return "", err
	}
	if r.Expires.IsZero() || time.Until(r.Expires) > early || r.Refresh == "" {
		return r.Access, nil
	}
	return m.renew(ctx, s, r.Access)
}

// Registered reports whether the sign-in in use is that of a client that was registered
// dynamically.
func (m *Manager) Registered(def mcpconf.Definition) bool {
	s := m.at(def)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record != nil && s.record.Access != "" && s.record.Client.Registered
}

// Challenged hears that the server refused a request that was signed with sent ("" for
// none). It reports whether the request is worth repeating: there is another token now.
func (m *Manager) Challenged(ctx context.Context, def mcpconf.Definition, sent string, resp *http.Response) (again bool, err error) {
	c := parseChallenge(resp.Header.Values("WWW-Authenticate"))
	s := m.at(def)
	if resp.StatusCode == http.StatusForbidden {
		if c.reason == insufficientScope {
			m.note(s, c)
		}
		return false, nil
	}
	s.mu.Lock()
	s.challenge = c
	s.mu.Unlock()
	r, err := m.recordOf(s)
	if err != nil {
		return false, err
	}
	if r.usable() && r.Access != sent {
		return true, nil // renewed meanwhile
	}
	if config, err := parseConfig(def); err == nil && config.unattended() {
		return m.again(ctx, s, def, config, sent)
	}
	token, err := m.renew(ctx, s, sent)
	return err == nil && token != "" && token != sent, err
}

// again asks for a token without a person, once for all requests that wait for it.
func (m *Manager) again(ctx context.Context, s *server, def mcpconf.Definition, config config, sent string) (bool, error) {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	s.mu.Lock()
	r, c := s.record, s.challenge
	s.mu.Unlock()
	if r.usable() && r.Access != sent {
		return true, nil
	}
	r, err := m.unattended(ctx, def, config, c, r)
	if err != nil {
		m.publish(s.key, State{Phase: Failed, Message: sentence(briefly(err).Error())})
		return false, nil // the server's refusal stands
	}
	s.hold(r)
	m.show(s)
	return r.Access != sent, nil
}

// note keeps what more a server asks for; the person is asked when they sign in again.
func (m *Manager) note(s *server, c challenge) {
	s.mu.Lock()
	s.wants = c.scopes
	if !s.challenge.known {
		s.challenge = c
	}
	s.mu.Unlock()
	m.show(s)
}

// show publishes what is held. While a sign-in runs it is that which is shown.
func (m *Manager) show(s *server) {
	s.mu.Lock()
	state, busy := stateOf(s.record), s.cancel != nil
	if state.Phase == SignedIn {
		state.Wants = s.wants
	}
	s.mu.Unlock()
	if !busy {
		m.publish(s.key, state)
	}
}

// recordOf is what is kept of a server. It is read once; what another process did since is
// seen when the server refuses a request or a token is renewed.
func (m *Manager) recordOf(s *server) (*record, error) {
	s.mu.Lock()
	r, read := s.record, s.read
	s.mu.Unlock()
	if read {
		return r, nil
	}
	s.renewing.Lock()
	defer s.renewing.Unlock()
	s.mu.Lock()
	r, read = s.record, s.read
	s.mu.Unlock()
	if read {
		return r, nil
	}
	unlock, err := m.opts.Lock(m.life, s.key) // what is written in parts is read whole
	if err == nil {
		r, err = m.load(s.key)
		unlock()
	}
	if err != nil {
		return nil, fmt.Errorf("read the sign-in: %w", err)
	}
	s.mu.Lock()
	s.record, s.read = r, true
	s.mu.Unlock()
	if r.usable() {
		m.show(s)
	}
	return r, nil
}

// renew trades the refresh token for a new token, unless somebody did since stale was read:
// another request, or another process that keeps sign-ins in the same place. It is "" when
// nobody is signed in any more.
func (m *Manager) renew(ctx context.Context, s *server, stale string) (string, error) {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	unlock, err := m.opts.Lock(ctx, s.key)
	if err != nil {
		return "", fmt.Errorf("renew the sign-in: %w", err)
	}
	defer unlock()
	r := m.latest(s)
	switch {
	case !r.usable():
		return "", nil
	case r.Access != stale:
		return r.Access, nil
	case r.Refresh == "":
		m.lapse(s, r, fmt.Sprintf("the sign-in at %s has expired or was taken back. Sign in again", host(r.Issuer)))
		return "", nil
	}
	fresh := *r
	// A token that was rotated must not be lost because a request was given up.
	err = m.trade(context.WithoutCancel(ctx), &fresh, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {r.Refresh}})
	var refused *refusal
	switch {
	case errors.As(err, &refused) && refused.final():
		if refused.ofClient() && r.Client.Registered {
			r = nil // the registration is gone too
		}
		m.lapse(s, r, fmt.Sprintf("the sign-in at %s has expired or was taken back (%s). Sign in again", host(fresh.Issuer), refused.Code))
		return "", nil
	case err != nil:
		return "", fmt.Errorf("renew the sign-in at %s: %w", host(r.Issuer), err)
	}
	err = m.keep(s.key, &fresh)
	if err != nil { // it works until the process ends
		m.opts.Logger.Warn("a renewed sign-in is not kept", "key", s.key, "error", err)
	}
	s.renewed(&fresh, err != nil)
	m.show(s)
	return fresh.Access, nil
}

// latest is what every process that shares the Store has of a server. The server is being
// renewed.
func (m *Manager) latest(s *server) *record {
	s.mu.Lock()
	r, unkept := s.record, s.unkept
	s.mu.Unlock()
	if unkept {
		return r // newer than what is kept
	}
	kept, err := m.load(s.key)
	if err != nil {
		return r // the best there is
	}
	if kept.usable() && r.usable() && kept.Access == r.Access {
		return r
	}
	before := r.usable()
	s.renewed(kept, false)
	if before || kept.usable() {
		m.show(s)
	}
	return kept
}

// lapse forgets a token that works no more. The registration stays, unless nothing is left.
func (m *Manager) lapse(s *server, left *record, why string) {
	var err error
	if left == nil {
		err = m.forget(s.key)
	} else {
		only := *left
		only.Access, only.Refresh, only.Expires = "", "", time.Time{}
		left, err = &only, m.keep(s.key, &only)
	}
	if err != nil { // the next process finds out by itself
		m.opts.Logger.Warn("a sign-in that works no more is still kept", "key", s.key, "error", err)
	}
	s.renewed(left, err != nil)
	s.mu.Lock()
	busy := s.cancel != nil
	s.mu.Unlock()
	if !busy {
		m.publish(s.key, State{Phase: Failed, Message: sentence(why)})
	}
}

// renewed is hold that keeps what the server asked for.
func (s *server) renewed(r *record, unkept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record, s.read, s.unkept = r, true, unkept
}
