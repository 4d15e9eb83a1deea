package mcphost

import (
	"slices"
	"testing"
	"time"

	"patchbay/backend/mcpconn"
)

// TestARowSaysWhatItsServerLeansOn from the moment it is seen, once, and not after a
// connection that shows nothing of it.
func TestARowSaysWhatItsServerLeansOn(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		r.dialer.scripts["s"] = serves(0, "echo")
		rt := r.session("a")
		if got := row(t, settle(t, rt, plan(wanted("s"))), "s").Deprecated; len(got) != 0 {
			t.Errorf("before anything is seen: %v", got)
		}
		first := r.dialer.last("s").obs
		first.LeansOn(mcpconn.LeansOnRoots)
		first.LeansOn(mcpconn.LeansOnLogging)
		first.LeansOn(mcpconn.LeansOnRoots)
		time.Sleep(time.Second)
		want := []mcpconn.Deprecated{mcpconn.LeansOnRoots, mcpconn.LeansOnLogging}
		if got := row(t, settled(t, rt), "s").Deprecated; !slices.Equal(got, want) {
			t.Errorf("leans on %v, want %v", got, want)
		}
		again := plan(wanted("s"))
		again.Attempts = map[string]uint64{"s": 1}
		if got := row(t, settle(t, rt, again), "s").Deprecated; len(got) != 0 {
			t.Errorf("a new connection leans on %v", got)
		}
		first.LeansOn(mcpconn.LeansOnSampling) // of a connection that is over
		time.Sleep(time.Second)
		if got := row(t, settled(t, rt), "s").Deprecated; len(got) != 0 {
			t.Errorf("an old connection is heard: %v", got)
		}
	})
}
