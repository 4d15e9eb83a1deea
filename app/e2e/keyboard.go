//go:build linux

package e2e

import (
	"errors"
	"net/http"
)

// Keys beyond letters (W3C WebDriver, section 17.4.2).
const (
	tabKey   = "\ue004"
	enterKey = "\ue007"
	shiftKey = "\ue008"
	ctrlKey  = "\ue009"
	spaceKey = " "
	downKey  = "\ue015"
	rightKey = "\ue014"
)

// keys presses keys one after another, as a person who has no pointer does.
func (a *app) keys(keys ...string) {
	a.t.Helper()
	for _, key := range keys {
		a.press(key)
	}
}

// types types a text wherever the focus is.
func (a *app) types(text string) {
	a.t.Helper()
	var actions []map[string]string
	for _, r := range text {
		actions = append(actions, map[string]string{"type": "keyDown", "value": string(r)}, map[string]string{"type": "keyUp", "value": string(r)})
	}
	body := map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": actions}}}
	if err := send(a.t.Context(), http.MethodPost, a.session.path("/actions"), body, nil); err != nil {
		a.t.Fatalf("type %q: %v", text, err)
	}
}

// reachedBy presses a key until the element has the focus, and checks that the focus can be seen.
func (e element) reachedBy(key string, most int) {
	e.app.t.Helper()
	e.appears()
	for range most {
		if e.focused() {
			e.app.seesFocus(e.String())
			return
		}
		e.app.press(key)
	}
	e.app.t.Fatalf("%s is not reached by pressing %q %d times; the focus is on %s", e, key, most, e.app.focus())
}

// focused reports whether the element has the focus now.
func (e element) focused() bool {
	e.app.t.Helper()
	var has bool
	e.app.eventually("read the focus", func() error {
		id, err := e.locate(e.app.t.Context())
		if err != nil {
			if errors.Is(err, errAmbiguous) {
				return err
			}
			has = false // it may be drawn anew
			return nil
		}
		return e.app.session.run(e.app.t.Context(), `return document.activeElement === arguments[0]`, &has, map[string]string{elementKey: id})
	})
	return has
}

// focus describes what has the focus.
func (a *app) focus() string {
	var html string
	if err := a.session.run(a.t.Context(), `return document.activeElement?.outerHTML.slice(0, 160) ?? "nothing"`, &html); err != nil {
		return err.Error()
	}
	return html
}

// seesFocus fails when what has the focus does not show it.
func (a *app) seesFocus(what string) {
	a.t.Helper()
	const look = `const e = document.activeElement, s = getComputedStyle(e), r = e.getBoundingClientRect();
const around = e.closest(".composer, .server") ?? e, b = getComputedStyle(around);
return {outline: s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0 || b.borderColor !== "" && e !== around, inside: r.width > 0 && r.bottom > 0 && r.top < innerHeight}`
	var seen struct{ Outline, Inside bool }
	if err := a.session.run(a.t.Context(), look, &seen); err != nil {
		a.t.Fatal(err)
	}
	if !seen.Outline || !seen.Inside {
		a.t.Errorf("the focus on %s cannot be seen: %+v", what, seen)
	}
}
