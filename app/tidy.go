package app

import (
	"context"
	"time"
)

// tidyAfter is how long servers must have been at rest before memory is given back.
const tidyAfter = 2 * time.Second

// tidy calls free when a pass over the servers is over and none has begun since: what the
// start of many servers allocated is garbage by then.
func tidy(ctx context.Context, servers Source[MCPSnapshot], free func()) {
	busy := false
	for rev := uint64(0); ; {
		wait, stop := ctx, context.CancelFunc(func() {})
		if busy {
			wait, stop = context.WithTimeout(ctx, tidyAfter)
		}
		snap, next, err := servers.Wait(wait, rev)
		stop()
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if snap, _ := servers.Get(); snap.Settled {
				free()
				busy = false
			}
		default:
			rev = next
			busy = busy || !snap.Settled
		}
	}
}
