//go:build linux

package e2e

import (
	"os"
	"path/filepath"
	"strings"
)

// findings runs axe in the page and returns what it found, one line each: the rule, what is
// wrong, and where.
const findings = `
await new Promise(done => setTimeout(done, 250)); // fades are over
const found = await axe.run(document, {resultTypes: ["violations"]});
return found.violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + " — " + n.target.join(" ") + " " + n.html.slice(0, 200) + " " + (n.failureSummary ?? "").replace(/\s+/g, " ").slice(0, 240)))`

// accessible fails the test when axe finds a violation in what is shown, in either theme, and
// takes a picture of both.
func (a *app) accessible(screen string) {
	a.t.Helper()
	ctx := a.t.Context()
	var there bool
	if err := a.session.run(ctx, `return typeof axe === "object"`, &there); err != nil {
		a.t.Fatal(err)
	}
	if !there {
		script, err := os.ReadFile(filepath.Join("..", "..", "frontend", "node_modules", "axe-core", "axe.min.js"))
		if err != nil {
			a.t.Fatalf("axe-core is not installed: run npm ci in frontend (make test does): %v", err)
		}
		if err := a.session.run(ctx, string(script)+"\n;window.axe = axe", nil); err != nil {
			a.t.Fatal(err)
		}
	}
	var before string
	if err := a.session.run(ctx, `return document.documentElement.dataset.theme ?? ""`, &before); err != nil {
		a.t.Fatal(err)
	}
	for _, theme := range []string{"light", "dark"} {
		a.theme(theme)
		var found []string
		if err := a.session.await(ctx, findings, &found); err != nil {
			a.t.Fatalf("axe on %s: %v", screen, err)
		}
		if len(found) > 0 {
			a.t.Errorf("%s, %s:\n%s", screen, theme, strings.Join(found, "\n"))
		}
		a.shot("screen-" + screen + "-" + theme)
	}
	a.theme(before)
}

// theme shows a theme without storing it; "" follows the system.
func (a *app) theme(theme string) {
	a.t.Helper()
	const set = `const root = document.documentElement; if (arguments[0]) root.dataset.theme = arguments[0]; else delete root.dataset.theme`
	if err := a.session.run(a.t.Context(), set, nil, theme); err != nil {
		a.t.Fatal(err)
	}
}
