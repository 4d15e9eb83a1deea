package mcpconn

import (
	"context"
	"sync"
	"time"
)

// callClock ends a call after its limits. They bound the server, so the clock stands still
// while a person is asked something on the call's behalf.
type callClock struct {
	limits CallLimits
	cancel context.CancelCauseFunc
	over   chan struct{} // closed when the call is

	mu         sync.Mutex
	holds      int
	stopped    bool
	idle, most *time.Timer
	left       time.Duration // of limits.Most when it was last started
	started    time.Time
}

// startClock begins the limits of a call; stop ends them.
func (c *conn) startClock(limits CallLimits, cancel context.CancelCauseFunc) (clock *callClock, stop func()) {
	k := &callClock{
		limits: limits, cancel: cancel, over: make(chan struct{}),
		idle: time.AfterFunc(limits.Idle, func() { cancel(errIdle) }),
		most: time.AfterFunc(limits.Most, func() { cancel(errMost) }),
		left: limits.Most, started: time.Now(),
	}
	c.mu.Lock()
	c.clocks[k] = true
	c.mu.Unlock()
	return k, func() {
		c.mu.Lock()
		delete(c.clocks, k)
		c.mu.Unlock()
		k.mu.Lock()
		k.stopped = true
		k.idle.Stop()
		k.most.Stop()
		k.mu.Unlock()
		close(k.over)
	}
}

// heard says that the server showed progress.
func (k *callClock) heard() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holds == 0 && !k.stopped {
		k.idle.Reset(k.limits.Idle)
	}
}

// hold stops the clock until as many releases.
func (k *callClock) hold() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holds++; k.holds == 1 && !k.stopped {
		k.idle.Stop()
		k.most.Stop()
		k.left -= time.Since(k.started)
	}
}

func (k *callClock) release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holds--; k.holds == 0 && !k.stopped {
		k.started = time.Now()
		k.idle.Reset(k.limits.Idle)
		k.most.Reset(max(k.left, 0))
	}
}
