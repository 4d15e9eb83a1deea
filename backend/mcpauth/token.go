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
	if err != nil || r == nil || r.Access == "" {
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
	if r != nil && r.Access != "" && r.Access != sent {
		return true, nil // renewed meanwhile
	}
	if config, err := parseConfig(def); err == nil && config.unattended() {
		return m.again(ctx, s, def, config, sent)
	}
	if r == nil || r.Access == "" {
		return false, nil
	}
	if r.Refresh == "" {
		return false, m.lapse(s, r, "the sign-in at "+host(r.Issuer)+" has expired or was taken back. Sign in again")
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
	if r != nil && r.Access != "" && r.Access != sent {
		return true, nil
	}
	r, err := m.unattended(ctx, def, config, c)
	if err != nil {
		m.publish(s.key, State{Phase: Failed, Message: sentence(briefly(err).Error())})
		return false, nil // the server's refusal stands
	}
	s.hold(r)
	m.publish(s.key, r.state())
	return r.Access != sent, nil
}

// note keeps what more a server asks for; the person is asked when they sign in again.
func (m *Manager) note(s *server, c challenge) {
	s.mu.Lock()
	s.challenge = c
	r := s.record
	s.mu.Unlock()
	if r != nil {
		state := r.state()
		state.Wants = c.scopes
		m.publish(s.key, state)
	}
}

// recordOf is what is kept of a server. It is read once; a process that signs in meanwhile
// is seen when a token is renewed.
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
	busy := s.cancel != nil
	s.mu.Unlock()
	if state := stateOf(r); state.Phase != "" && !busy {
		m.publish(s.key, state)
	}
	return r, nil
}

// renew trades the refresh token for a new token, unless somebody did since stale was read:
// another request, or another process that keeps sign-ins in the same place.
func (m *Manager) renew(ctx context.Context, s *server, stale string) (string, error) {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	unlock, err := m.opts.Lock(ctx, s.key)
	if err != nil {
		return "", fmt.Errorf("renew the sign-in: %w", err)
	}
	defer unlock()
	s.mu.Lock()
	r := s.record
	s.mu.Unlock()
	if kept, err := m.load(s.key); err == nil && kept != nil && kept.Access != "" {
		r = kept
	}
	if r == nil || r.Access == "" {
		return "", nil
	}
	if r.Access != stale {
		s.renewed(r)
		m.publish(s.key, r.state())
		return r.Access, nil
	}
	fresh := *r
	// A token that was rotated must not be lost because a request was given up.
	err = m.trade(context.WithoutCancel(ctx), &fresh, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {r.Refresh}})
	var refused *refusal
	switch {
	case errors.As(err, &refused) && refused.final():
		return "", m.lapse(s, r, fmt.Sprintf("the sign-in at %s has expired or was taken back (%s). Sign in again", host(r.Issuer), refused.Code))
	case err != nil:
		return "", fmt.Errorf("renew the sign-in at %s: %w", host(r.Issuer), err)
	}
	s.renewed(&fresh)
	m.publish(s.key, fresh.state())
	return fresh.Access, m.keep(s.key, &fresh)
}

// lapse forgets a token that works no more. The registration stays.
func (m *Manager) lapse(s *server, r *record, why string) error {
	left := *r
	left.Access, left.Refresh, left.Expires = "", "", time.Time{}
	s.renewed(&left)
	m.publish(s.key, State{Phase: Failed, Message: sentence(why)})
	return m.keep(s.key, &left)
}

// renewed is hold that keeps what the server asked for.
func (s *server) renewed(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record, s.read = r, true
}
