//go:build linux

package e2e

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A call from the chat leads to its frames; the traffic is filtered, its secrets are hidden,
// and it is exported as JSON lines.
func TestTrafficOfAServer(t *testing.T) {
	a, program := withDemo(t)
	connect(t, a, program)
	a.say(`call demo_echo with {"text": "from the chat"}`)
	a.answer("demo_echo", "Allow once")
	a.conversation("the answer", has("demo_echo answered: from the chat"))
	a.idle()
	a.by("button", "Frames of demo_echo").click()
	panel := a.by("region", "Details of demo")
	panel.by("region", "Request").holds("the call", "tools/call", "demo_echo", "from the chat")
	panel.by("region", "Response").holds("the answer", "content", "from the chat")
	list := panel.by("listbox", "Traffic of demo")
	list.holds("the handshake", "tools/list", "tools/call", "demo_echo", "ok")
	a.shot("traffic-1-narrow")
	a.accessible("traffic in a narrow pane")
	panel.by("button", "Close details").click()
	a.by("button", "Widen the board").click()
	a.detail("demo", "Traffic")
	panel.by("searchbox", "Filter traffic").fill("FROM THE CHAT")
	a.eventually("only the call holds it", func() error {
		var rows int
		err := a.session.run(t.Context(), `return document.querySelectorAll('[role=listbox][aria-label="Traffic of demo"] [role=option]').length`, &rows)
		if err == nil && rows != 1 {
			err = errors.New("there are other rows")
		}
		return err
	})
	list.click()
	a.press(downKey)
	panel.by("region", "Response").holds("the answer", "from the chat")
	a.shot("traffic-2-wide")
	a.accessible("traffic")
	a.theme("dark")
	a.shot("traffic-2-wide-dark")
	a.theme("light")
	panel.by("button", "Export…").click()
	a.dialog("Save")
	a.exported(t)
	panel.by("button", "Clear").click()
	panel.says("the list", has("Nothing was sent or received yet"))
}

// exported reads what the toast says was written.
func (a *app) exported(t *testing.T) {
	t.Helper()
	var path string
	a.eventually("it is exported", func() error {
		err := a.session.run(t.Context(), `return /Exported to (\S+\.jsonl)/.exec(document.body.innerText)?.[1] ?? ""`, &path)
		if err == nil && path == "" {
			err = errors.New("nothing says where to")
		}
		return err
	})
	t.Cleanup(func() { os.Remove(path) })
	data, err := os.ReadFile(path)
	if err != nil || filepath.Base(path) != "demo.jsonl" || strings.Count(string(data), "\n") < 6 || !strings.Contains(string(data), `"method":"tools/call"`) {
		t.Errorf("exported %s: %v\n%.300s", path, err, data)
	}
}
