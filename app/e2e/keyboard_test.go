//go:build linux

package e2e

import "testing"

// far is more than any way by Tab through the window.
const far = 120

// Without a pointer: add a server, settle a clash, chat, approve.
func TestKeyboardOnly(t *testing.T) {
	program := link(t, t.TempDir(), "demo", binary(t, "CLI_BIN"))
	a := start(t, options{})
	a.by("button", "Add the demo server").reachedBy(tabKey, far)
	a.keys(enterKey)
	dialog := a.by("dialog", "Add server")
	dialog.by("button", "Add").reachedBy(tabKey, far)
	a.keys(enterKey)
	dialog.goes()
	a.reaches("connected", "demo")
	a.addsTwinByKeys(program)
	a.resolvesByKeys()
	a.chatsByKeys()
}

func (a *app) addsTwinByKeys(program string) {
	a.t.Helper()
	a.by("button", "Add server").reachedBy(tabKey, far)
	a.keys(enterKey)
	dialog := a.by("dialog", "Add server")
	dialog.by("textbox", "Name").reachedBy(tabKey, far)
	a.types("twin")
	dialog.by("textbox", "Command").reachedBy(tabKey, far)
	a.types(program)
	dialog.by("textbox", "Arguments, one per line").reachedBy(tabKey, far)
	a.types("demo-server")
	dialog.by("button", "Add").reachedBy(tabKey, far)
	a.keys(enterKey)
	dialog.goes()
	a.reaches("error", "twin")
}

// resolvesByKeys goes into the grid, down to the row and along its controls.
func (a *app) resolvesByKeys() {
	a.t.Helper()
	resolve := a.by("row", "twin").by("button", "Resolve twin")
	a.entersGrid()
	a.keys(downKey)
	resolve.reachedBy(rightKey, 20)
	a.keys(enterKey)
	dialog := a.by("dialog", "Resolve twin")
	dialog.by("button", "Hold back all").reachedBy(tabKey, far)
	a.keys(enterKey)
	dialog.by("button", "Apply").reachedBy(tabKey, far)
	a.shot("keyboard-resolve")
	a.keys(enterKey)
	dialog.goes()
	a.reaches("connected", "twin")
}

// entersGrid presses Tab until the focus is in the table of servers, on its first row.
func (a *app) entersGrid() {
	a.t.Helper()
	for range far {
		var row string
		if err := a.session.run(a.t.Context(), `return document.activeElement?.closest("[role=grid] [role=row]")?.getAttribute("data-name") ?? ""`, &row); err != nil {
			a.t.Fatal(err)
		}
		if row != "" {
			if row != "demo" {
				a.t.Errorf("the table is entered at %s, not at its first row", row)
			}
			return
		}
		a.press(tabKey)
	}
	a.t.Fatalf("the table is not reached by Tab; the focus is on %s", a.focus())
}

func (a *app) chatsByKeys() {
	a.t.Helper()
	a.by("textbox", "Message").reachedBy(tabKey, far)
	a.types(`call demo_echo with {"text": "no pointer"}`)
	a.keys(enterKey)
	allow := a.by("group", "Approve demo_echo").by("button", "Allow once")
	allow.reachedBy(tabKey, far)
	a.shot("keyboard-approve")
	a.keys(enterKey)
	a.conversation("the answer", has("demo_echo answered: no pointer"))
	a.idle()
}
