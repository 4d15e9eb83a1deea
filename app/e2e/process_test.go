//go:build linux

package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// holds waits until the page has every part, also where a line is cut: the driver's text of
// an element leaves out what is.
func (a *app) holds(what string, parts ...string) {
	a.t.Helper()
	a.eventually(what, func() error {
		if page := a.page(a.t); !has(parts...)(page) {
			return fmt.Errorf("not all of %q is there", parts)
		}
		return nil
	})
}

// A server's processes are seen, it is killed, and its timeline tells how it came back; the
// doctor gives a line for a terminal that holds no stored value.
func TestProcessesAndTimelineOfAKilledServer(t *testing.T) {
	dir := t.TempDir()
	program := link(t, dir, "demo", binary(t, "CLI_BIN"))
	script := fmt.Sprintf(`sh -c 'sleep 300; :' helper "$@" & exec %s demo-server`, program)
	a := start(t, options{files: map[string]string{"~/.ai4j/mcp.json": store(t, definition{"demo",
		fmt.Sprintf(`{"command": "sh", "args": ["-c", %q, "demo", "--api-key", "planted-in-arguments"], "env": {"API_TOKEN": "planted-in-the-store"}}`, script)})}})
	a.by("button", "Enable demo").click()
	a.reaches("connected", "demo")

	a.by("button", "Details of demo").click()
	detail := a.by("region", "Details of demo")
	detail.by("tab", "Process").click()
	detail.by("table", "Processes of demo").says("every process", has("demo-of-this-test", "sh", "sleep"))
	detail.by("region", "Try it in a terminal").says("the line", has("printf", "API_TOKEN", "sh -c"))
	detail.by("button", "Copy line").click()
	a.accessible("process")
	if page := a.page(t); strings.Contains(page, "planted-in") || !has("demo-server", "helper --api-key •••", "sleep 300")(page) {
		t.Error("a stored value is in the page, or a command is not")
	}

	pid := a.serverPIDs()["demo"]
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	detail.by("tab", "Timeline").click()
	a.holds("why it ended", "First start", fmt.Sprintf("pid %d", pid), "was ended by signal SIGKILL")
	a.shot("timeline-lost")
	a.reaches("connected", "demo")
	a.holds("how it came back", "Reconnect 1", "First start", "Start 2, connected: ")
	detail.by("tab", "Timeline").click()
	a.accessible("timeline")

	detail.by("tab", "Process").click()
	detail.says("what came of it", has("Restarts1", "Recovered1 time", "Last endWas ended by signal SIGKILL"))
	if now := a.serverPIDs()["demo"]; now == pid || now == 0 {
		t.Errorf("it runs as process %d, before as %d", now, pid)
	}
	detail.by("button", "Close details").click()
	a.by("row", "demo").holds("that it came back", "recovered 1")
	a.close()
	if left := running(t, program); len(left) > 0 {
		t.Errorf("left after the end of the window: %v", left)
	}
}
