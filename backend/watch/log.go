package watch

import (
	"context"
	"sync"
)

// Log is an ordered list of entries with sequence numbers from 1. It keeps at most a fixed
// number of the newest ones; a reader that fell behind sees the gap and reads afresh.
type Log[T any] struct {
	keep int

	mu      sync.Mutex
	entries []T           // a ring once it is full: entry seq lies at (seq-1) % keep
	last    uint64        // sequence number of the newest entry, 0 when there is none
	changed chan struct{} // closed at the next Append
}

// NewLog returns a Log that keeps the newest keep entries.
func NewLog[T any](keep int) *Log[T] {
	return &Log[T]{keep: keep, changed: make(chan struct{})}
}

// Append adds what build makes of the new sequence number and returns that number. build
// runs under the lock: it must be quick and must not call back into l.
func (l *Log[T]) Append(build func(seq uint64) T) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	if e := build(l.last); len(l.entries) < l.keep {
		l.entries = append(l.entries, e)
	} else {
		l.entries[(l.last-1)%uint64(l.keep)] = e
	}
	close(l.changed)
	l.changed = make(chan struct{})
	return l.last
}

// Last returns the sequence number of the newest entry, 0 when there is none.
func (l *Log[T]) Last() uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}

// Since returns the entries after seq that are still kept, in order, with the sequence
// number of the newest one, and whether entries between are gone.
func (l *Log[T]) Since(seq uint64) (entries []T, last uint64, gap bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.sinceLocked(seq)
}

func (l *Log[T]) sinceLocked(seq uint64) (entries []T, last uint64, gap bool) {
	oldest := l.last - uint64(len(l.entries)) // the number before the oldest kept entry
	from := max(seq, oldest)
	if from >= l.last {
		return nil, l.last, false
	}
	for n := from; n < l.last; n++ {
		entries = append(entries, l.entries[n%uint64(l.keep)])
	}
	return entries, l.last, seq < oldest
}

// Wait is Since, once there is an entry after seq; or the cause of ctx.
func (l *Log[T]) Wait(ctx context.Context, seq uint64) (entries []T, last uint64, gap bool, err error) {
	for {
		l.mu.Lock()
		entries, last, gap = l.sinceLocked(seq)
		changed := l.changed
		l.mu.Unlock()
		if len(entries) > 0 {
			return entries, last, gap, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, seq, false, context.Cause(ctx)
		}
	}
}
