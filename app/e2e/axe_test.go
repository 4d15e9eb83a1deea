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
	if err := a.session.run(t.Context(), `for (const each of document.querySelectorAll("button")) if (each.textContent === "Dismiss") each.click()`, nil); err != nil {
		t.Fatal(err) // the files were written by another program, which the board has said
	}
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
	a.screensOfAdding()
	a.screensOfDetails()
	a.by("button", "Changes").click()
	a.by("dialog", "Changes").appears()
	a.accessible("changes")
	a.press(escape)
	a.by("button", "Widen the board").click()
	a.accessible("board-wide")
	a.by("button", "Show the conversation").click()
}

// screensOfAdding are those of a pasted list and of a dry run.
func (a *app) screensOfAdding() {
	a.t.Helper()
	a.by("button", "Add server").click()
	dialog := a.by("dialog", "Add server")
	box := dialog.by("textbox", "Paste a definition")
	box.fill(`{"mcpServers": {"demo": {"command": "x"}, "b": {"url": "http://127.0.0.1:1/mcp"}}}`)
	dialog.by("list", "Pasted servers").appears()
	a.accessible("paste-many")
	box.fill("http://127.0.0.1:1/mcp")
	dialog.by("button", "Test").click()
	dialog.by("button", "Test again").appears()
	a.accessible("trial-failed")
	a.press(escape)
	a.accessible("discard")
	dialog.by("button", "Discard").click()
	dialog.goes()
}

// screensOfDetails are the parts of a server's detail, a good one's and a bad one's.
func (a *app) screensOfDetails() {
	a.t.Helper()
	a.by("button", "Details of broken").click()
	a.by("region", "Details of broken").appears()
	a.accessible("detail-error")
	a.by("button", "Close details").click()
	a.by("button", "Details of demo").click()
	detail := a.by("region", "Details of demo")
	detail.appears()
	a.accessible("detail-overview")
	detail.by("tab", "Tools 4").click()
	detail.by("button", "demo_add").appears()
	a.accessible("detail-tools")
	detail.by("button", "demo_add").click()
	a.by("form", "Try demo_add").by("button", "Run").appears()
	a.accessible("detail-try")
	detail.by("tab", "Log").click()
	a.by("log", "Log of demo").appears()
	a.accessible("detail-log")
	a.by("button", "Close details").click()
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
	a.by("button", "Edit and resend").click()
	a.by("textbox", "Edit message").appears()
	a.accessible("edit-message")
	a.by("form", "Edit and resend").by("button", "Cancel").click()
	a.by("button", "Find in conversation").click()
	a.by("searchbox", "Find in conversation").fill("hello")
	a.accessible("find")
	a.press(escape)
	a.by("searchbox", "Search sessions").fill("hello")
	a.by("list", "Found").appears()
	a.accessible("search")
	a.by("searchbox", "Search sessions").fill(" ")
	a.write("~/.ai4j/mcp.json", "{ not json")
	a.by("alert", "").appears()
	a.accessible("file-error")
}
