//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"testing"
)

const settingsFile = "~/.config/patchbay/settings.json"

// where is the window's outer place and inner size, as the system tells them.
type where struct{ X, Y, W, H int }

func (a *app) where() (where, error) {
	var at where
	err := a.session.await(a.t.Context(), `const s = await window.runtime.WindowGetSize(), p = await window.runtime.WindowGetPosition(); return {...s, ...p}`, &at)
	return at, err
}

// isAt waits until the window is somewhere.
func (a *app) isAt(what string, want func(where) bool) {
	a.t.Helper()
	a.eventually("the window is "+what, func() error {
		at, err := a.where()
		if err == nil && !want(at) {
			err = fmt.Errorf("it is at %+v", at)
		}
		return err
	})
}

// The window opens where and as large as it was closed, by a signal here, unless that is on
// no screen any more.
func TestWindowStateIsKept(t *testing.T) {
	want := where{X: 60, Y: 40, W: 900, H: 620}
	there := func(at where) bool { return at == want }
	first := start(t, options{})
	first.by("grid", "Servers").appears()
	const move = `window.runtime.WindowSetSize(arguments[0], arguments[1]); window.runtime.WindowSetPosition(arguments[2], arguments[3])`
	if err := first.session.run(t.Context(), move, nil, want.W, want.H, want.X, want.Y); err != nil {
		t.Fatal(err)
	}
	first.isAt("moved", there)
	first.close()

	second := start(t, options{after: first})
	second.isAt("where it was", there)
	second.by("grid", "Servers").appears()
	second.shot("window-kept")
	second.close()

	var settings map[string]json.RawMessage
	if err := json.Unmarshal([]byte(second.read(settingsFile)), &settings); err != nil {
		t.Fatal(err)
	}
	settings["window"] = json.RawMessage(`{"x": 9000, "y": 40, "width": 900, "height": 620, "maximised": false}`)
	text, err := json.Marshal(settings)
	if err != nil {
		t.Fatal(err)
	}
	third := start(t, options{after: second, files: map[string]string{settingsFile: string(text)}})
	third.isAt("on the screen, in its size", func(at where) bool { return at.X < 1280 && at.W == want.W && at.H == want.H })
}
