package app

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"patchbay/backend/watch"
)

func TestMemoryIsGivenBackOnceItIsQuiet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		servers := watch.NewValue(MCPSnapshot{Settled: true})
		freed, tidy := 0, newTidier()
		go tidy.run(ctx, func() { freed++ })
		go tidy.follow(ctx, servers)
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
		for range 10 {
			tidy.stir()
			time.Sleep(tidyAfter / 2)
		}
		expect("ten in a row", 3)
	})
}
