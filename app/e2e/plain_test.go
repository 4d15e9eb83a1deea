//go:build linux

package e2e

import (
	"fmt"
	"os"
	"testing"
)

// A chat without a workspace enables for itself and writes no file but the settings; in
// mode auto nobody is asked; the theme is the page's; twenty clicks cost little.
func TestPlainChatSettingsAndBursts(t *testing.T) {
	program := link(t, t.TempDir(), "demo", binary(t, "CLI_BIN"))
	text := store(t, stdio("demo", program, "demo-server"), stdio("broken", program, "no-such-command"))
	a := start(t, options{args: []string{}, files: map[string]string{"~/.ai4j/mcp.json": text}})
	connect(t, a, program)
	a.by("row", "broken").by("button", "Enable broken").click()
	a.reaches("error", "broken")
	a.chooses(t)
	// What was lit by hand and is not there is said before anything is sent.
	a.by("textbox", "Message").fill(`call demo_echo with {"text": "without a question"}`)
	a.by("button", "Send").click()
	a.by("status", "Messages").says("which service is not there", has("broken is switched on for this chat but not available"))
	a.shot("plain-0-refused")
	a.by("button", "Service broken").click()
	a.reaches("disabled", "broken")
	a.by("button", "Send").click()
	a.conversation("the answer", has("demo_echo answered: without a question"))
	a.idle()
	a.shot("plain-1-dark")

	a.by("row", "broken").by("button", "Enable broken").click()
	a.reaches("error", "broken")
	before := a.serverPIDs()
	const burst = `const all = [...document.querySelectorAll("button")];
for (let i = 0; i < 20; i++) for (const name of ["Retry failed", "Retry broken"]) all.find(b => (b.getAttribute("aria-label") ?? b.textContent) === name).click()`
	if err := a.session.run(t.Context(), burst, nil); err != nil {
		t.Fatal(err)
	}
	a.reaches("error", "broken")
	a.same(before, "demo")
	a.by("button", "Service broken").click()
	a.reaches("disabled", "broken")
	a.echoes("after the burst")
	for _, name := range []string{"./" + workspaceFile, "~/" + workspaceFile} {
		if _, err := os.Stat(a.path(name)); err == nil {
			t.Errorf("a plain chat wrote %s", a.path(name))
		}
	}
	if now := a.read("~/.ai4j/mcp.json"); now != text {
		t.Errorf("a plain chat changed mcp.json:\n%s", now)
	}
	// The next chat starts with nothing enabled.
	a.by("button", "New session").click()
	a.reaches("disabled", "demo", "broken")
}

// chooses sets the theme and the approval mode in the settings.
func (a *app) chooses(t *testing.T) {
	t.Helper()
	a.by("button", "Settings").click()
	dialog := a.by("dialog", "Settings")
	dialog.by("radio", "dark").click()
	a.eventually("the page is dark", func() error {
		var theme, ground string
		if err := a.session.run(t.Context(), `return document.documentElement.dataset.theme ?? ""`, &theme); err != nil {
			return err
		}
		if err := a.session.run(t.Context(), `return getComputedStyle(document.body).backgroundColor`, &ground); err != nil {
			return err
		}
		if theme != "dark" || ground == "rgb(255, 255, 255)" {
			return fmt.Errorf("theme %q, ground %s", theme, ground)
		}
		return nil
	})
	dialog.by("radio", "Auto never ask").click()
	a.eventually("mode auto", func() error {
		var mode string
		err := a.session.await(t.Context(), `return (await window.go.app.Settings.Get()).mode`, &mode)
		if err == nil && mode != "auto" {
			err = fmt.Errorf("it is %s", mode)
		}
		return err
	})
	a.press(escape)
	dialog.goes()
}
