package mcphost

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// TestManyRandomChangesEndInTheSequentialState lets three sessions pause, retry, edit and
// lose servers at random. Whatever happened, no server runs twice at a time, and the end
// state is that of the contract's algorithm.
func TestManyRandomChangesEndInTheSequentialState(t *testing.T) {
	tools := [][]string{{"search", "x"}, {"search"}, {"y", "bash"}, {"x"}, {"z", "Z2"}, {"z2"}}
	var names []string
	for i := range tools {
		names = append(names, fmt.Sprintf("s%d", i))
	}
	for seed := range uint64(30) {
		inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
			random := rand.New(rand.NewPCG(7, seed))
			for i, name := range names {
				delay := time.Duration(random.IntN(800)) * time.Millisecond
				r.dialer.scripts[name] = func(ctx context.Context, n int, obs mcpconn.Observer) (*fakeConn, error) {
					return serves(delay, tools[i]...)(ctx, n, obs)
				}
			}
			sessions := []*Runtime{r.session("1"), r.session("2"), r.session("3")}
			attempts, edits := map[string]uint64{}, map[string]int{}
			for range 60 {
				upset(r, random, names, sessions, attempts, edits)
				time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
			}
			final := retries(plan(edited(wanted(names...), edits)), attempts)
			for _, rt := range sessions {
				rt.Apply(final)
			}
			time.Sleep(time.Hour)
			for _, rt := range sessions {
				snap := settled(t, rt)
				for i, want := range sequential(tools) {
					if got := snap.Rows[i]; got.Error != want || (got.State == Connected) != (want == "") {
						t.Errorf("seed %d: %s is %s %q, want %q", seed, got.Name, got.State, got.Error, want)
					}
				}
			}
		})
	}
}

// upset does one random thing.
func upset(r *rig, random *rand.Rand, names []string, sessions []*Runtime, attempts map[string]uint64, edits map[string]int) {
	name := names[random.IntN(len(names))]
	servers := edited(wanted(names...), edits)
	rt := sessions[random.IntN(len(sessions))]
	switch random.IntN(4) {
	case 0:
		rt.Apply(retries(plan(with(servers, name, pausedServer)), maps.Clone(attempts)))
	case 1:
		attempts[name]++
		rt.Apply(retries(plan(servers), maps.Clone(attempts)))
	case 2:
		edits[name]++
		for _, each := range sessions {
			each.Apply(retries(plan(edited(servers, edits)), maps.Clone(attempts)))
		}
	case 3:
		r.dialer.mu.Lock()
		conns := r.dialer.conns[name]
		r.dialer.mu.Unlock()
		if len(conns) > 0 {
			conns[len(conns)-1].die(mcpconn.Exited, "exited with 1")
		}
	}
}

func edited(servers []mcpconf.Resolved, edits map[string]int) []mcpconf.Resolved {
	for name, n := range edits {
		servers = with(servers, name, func(s *mcpconf.Resolved) { s.Definition.Args = []string{fmt.Sprint(n)} })
	}
	return servers
}
