package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"patchbay/backend/watch"
)

func TestMemoryIsGivenBackOnceServersAreAtRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		servers := watch.NewValue(MCPSnapshot{Settled: true})
		freed := 0
		go tidy(ctx, servers, func() { freed++ })
		expect := func(when string, want int) {
			t.Helper()
			time.Sleep(time.Minute)
			synctest.Wait()
			if freed != want {
				t.Errorf("%s: given back %d times, want %d", when, freed, want)
			}
		}
		expect("nothing started", 0)
		servers.Set(MCPSnapshot{})
		expect("servers start for long", 0)
		servers.Set(MCPSnapshot{Settled: true})
		expect("they are settled", 1)
		servers.Set(MCPSnapshot{Settled: true, ToolCount: 1})
		expect("a row changed", 1)
		servers.Set(MCPSnapshot{})
		synctest.Wait()
		servers.Set(MCPSnapshot{Settled: true})
		expect("another pass", 2)
	})
}
