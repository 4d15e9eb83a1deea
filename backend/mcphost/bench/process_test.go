package bench

import (
	"os"
	"testing"
	"time"

	"patchbay/backend/mcphost"
)

// TestRealProcesses retries one of forty real servers and kills another: the rest keep
// their processes, the killed one is seen to be lost and comes back.
func TestRealProcesses(t *testing.T) {
	host := newHost(t)
	rt := host.NewRuntime(mcphost.RuntimeOptions{Session: "s", Workspace: t.TempDir()})
	defer stop(t, host, rt)
	applied(t, rt, nil)
	before, _ := rt.Snapshot().Get()
	applied(t, rt, map[string]uint64{"s07": 1})
	after, rev := rt.Snapshot().Get()
	for i, b := range before.Rows {
		if a := after.Rows[i]; (a.PID != b.PID) != (b.Name == "s07") {
			t.Errorf("%s: pid %d → %d", b.Name, b.PID, a.PID)
		}
	}
	process, err := os.FindProcess(after.Rows[3].PID)
	if err != nil {
		t.Fatal(err)
	}
	if err := process.Kill(); err != nil {
		t.Fatal(err)
	}
	rev = waitRow(t, rt, rev, func(r mcphost.Row) bool { return r.State == mcphost.Error && r.Cause == "lost" && !r.NextTry.IsZero() })
	waitRow(t, rt, rev, func(r mcphost.Row) bool { return r.State == mcphost.Connected && r.Recovered == 1 })
}

// waitRow waits for row 3 and returns the revision it came with.
func waitRow(t *testing.T, rt *mcphost.Runtime, rev uint64, ok func(mcphost.Row) bool) uint64 {
	t.Helper()
	limit := time.Now().Add(time.Minute)
	for time.Now().Before(limit) {
		snap, next, err := rt.Snapshot().Wait(t.Context(), rev)
		if err != nil {
			t.Fatal(err)
		}
		if rev = next; ok(snap.Rows[3]) {
			return rev
		}
	}
	t.Fatal("the row did not come")
	return 0
}
