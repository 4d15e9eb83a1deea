//go:build linux

package e2e

import (
	"fmt"
	"path/filepath"
	"testing"
)

// axe finds nothing to object to in any screen, in either theme.
func TestEveryScreenIsAccessible(t *testing.T) {
	dir := t.TempDir()
	program, shell := link(t, dir, "demo", binary(t, "CLI_BIN")), link(t, dir, "shell", "/bin/sh")
	a := start(t, options{})
	a.by("button", "Add the demo server").appears()
	a.accessible("empty")
	a.write("~/.ai4j/mcp.json", store(t,
		stdio("demo", program, "demo-server"),
		stdio("twin", program, "demo-server"),
		stdio("broken", program, "no-such-command"),
		stdio("off", program, "demo-server"),
		stdio("asleep", program, "demo-server"),
		definition{"hang", fmt.Sprintf(`{"command": %q, "args": ["-c", "echo fetching the internet >&2; cat >/dev/null"], "timeoutMs": 600000}`, shell)}))
	a.write(workspaceFile, enablement("demo", "twin", "broken", "hang", "ghost", "asleep"))
	a.by("group", "Trust servers").appears()
	a.accessible("untrusted")
	a.by("button", "Trust selected").click()
	a.reaches("connected", "demo")
	a.reaches("error", "twin", "broken")
	a.reaches("busy", "hang")
	a.by("row", "asleep").by("button", "Pause asleep").click()
	a.reaches("paused", "asleep")
	a.accessible("board")
	a.screensOfTheBoard()
	a.screensOfTheWindow()
	a.screensOfTheChat()
}

// opens shows a dialog by a button, looks at it and closes it.
func (a *app) opens(button, dialog, screen string) {
	a.t.Helper()
	a.by("button", button).click()
	a.by("dialog", dialog).appears()
	a.accessible(screen)
	a.press(escape)
	a.by("dialog", dialog).goes()
}

func (a *app) screensOfTheBoard() {
	a.t.Helper()
	a.opens("Add server", "Add server", "add")
	a.opens("Edit demo", "Edit demo", "edit")
	a.opens("Resolve twin", "Resolve twin", "resolve")
	a.opens("Remove off", "Remove off?", "remove")
	a.by("button", "Widen the board").click()
	a.accessible("board-wide")
	a.by("button", "Show the conversation").click()
}

func (a *app) screensOfTheWindow() {
	a.t.Helper()
	a.opens("Settings", "Settings", "settings")
	for _, menu := range []struct{ what, screen string }{{"Workspace", "menu-workspace"}, {"Approvals safe", "menu-approvals"}} {
		name := menu.what
		if name == "Workspace" {
			name += " " + filepath.Base(a.workspace)
		}
		a.by("button", name).click()
		a.by("menu", name).appears()
		a.accessible(menu.screen)
		a.press(escape)
		a.by("menu", name).goes()
	}
}

func (a *app) screensOfTheChat() {
	a.t.Helper()
	a.say(`call demo_echo with {"text": "hello"}`)
	a.by("group", "Approve demo_echo").appears()
	a.accessible("approval")
	a.answer("demo_echo", "Allow once")
	a.idle()
	a.accessible("conversation")
	a.by("searchbox", "Search sessions").fill("hello")
	a.by("list", "Found").appears()
	a.accessible("search")
}
