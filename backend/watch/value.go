// Package watch holds the two ways state leaves its owner: a Value, of which readers want
// the latest, and a Log, of which readers want every entry in order.
package watch

import (
	"context"
	"sync"
)

// Value is the latest T and a revision that grows by one with every Set. Any number of
// readers may wait on it; a slow reader skips revisions and never holds up the owner.
// The T is shared with every reader, so the owner must not change it after Set.
type Value[T any] struct {
	mu      sync.Mutex
	latest  T
	rev     uint64
	changed chan struct{} // closed at the next Set
}

// NewValue returns a Value that holds first at revision 1.
func NewValue[T any](first T) *Value[T] {
	return &Value[T]{latest: first, rev: 1, changed: make(chan struct{})}
}

// Get returns the latest value and its revision.
func (v *Value[T]) Get() (T, uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.latest, v.rev
}

// Set publishes next and returns its revision.
func (v *Value[T]) Set(next T) uint64 {
	return v.Update(func(T) T { return next })
}

// Update publishes what change makes of the latest value and returns its revision. change
// runs under the lock: it must be quick and must not call back into v.
func (v *Value[T]) Update(change func(T) T) uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.latest = change(v.latest)
	v.rev++
	close(v.changed)
	v.changed = make(chan struct{})
	return v.rev
}

// Wait returns the latest value once its revision is above rev (0 returns at once), or
// the cause of ctx.
func (v *Value[T]) Wait(ctx context.Context, rev uint64) (T, uint64, error) {
	for {
		v.mu.Lock()
		latest, at, changed := v.latest, v.rev, v.changed
		v.mu.Unlock()
		if at > rev {
			return latest, at, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			var zero T
			return zero, rev, context.Cause(ctx)
		}
	}
}
