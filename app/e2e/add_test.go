//go:build linux

package e2e

import (
	"os"
	"strings"
	"testing"
)

// From nothing: the demo server by the button of the empty board, a server of one's own by
// the form, a change of it, Remove and Undo.
func TestAddEditRemoveFromNothing(t *testing.T) {
	a := start(t, options{})
	a.by("button", "Add the demo server").click()
	dialog := a.by("dialog", "Add server")
	dialog.by("button", "Add").click()
	dialog.goes()
	a.reaches("connected", "demo")
	info, err := os.Stat(a.path("~/.ai4j/mcp.json"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the new mcp.json: %v, %v; want mode 0600", info, err)
	}
	if text := a.read(workspaceFile); !strings.Contains(text, `"demo"`) {
		t.Errorf("workspace.json does not enable demo:\n%s", text)
	}
	a.shot("add-1-demo")
	a.removesAndUndoes(t)

	program := link(t, t.TempDir(), "mine", binary(t, "CLI_BIN"))
	a.adds(t, program)
	a.editsUnderAnother(t, a.edits(t, program))
}

func (a *app) removesAndUndoes(t *testing.T) {
	t.Helper()
	store, workspace := a.read("~/.ai4j/mcp.json"), a.read(workspaceFile)
	a.removes(t, "demo")
	a.shot("add-2-removed")
	a.by("button", "Undo").click()
	a.reaches("connected", "demo")
	if now := a.read("~/.ai4j/mcp.json"); now != store {
		t.Errorf("Undo leaves another mcp.json:\n%s\nit was\n%s", now, store)
	}
	if now := a.read(workspaceFile); now != workspace {
		t.Errorf("Undo leaves another workspace.json:\n%s\nit was\n%s", now, workspace)
	}
	a.removes(t, "demo")
}

// removes removes a server: its row, its definition and its process go.
func (a *app) removes(t *testing.T, name string) {
	t.Helper()
	pid := a.serverPIDs()[name]
	a.by("row", name).by("button", "Remove "+name).click()
	a.by("dialog", "Remove "+name+"?").by("button", "Remove").click()
	a.by("row", name).goes()
	a.ends(name, pid)
	for _, file := range []string{"~/.ai4j/mcp.json", workspaceFile} {
		if text := a.read(file); strings.Contains(text, `"`+name+`"`) {
			t.Errorf("after Remove %s holds\n%s", file, text)
		}
	}
}

// adds fills in the form: what is missing is said, a secret reaches the file and not the page.
func (a *app) adds(t *testing.T, program string) {
	t.Helper()
	a.by("button", "Add server").click()
	dialog := a.by("dialog", "Add server")
	dialog.by("textbox", "Name").fill("mine")
	dialog.by("alert", "").says("what is missing", has("needs a command"))
	dialog.by("textbox", "Command").fill(program)
	dialog.by("textbox", "Arguments, one per line").fill("demo-server")
	dialog.by("button", "+ Add entry").click()
	dialog.by("textbox", "Environment name 1").fill("TOKEN")
	dialog.by("textbox", "Environment value 1").fill("secret-of-this-test")
	a.shot("add-3-form")
	dialog.by("button", "Add").click()
	dialog.goes()
	a.reaches("connected", "mine")
	if text := a.read("~/.ai4j/mcp.json"); !strings.Contains(text, "secret-of-this-test") {
		t.Errorf("mcp.json does not hold the value:\n%s", text)
	}
}

// edits changes the folder of mine and returns it; the value that the form does not show is kept.
func (a *app) edits(t *testing.T, program string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	pid := a.serverPIDs()["mine"]
	a.by("row", "mine").by("button", "Edit mine").click()
	dialog := a.by("dialog", "Edit mine")
	dialog.by("textbox", "Working folder").fill(folder)
	if strings.Contains(a.page(t), "secret-of-this-test") {
		t.Error("the stored value is in the page")
	}
	a.shot("add-4-edit")
	dialog.by("button", "Save").click()
	dialog.goes()
	a.ends("mine", pid)
	a.reaches("connected", "mine")
	pids := running(t, program)
	if len(pids) != 1 {
		t.Fatalf("mine runs as %v", pids)
	}
	a.process(pids[0], folder, "TOKEN=secret-of-this-test")
	return folder
}

// editsUnderAnother types over a stored value while another program changes the same entry:
// both changes are kept. What both change is asked about once.
func (a *app) editsUnderAnother(t *testing.T, folder string) {
	t.Helper()
	dialog := a.by("dialog", "Edit mine")
	open := func(from, to string) {
		t.Helper()
		a.by("row", "mine").by("button", "Edit mine").click()
		dialog.appears()
		text := a.read("~/.ai4j/mcp.json")
		changed := strings.Replace(text, from, to, 1)
		if changed == text {
			t.Fatalf("%s is not in\n%s", from, text)
		}
		a.write("~/.ai4j/mcp.json", changed)
	}
	theirs := t.TempDir()
	open(folder, theirs)
	dialog.by("textbox", "Environment value 1").fill("typed-over-it")
	dialog.by("button", "Save").click()
	dialog.goes()
	if text := a.read("~/.ai4j/mcp.json"); !has(theirs, "typed-over-it")(text) || strings.Contains(text, "secret-of-this-test") {
		t.Errorf("after both changes mcp.json is\n%s", text)
	}
	open(`"TOKEN"`, `"THEIRS": "x", "TOKEN"`)
	dialog.by("textbox", "Environment value 1").fill("mine-again")
	dialog.by("button", "Save").click()
	dialog.by("alert", "").says("that both changed it", has("changed the environment of mine meanwhile"))
	a.shot("add-5-both-changed")
	if text := a.read("~/.ai4j/mcp.json"); !strings.Contains(text, "THEIRS") {
		t.Errorf("their change is gone before it was agreed to:\n%s", text)
	}
	dialog.by("button", "Cancel").click()
	dialog.goes()
	a.reaches("connected", "mine")
}
