package mcpconn

import (
	"context"
	"sync"
	"time"
)

// leastTTL is the shortest time after which a list is told to be no longer current: a
// server that asks for less must not be asked all the time.
const leastTTL = time.Second

// cached is a list that is read on first use and kept until it is dropped or its time is
// over. Of those who ask at once, one reads. The zero value is empty.
type cached[T any] struct {
	mu      sync.Mutex
	drops   uint64 // a read that began before the newest is not kept
	full    bool
	list    []T
	expiry  *time.Timer
	reading chan struct{} // closed when the running read ends; nil when none runs
}

// get returns the kept list, or what read returns. expired is called once the time of a
// kept list is over.
func (k *cached[T]) get(ctx context.Context, expired func(), read func() ([]T, lifetime, error)) ([]T, error) {
	k.mu.Lock()
	for k.reading != nil {
		reading := k.reading
		k.mu.Unlock()
		select {
		case <-reading:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		k.mu.Lock()
	}
	if k.full {
		defer k.mu.Unlock()
		return k.list, nil
	}
	drops, reading := k.drops, make(chan struct{})
	k.reading = reading
	k.mu.Unlock()
	list, life, err := read()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.reading = nil
	close(reading)
	if err == nil && drops == k.drops && !life.none {
		k.full, k.list = true, list
		if life.ttl > 0 {
			k.expiry = time.AfterFunc(max(life.ttl, leastTTL), func() {
				if k.dropIf(drops) {
					expired()
				}
			})
		}
	}
	return list, err
}

// drop forgets the list; one that is being read is not kept.
func (k *cached[T]) drop() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropLocked()
}

// dropIf forgets the list unless that has happened since drops.
func (k *cached[T]) dropIf(drops uint64) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.drops != drops {
		return false
	}
	k.dropLocked()
	return true
}

func (k *cached[T]) dropLocked() {
	if k.expiry != nil {
		k.expiry.Stop()
	}
	k.drops++
	k.full, k.list, k.expiry = false, nil, nil
}
