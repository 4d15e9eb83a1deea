package bench

import (
	"os"
	"testing"

	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/proc"
)

// newHost returns a Host as the application makes it: real processes under a supervisor and
// the transports of mcpconn.
func newHost(t testing.TB) *mcphost.Host {
	supervisor := proc.NewSupervisor(proc.SupervisorOptions{})
	t.Cleanup(supervisor.Close)
	dialer := mcpconn.NewDialer(mcpconn.Options{
		Version: "1", Supervisor: supervisor,
		Environment: proc.NewEnvironment(os.Environ(), proc.EnvironmentOptions{Probe: proc.ProbeNever, Supervisor: supervisor}),
	})
	return mcphost.NewHost(mcphost.HostOptions{Dialer: dialer, Reserved: []string{"bash"}})
}
