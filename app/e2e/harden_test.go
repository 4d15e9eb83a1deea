//go:build linux

package e2e

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

func probe(t *testing.T) *app {
	t.Helper()
	return start(t, options{binary: binary(t, "PROBE_BIN"), args: []string{}, noise: []string{"Refused to", "Content Security Policy", "evaluate"}})
}

// A nil dereference behind a bound call, recovered, ended the whole program before
// SA_ONSTACK was added to JavaScriptCore's handlers.
func TestNilDereferenceBehindABoundCallIsAnError(t *testing.T) {
	a := probe(t)
	for range 20 {
		err := a.session.await(t.Context(), `return await window.go.app.MCP.EnableServer("x")`, nil)
		if err == nil || !strings.Contains(err.Error(), "internal") || !strings.Contains(err.Error(), "nil pointer") {
			t.Fatalf("EnableServer on a nil backend = %v, want code internal", err)
		}
	}
	var rev float64
	if err := a.session.await(t.Context(), `return (await window.go.app.MCP.Snapshot()).rev`, &rev); err != nil || rev != 1 {
		t.Fatalf("Snapshot afterwards = %v, %v; want rev 1", rev, err)
	}
}

// With SIGUSR1 on the alternate stack, JavaScriptCore's collector span for ever after about
// 20,000 calls and SIGTERM was ignored. close fails the test when SIGTERM does not end it.
func TestManyCallsThenSIGTERMEnds(t *testing.T) {
	a := probe(t)
	const calls = `for (let i = 0; i < 100; i++) await Promise.all(Array.from({length: 200}, () => window.go.app.MCP.Snapshot()))`
	if err := a.session.await(t.Context(), calls, nil); err != nil {
		t.Fatal(err)
	}
}

// A foreign page in the window could call every bound method.
func TestNothingNavigatesTheWindowAway(t *testing.T) {
	var hits atomic.Int32
	foreign := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		fmt.Fprint(w, "<title>foreign</title>")
	}))
	defer foreign.Close()
	a := probe(t)
	ways := []struct{ name, script string }{
		{"location", `location.href = arguments[0]`},
		{"link", `const l = document.querySelector("a"); l.href = arguments[0]; l.click()`},
		{"blank link", `const l = document.querySelector("a"); l.href = arguments[0]; l.target = "_blank"; l.click()`},
		{"window.open", `window.open(arguments[0])`},
		{"iframe", `const f = document.createElement("iframe"); f.src = arguments[0]; document.body.append(f)`},
		{"srcdoc", `const f = document.createElement("iframe"); f.srcdoc = "<img src='" + arguments[0] + "'>"; document.body.append(f)`},
		{"form", `const f = document.createElement("form"); f.action = arguments[0]; document.body.append(f); f.submit()`},
		{"data address", `location.href = "data:text/html,<title>foreign</title>"`},
		{"fetch", `fetch(arguments[0]).catch(() => {})`},
		{"image", `new Image().src = arguments[0]`},
	}
	for _, way := range ways {
		if err := a.session.run(t.Context(), way.script, nil, foreign.URL); err != nil {
			t.Errorf("%s: %v", way.name, err)
		}
	}
	// A call that goes to Go and back is behind everything the page asked for before it.
	var at struct{ Title, Href string }
	if err := a.session.await(t.Context(), `await new Promise(r => setTimeout(r, 1000)); await window.go.app.MCP.Snapshot(); return {Title: document.title, Href: location.href}`, &at); err != nil {
		t.Fatal(err)
	}
	if at.Title != "probe" || !strings.HasPrefix(at.Href, "wails://wails/") {
		t.Errorf("the window shows %q at %s", at.Title, at.Href)
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the foreign server was asked %d times", n)
	}
}

// Script in the page would have every bound method: the content policy lets none run.
func TestContentPolicyStopsInjectedScript(t *testing.T) {
	a := probe(t)
	const inject = `window.__hit = "";
document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.__hit += \"onerror \"'><a id=j href='javascript:void(window.__hit += \"href \")'>j</a>");
document.getElementById("j").click();
const s = document.createElement("script"); s.textContent = "window.__hit += 'inline '"; document.body.append(s);
await new Promise(r => setTimeout(r, 500)); return window.__hit`
	var hit string
	if err := a.session.await(t.Context(), inject, &hit); err != nil {
		t.Fatal(err)
	}
	if hit != "" {
		t.Errorf("script ran by %s", hit)
	}
}

func TestOnlyWebAddressesAreOpened(t *testing.T) {
	a := probe(t)
	for _, address := range []string{"file:///etc/hostname", "javascript:alert(1)", "data:text/html,x", "mailto:a@b", "https:", "//host/x", ""} {
		err := a.session.await(t.Context(), `return await window.go.app.Settings.OpenLink(args[0])`, nil, address)
		if err == nil {
			err = errors.New("no error")
		}
		if !strings.Contains(err.Error(), "invalid") || !strings.Contains(err.Error(), "only http and https") {
			t.Errorf("OpenLink(%q) = %v, want code invalid", address, err)
		}
	}
}
