//go:build linux

package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// element is a handle of something in the page, found again by role and name each time it
// is used, since the page may draw it anew at any moment.
type element struct {
	app        *app
	role, name string
	around     *element // it is inside this one; nil: anywhere
}

// by finds the one element with this ARIA role and accessible name.
func (a *app) by(role, name string) element { return element{app: a, role: role, name: name} }

// by finds the one element with this role and name inside e.
func (e element) by(role, name string) element {
	return element{app: e.app, role: role, name: name, around: &e}
}

// finder is an approximation of "Accessible Name and Description Computation 1.2" for what
// this page uses: aria-labelledby, aria-label, label, alt, text, title, placeholder.
const finder = `
const [steps] = arguments;
const native = {button:"button,summary,input[type=button],input[type=submit]", textbox:"textarea,input:not([type]),input[type=text],input[type=url],input[type=password]",
 checkbox:"input[type=checkbox]", radio:"input[type=radio]", link:"a[href]", heading:"h1,h2,h3,h4,h5,h6", dialog:"dialog", searchbox:"input[type=search]", menu:"menu", table:"table", combobox:"select", group:"fieldset", navigation:"nav", main:"main", row:"tr", listitem:"li", list:"ul,ol", article:"article", region:"section[aria-label]", form:"form[aria-label]"};
const squeeze = s => (s || "").replace(/\s+/g, " ").trim();
const named = e => {
 const ids = e.getAttribute("aria-labelledby");
 if (ids) return squeeze(ids.split(/\s+/).map(i => document.getElementById(i)?.textContent ?? "").join(" "));
 if (e.getAttribute("aria-label")) return squeeze(e.getAttribute("aria-label"));
 if (e.labels?.length) return squeeze([...e.labels].map(l => l.textContent).join(" "));
 return squeeze(e.getAttribute("alt")) || squeeze(e.textContent) || squeeze(e.getAttribute("title")) || squeeze(e.getAttribute("placeholder"));
};
const find = (roots, role, name) => roots.flatMap(root => [...root.querySelectorAll('[role="' + role + '"]' + (native[role] ? "," + native[role] : ""))])
 .filter(e => (e.getAttribute("role") ?? role) === role && !e.closest("[aria-hidden=true],[inert],[hidden]"))
 .filter(e => name === "" || named(e) === name);
return steps.reduce((roots, [role, name]) => find(roots, role, name), [document]);`

var errAmbiguous = errors.New("more than one")

// locate returns the id of the element now.
func (e element) locate(ctx context.Context) (string, error) {
	var found []map[string]string
	if err := e.app.session.run(ctx, finder, &found, e.steps()); err != nil {
		return "", err
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("no %s named %q", e.role, e.name)
	case 1:
		return found[0][elementKey], nil
	}
	return "", fmt.Errorf("%s named %q: %w (%d)", e.role, e.name, errAmbiguous, len(found))
}

// steps are the roles and names from the page to the element.
func (e element) steps() [][2]string {
	if e.around == nil {
		return [][2]string{{e.role, e.name}}
	}
	return append(e.around.steps(), [2]string{e.role, e.name})
}

func (e element) String() string {
	if e.around == nil {
		return e.role + " " + e.name
	}
	return e.role + " " + e.name + " in " + e.around.String()
}

// eventually repeats an action on the element until it works.
func (e element) eventually(what string, act func(id string) error) {
	e.app.t.Helper()
	e.app.eventually(what+" "+e.String(), func() error {
		id, err := e.locate(e.app.t.Context())
		if err != nil {
			return err
		}
		return act(id)
	})
}

// click clicks as a person would: scrolled into view, not covered and not while it moves,
// since the driver clicks at a place and the element may have left it by then.
func (e element) click() {
	e.app.t.Helper()
	e.eventually("click", e.clickOnce)
}

func (e element) clickOnce(id string) error {
	if err := e.still(id); err != nil {
		return err
	}
	return send(e.app.t.Context(), http.MethodPost, e.app.session.path("/element/"+id+"/click"), map[string]any{}, nil)
}

// still is nil when the element stays where it is for two readings.
func (e element) still(id string) error {
	const where = `const e = arguments[0]; e.scrollIntoView({block: "nearest", inline: "nearest"}); const r = e.getBoundingClientRect(); return [r.x, r.y, r.width, r.height].join(" ")`
	var places [2]string
	for i := range places {
		if i > 0 {
			time.Sleep(40 * time.Millisecond) // more than one frame
		}
		if err := e.app.session.run(e.app.t.Context(), where, &places[i], map[string]string{elementKey: id}); err != nil {
			return err
		}
	}
	if places[0] != places[1] {
		return fmt.Errorf("it moves from %s to %s", places[0], places[1])
	}
	return nil
}

// fill replaces the text of a field by typing.
func (e element) fill(text string) {
	e.app.t.Helper()
	e.eventually("fill", func(id string) error {
		ctx, path := e.app.t.Context(), e.app.session.path("/element/"+id)
		if err := send(ctx, http.MethodPost, path+"/clear", map[string]any{}, nil); err != nil {
			return err
		}
		return send(ctx, http.MethodPost, path+"/value", map[string]any{"text": text}, nil)
	})
}

// value is what stands in a field.
func (a *app) value(e element) string {
	a.t.Helper()
	var text string
	e.eventually("read", func(id string) error {
		return a.session.run(a.t.Context(), `return arguments[0].value`, &text, map[string]string{elementKey: id})
	})
	return text
}

// appears waits until there is exactly one.
func (e element) appears() {
	e.app.t.Helper()
	e.eventually("find", func(string) error { return nil })
}

// goes waits until there is none.
func (e element) goes() {
	e.app.t.Helper()
	e.app.eventually("no more "+e.String(), func() error {
		if _, err := e.locate(e.app.t.Context()); err == nil || errors.Is(err, errAmbiguous) {
			return errors.New("it is still there")
		}
		return nil
	})
}

// says waits until its rendered text satisfies want.
func (e element) says(what string, want func(text string) bool) {
	e.app.t.Helper()
	e.eventually(what+" in", func(id string) error {
		var text string
		err := send(e.app.t.Context(), http.MethodGet, e.app.session.path("/element/"+id+"/text"), nil, &text)
		if err == nil && !want(text) {
			quoted, _ := json.Marshal(text)
			err = fmt.Errorf("it says %s", quoted)
		}
		return err
	})
}

// escape is the Escape key (W3C WebDriver, section 17.4.2).
const escape = "\ue00c"

// press presses and releases one key wherever the focus is.
func (a *app) press(key string) {
	a.t.Helper()
	actions := []map[string]string{{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}}
	body := map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": actions}}}
	a.eventually("press a key", func() error {
		return send(a.t.Context(), http.MethodPost, a.session.path("/actions"), body, nil)
	})
}
