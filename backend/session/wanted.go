package session

import (
	"context"
	"maps"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
)

// wanted is what a session asks for beyond the files: its own layer and the clicks. It is
// immutable; each change publishes a new one.
type wanted struct {
	paused   mcpconf.PauseSet
	attempts map[string]uint64 // per server; a higher number asks for one more try
	enabled  []string          // a plain chat's enablement, in the order it was lit
	off      mcpconf.PauseSet  // switched off for this session's requests; they keep running
}

func (w wanted) withAttempt(names ...string) wanted {
	w.attempts = maps.Clone(w.attempts)
	if w.attempts == nil {
		w.attempts = map[string]uint64{}
	}
	for _, name := range names {
		w.attempts[name]++
	}
	return w
}

// rebuild is the one loop that owns what runs: it waits until anything that is wanted
// changed, resolves all layers, and lets the runtime reconcile. A burst of changes costs
// at most one more pass.
func (s *Session) rebuild(ctx context.Context) {
	for rev := uint64(0); ; {
		_, next, err := s.changed.Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		s.runtime.Apply(s.plan())
	}
}

// follow wakes the loop whenever a source of the plan has a new value.
func follow[T any](ctx context.Context, s *Session, source interface {
	Wait(context.Context, uint64) (T, uint64, error)
}) {
	for rev := uint64(0); ; {
		_, next, err := source.Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		s.kick()
	}
}

func (s *Session) kick() { s.changed.Set(struct{}{}) }

// plan resolves the three layers as they are now.
func (s *Session) plan() mcphost.Plan {
	defs, _ := s.owners.Store.Value().Get()
	want, _ := s.wanted.Get()
	enablement := s.enablement(want)
	trusted := s.owners.Trust.Trusted(s.workspace)
	trust := func(name string) bool {
		return s.workspace == "" || s.owners.TrustAll || trusted.Has(name)
	}
	return mcphost.Plan{
		Servers:    mcpconf.Resolve(defs, enablement, trust, want.paused),
		Attempts:   want.attempts,
		Store:      defs.Path,
		Enablement: enablement.Path,
	}
}

// enablement is the workspace's, or in a plain chat the session's own.
func (s *Session) enablement(want wanted) mcpconf.Enablement {
	if s.conf != nil {
		e, _ := s.conf.Value().Get()
		return e
	}
	var e mcpconf.Enablement
	for _, name := range want.enabled {
		e.Names = append(e.Names, mcpconf.EnabledName{Name: name})
	}
	return e
}
