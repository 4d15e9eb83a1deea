package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"patchbay/backend/mcpconf"
)

// SignIn signs in to a server: it waits for its turn, shows the person where to agree, and
// returns when that came to an end. States tells its course. The definition's values are
// expanded. A second call for the same server while one runs returns at once.
func (m *Manager) SignIn(ctx context.Context, def mcpconf.Definition) error {
	s := m.at(def)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(m.life, func() { cancel(errClosing) })()
	s.mu.Lock()
	if s.cancel != nil {
		s.mu.Unlock()
		return nil
	}
	s.cancel, s.def = cancel, def
	s.mu.Unlock()
	m.wg.Add(1)
	defer m.wg.Done()
	r, err := m.inTurn(ctx, s)
	s.mu.Lock()
	s.cancel = nil
	s.mu.Unlock()
	switch {
	case err == nil:
		m.opts.Logger.Info("signed in", "server", def.Name, "issuer", r.Issuer)
		m.show(s)
	case errors.Is(err, errCancelled), errors.Is(err, errClosing), errors.Is(err, context.Canceled):
		m.show(s)
	default:
		m.opts.Logger.Info("the sign-in failed", "server", def.Name, "error", err)
		m.publish(s.key, State{Phase: Failed, Message: sentence(err.Error())})
	}
	return err
}

// stateOf is the state of what is kept, a zero one for nothing.
func stateOf(r *record) State {
	if !r.usable() {
		return State{}
	}
	return r.state()
}

// inTurn signs in when no other sign-in is before it, and keeps what that gave.
func (m *Manager) inTurn(ctx context.Context, s *server) (*record, error) {
	m.publish(s.key, State{Phase: Queued})
	select {
	case <-m.turn:
		defer func() { m.turn <- struct{}{} }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	now := time.Now()
	waiting := State{Phase: Waiting, Since: now, Until: now.Add(m.opts.Limit)}
	m.publish(s.key, waiting)
	ctx, cancel := context.WithTimeoutCause(ctx, m.opts.Limit, fmt.Errorf("%w (%s)", errNoAnswer, untilText(m.opts.Limit)))
	defer cancel()
	s.mu.Lock()
	c, def, wants, anew := s.challenge, s.def, s.wants, s.anew
	s.mu.Unlock()
	old, err := m.recordOf(s)
	if err != nil {
		return nil, err
	}
	f := &flow{m: m, def: def, old: old, wants: wants, anew: anew, prompted: func(address string, err error) {
		waiting.URL = address
		if err != nil {
			waiting.Message = sentence(err.Error())
		}
		m.publish(s.key, waiting)
	}}
	r, err := f.run(ctx, c)
	if err != nil {
		s.mu.Lock()
		s.anew = s.anew || f.reused // nobody comes back from a page that does not know the client
		s.mu.Unlock()
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, briefly(err)
	}
	if err := m.take(ctx, s, r); err != nil {
		return nil, err
	}
	return r, nil
}

// take keeps what a sign-in gave and signs requests with it, unless it was called off since.
func (m *Manager) take(ctx context.Context, s *server, r *record) error {
	s.renewing.Lock()
	defer s.renewing.Unlock()
	unlock, err := m.opts.Lock(ctx, s.key)
	if err != nil {
		return fmt.Errorf("keep the sign-in: %w", err)
	}
	defer unlock()
	if ctx.Err() != nil { // called off since
		return errors.Join(context.Cause(ctx), m.revoke(context.WithoutCancel(ctx), r))
	}
	if err := m.keep(s.key, r); err != nil {
		return err
	}
	s.hold(r)
	return nil
}

// hold makes r what requests are signed with.
func (s *server) hold(r *record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record, s.read, s.unkept = r, true, false
	s.challenge, s.wants, s.anew = challenge{}, nil, false
}

// Cancel ends the sign-in to a server that waits for the person or for its turn; without
// one it does nothing.
func (m *Manager) Cancel(def mcpconf.Definition) {
	s := m.at(def)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(errCancelled)
	}
}

// Cancelled reports whether a sign-in ended because somebody called it off, which is no
// failure.
func Cancelled(err error) bool {
	return errors.Is(err, errCancelled) || errors.Is(err, errClosing) || errors.Is(err, context.Canceled)
}
