package app

import (
	"context"
	"runtime/debug"
	"time"

	"patchbay/backend/proc"
)

// tidyAfter is how long it must have been quiet before memory is given back.
const tidyAfter = 2 * time.Second

// tidier gives memory back once what needed much of it is over.
type tidier struct{ stirred chan struct{} }

func newTidier() *tidier { return &tidier{stirred: make(chan struct{}, 1)} }

// stir says that something may have needed much memory. It never waits.
func (t *tidier) stir() {
	select {
	case t.stirred <- struct{}{}:
	default: // it is said already
	}
}

// run calls free whenever it has been quiet for tidyAfter since it was stirred.
func (t *tidier) run(ctx context.Context, free func()) {
	var quiet <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.stirred:
			quiet = time.After(tidyAfter)
		case <-quiet:
			quiet = nil
			free()
		}
	}
}

// follow stirs after each pass over the servers: what the start of many allocated is garbage
// by then.
func (t *tidier) follow(ctx context.Context, servers Source[MCPSnapshot]) {
	busy := false
	for rev := uint64(0); ; {
		snap, next, err := servers.Wait(ctx, rev)
		if err != nil {
			return
		}
		if rev = next; busy && snap.Settled {
			t.stir()
		}
		busy = !snap.Settled
	}
}

// giveBack gives the system what this process does not use any more.
func giveBack() {
	debug.FreeOSMemory()
	proc.UnmapCold()
}
