package app

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/wailsapp/wails/v2/pkg/runtime"
)

const (
	readyLimit   = 15 * time.Second // from the start of a load until the page says that it is there
	reloadsLimit = 3                // of a page that keeps crashing, within reloadsTime
	reloadsTime  = time.Minute
)

const (
	lateTitle = "The window is not ready after %g s"
	lateText  = "Servers and sessions are safe. Reload the window, or quit and start Patchbay from a terminal with " +
		"WEBKIT_DISABLE_DMABUF_RENDERER=1, which helps with some graphics drivers. " +
		"\"patchbay mcp list\" shows the servers without the window."
	goneTitle = "The window's page keeps stopping"
	goneText  = "It was loaded again %d times within a minute: %s. Servers, sessions and a running turn go on. " +
		"Reload the window, or quit. \"patchbay mcp list\" shows the servers without the window."
)

// choice is what a person answers to a dialog of the recovery.
type choice int

const (
	chooseNothing choice = iota // closed, or no longer asked
	chooseReload
	chooseQuit
)

// pageEvents is told what happens to the page.
type pageEvents interface {
	loading()           // a load began
	gone(reason string) // the page's process ended
	drawn()             // much of it was drawn anew
}

// gate holds back what is for a page that is not there.
type gate struct {
	mu   sync.Mutex
	free chan struct{} // closed while the gate is open
}

func newGate() *gate { return &gate{free: make(chan struct{})} }

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.isOpenLocked() {
		close(g.free)
	}
}

func (g *gate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.isOpenLocked() {
		g.free = make(chan struct{})
	}
}

func (g *gate) isOpenLocked() bool {
	select {
	case <-g.free:
		return true
	default:
		return false
	}
}

// wait returns true once the gate is open, false when ctx ended before.
func (g *gate) wait(ctx context.Context) bool {
	g.mu.Lock()
	free := g.free
	g.mu.Unlock()
	select {
	case <-free:
		return true
	case <-ctx.Done():
		return false
	}
}

// shell is what the recovery asks of the system's window; nothing of it waits.
type shell interface {
	reload()
	ask(title, text string, answered func(choice))
	dismiss() // what ask shows
	quit()
}

func (s system) quit() { runtime.Quit(s.wails) }

// recovery brings the page back when it is lost. The page keeps nothing: it reads snapshots
// and transcript when it starts, so that it shows what it showed before.
type recovery struct {
	logger *slog.Logger
	limit  time.Duration

	mu      sync.Mutex
	shell   shell       // set once, before the first page loads
	timer   *time.Timer // runs while a page loads
	reloads []time.Time // of the last minute
	there   bool        // the page says so
	asking  bool
	over    bool
}

func newRecovery(logger *slog.Logger, limit time.Duration) *recovery {
	if limit == 0 {
		limit = readyLimit
	}
	return &recovery{logger: logger, limit: limit}
}

// open begins with the window, whose first page loads now.
func (r *recovery) open(s shell) {
	r.mu.Lock()
	r.shell = s
	r.mu.Unlock()
	r.loading()
}

// loading gives the page its time to become ready.
func (r *recovery) loading() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopLocked()
	r.there = false
	if !r.over {
		r.timer = time.AfterFunc(r.limit, r.late)
	}
}

// ready is the page's word that it is there.
func (r *recovery) ready() {
	r.mu.Lock()
	r.stopLocked()
	r.there = true
	asking := r.asking
	r.mu.Unlock()
	if asking {
		r.shell.dismiss()
	}
}

// gone loads the page again, or asks when that has not helped.
func (r *recovery) gone(reason string) {
	r.mu.Lock()
	if r.over {
		r.mu.Unlock()
		return
	}
	now := time.Now()
	for len(r.reloads) > 0 && now.Sub(r.reloads[0]) >= reloadsTime {
		r.reloads = r.reloads[1:]
	}
	again := len(r.reloads) < reloadsLimit
	if again {
		r.reloads = append(r.reloads, now)
	} else {
		r.stopLocked()
	}
	r.there = false
	r.mu.Unlock()
	if again {
		r.logger.Warn("the window's page is gone and is loaded again; servers and sessions go on", "reason", reason)
		r.shell.reload()
		r.loading()
		return
	}
	r.logger.Error("the window's page keeps stopping; choose Reload or Quit in the dialog", "reason", reason)
	r.ask(goneTitle, fmt.Sprintf(goneText, reloadsLimit, reason))
}

func (r *recovery) late() {
	r.mu.Lock()
	there := r.there
	r.mu.Unlock()
	if there {
		return
	}
	title := fmt.Sprintf(lateTitle, r.limit.Seconds())
	r.logger.Error(title + ". " + lateText)
	r.ask(title, lateText)
}

// ask shows one dialog at a time, and none above a page that came meanwhile.
func (r *recovery) ask(title, text string) {
	r.mu.Lock()
	again := r.asking || r.over
	r.asking = r.asking || !r.over
	r.mu.Unlock()
	if again {
		return
	}
	r.shell.ask(title, text, r.answered)
	r.mu.Lock()
	there := r.there
	r.mu.Unlock()
	if there {
		r.shell.dismiss()
	}
}

func (r *recovery) answered(c choice) {
	r.mu.Lock()
	r.asking = false
	if c == chooseReload {
		r.reloads = nil
	}
	over := r.over
	r.mu.Unlock()
	switch {
	case over:
	case c == chooseReload:
		r.shell.reload()
		r.loading()
	case c == chooseQuit:
		r.shell.quit()
	}
}

// close ends the recovery: the window closes.
func (r *recovery) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
	r.stopLocked()
}

func (r *recovery) stopLocked() {
	if r.timer != nil {
		r.timer.Stop()
		r.timer = nil
	}
}
