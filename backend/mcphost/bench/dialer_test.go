package bench

import (
	"os"
	"testing"

	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/proc"
)

// newHost returns a Host as the product makes it: its own transports, process groups and
// watchdog, which is this binary run again.
func newHost(t testing.TB) *mcphost.Host {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	procs := proc.NewSupervisor(proc.SupervisorOptions{WatchdogCommand: []string{self, "watchdog"}})
	t.Cleanup(procs.Close)
	env := proc.NewEnvironment(os.Environ(), proc.EnvironmentOptions{Probe: proc.ProbeNever, Supervisor: procs})
	return mcphost.NewHost(mcphost.HostOptions{
		Dialer:   mcpconn.NewDialer(mcpconn.Options{Version: "bench", Supervisor: procs, Environment: env}),
		Reserved: []string{"bash"},
	})
}
