//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const workspaceFile = ".ai4j/workspace.json"

// commented is a workspace.json as people keep them: a comment and a field of another program.
const commented = `{
  // what this repository needs
  "other": {"kept": true},
  "enabledMcpServers": ["demo"]
}
`

// The layers write what they own and nothing else: a pause is in no file, a switch of the
// workspace changes one entry, nothing here writes mcp.json; edits from outside take effect
// without a click and a broken file costs no connection.
func TestSwitchesAndFiles(t *testing.T) {
	dir := t.TempDir()
	program := link(t, dir, "demo", binary(t, "CLI_BIN"))
	demo, thinking := stdio("demo", program, "demo-server"), npm(t, "thinking", "sequential-thinking", nil)
	original := "// by hand\n" + store(t, demo, thinking)
	a := start(t, options{files: map[string]string{"~/.ai4j/mcp.json": original, workspaceFile: commented}})
	a.trustAll([]string{"demo"})
	a.reaches("connected", "demo")
	a.reaches("disabled", "thinking")
	a.pauses(t, program)
	a.switches(t)
	if now := a.read("~/.ai4j/mcp.json"); now != original {
		t.Errorf("switches changed mcp.json:\n%s", now)
	}
	a.editedOutside(t, demo, thinking, stdio("extra", program, "demo-server"))
	a.broken(t)
}

// pauses pauses and resumes demo, by switch and by button; workspace.json stays byte for byte.
func (a *app) pauses(t *testing.T, program string) {
	t.Helper()
	a.by("switch", "demo in this session").click()
	a.reaches("paused", "demo")
	gone(t, a, program)
	a.shot("files-1-paused")
	a.by("row", "demo").by("button", "Resume demo").click()
	a.reaches("connected", "demo")
	a.by("row", "demo").by("button", "Pause demo").click()
	a.reaches("paused", "demo")
	a.by("switch", "demo in this session").click()
	a.reaches("connected", "demo")
	if now := a.read(workspaceFile); now != commented {
		t.Errorf("pausing changed workspace.json:\n%s", now)
	}
}

// switches enables thinking and disables it again; the comment and the foreign field stay.
func (a *app) switches(t *testing.T) {
	t.Helper()
	before := a.serverPIDs()
	a.by("switch", "thinking enabled here").click()
	a.reaches("connected", "thinking")
	now := a.read(workspaceFile)
	if !has(`// what this repository needs`, `"other": {"kept": true}`, `"demo"`, `"thinking"`)(now) {
		t.Errorf("after Enable workspace.json is\n%s", now)
	}
	a.by("row", "thinking").by("button", "Disable thinking").click()
	a.reaches("disabled", "thinking")
	if now := a.read(workspaceFile); now != commented {
		t.Errorf("Disable after Enable leaves another workspace.json:\n%s", now)
	}
	a.same(before, "demo")
}

// editedOutside changes both files as an editor would.
func (a *app) editedOutside(t *testing.T, demo, thinking, extra definition) {
	t.Helper()
	before := a.serverPIDs()["demo"]
	// Enabled once through the window, so it is trusted: no question, no click.
	a.write(workspaceFile, enablement("demo", "thinking"))
	a.reaches("connected", "thinking")
	changed := strings.Replace(demo.json, "{", `{"env": {"EDITED": "yes"}, `, 1)
	extra.json = strings.Replace(extra.json, "{", `{"tools": {"exclude": ["demo_echo", "demo_add", "demo_time", "demo_count"]}, `, 1)
	a.write("~/.ai4j/mcp.json", store(t, definition{"demo", changed}, thinking, extra))
	a.reaches("disabled", "extra")
	a.eventually("demo runs again, with its new environment", func() error {
		now := a.serverPIDs()["demo"]
		if now == before || now == 0 {
			return fmt.Errorf("its process is %d, it was %d", now, before)
		}
		environment, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", now))
		if err == nil && !strings.Contains(string(environment), "EDITED=yes") {
			err = fmt.Errorf("process %d has no EDITED", now)
		}
		return err
	})
	a.reaches("connected", "demo", "thinking")
	// A name that somebody else brings in is asked for.
	a.write(workspaceFile, enablement("demo", "thinking", "extra"))
	a.by("group", "Trust servers").by("checkbox", "extra").appears()
	a.shot("files-2-asks-for-extra")
	a.write(workspaceFile, enablement("demo", "thinking"))
	a.by("group", "Trust servers").goes()
}

// broken breaks each file in turn: the window says where, nothing is lost or overwritten.
func (a *app) broken(t *testing.T) {
	t.Helper()
	before := a.serverPIDs()
	for _, file := range []string{"~/.ai4j/mcp.json", workspaceFile} {
		good := a.read(file)
		const bad = "{\n  \"mcpServers\": {\n    \"demo\": oops\n"
		a.write(file, bad)
		a.by("alert", "").says("file, line and column", has(a.path(file), "line 3, column 13"))
		a.reaches("connected", "demo", "thinking")
		a.shot("files-3-broken-" + filepath.Base(file))
		if now := a.read(file); now != bad {
			t.Errorf("the broken %s was overwritten:\n%s", file, now)
		}
		a.write(file, good)
		a.by("alert", "").goes()
		a.reaches("connected", "demo", "thinking")
	}
	a.same(before, "demo", "thinking")
}
