//go:build linux

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"patchbay/backend/mcpauth/authtest"
)

// opener puts a browser without a window where the desktop's opener is looked for. It
// follows an address once the file go is there, and leaves the last page in the file page.
func opener(t *testing.T) (dir string, env []string) {
	t.Helper()
	dir = t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncd %s\necho \"$1\" >>seen\nuntil [ -e go ]; do sleep 0.05; done\nexec curl -sL -m 60 -o page \"$1\"\n", dir)
	if err := os.WriteFile(filepath.Join(dir, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir, []string{"PATH=" + dir + ":" + os.Getenv("PATH")}
}

func read(path string) string {
	data, _ := os.ReadFile(path) // "" where nothing is yet
	return string(data)
}

// A person signs in to a server in the browser, stays signed in over a restart, and signs
// out; a refusal is a sentence on the row. No token is in the page or in what is printed.
func TestSigningInToAServer(t *testing.T) {
	server := authtest.New(t, authtest.Options{Scopes: []string{"notes:read", "notes:write"}})
	dir, env := opener(t)
	a := start(t, options{env: env, files: map[string]string{"~/.ai4j/mcp.json": store(t, definition{"notes", fmt.Sprintf(`{"url": %q}`, server.URL)})}})
	a.by("button", "Enable notes").click()
	a.reaches("error", "notes")
	a.because("notes", "asks for sign-in", "127.0.0.1")
	a.shot("signin-needed")
	if read(filepath.Join(dir, "seen")) != "" {
		t.Fatal("connecting opened a browser")
	}

	a.by("button", "Sign in notes").click()
	ask := a.by("dialog", "No keyring. Keep sign-ins in a file only you can read?")
	ask.says("where", has("keys.json"))
	a.accessible("signin-keep")
	a.shot("signin-keep")
	ask.by("button", "Keep in the file").click()
	a.because("notes", "Waiting for the browser")
	a.by("button", "Copy link of notes").appears()
	a.accessible("signin-waiting")
	a.shot("signin-waiting")
	a.by("button", "Details of notes").click()
	detail := a.by("region", "Details of notes")
	detail.by("region", "Sign-in").by("button", "Copy link of notes").appears()
	a.holds("the link", "/authorize?", "code_challenge_method=S256")
	a.accessible("signin-detail-waiting")
	a.shot("signin-detail-waiting")

	a.browse(dir)
	detail.by("region", "Sign-in").says("who vouches, for what", has("127.0.0.1", "notes:read notes:write", "renewed by itself", "a file only you can read"))
	a.holds("that it worked", "Signed in to notes")
	a.accessible("signin-detail")
	a.shot("signin-detail")
	detail.by("button", "Close details").click()
	a.reaches("connected", "notes")
	a.shot("signin-done")
	a.eventually("the browser says so", func() error {
		if page := read(filepath.Join(dir, "page")); !has("You are signed in", "You can close this page")(page) {
			return fmt.Errorf("it shows %q", page)
		}
		return nil
	})
	a.tellsNoToken(server)
	a.close()

	b := start(t, options{env: env, after: a})
	b.reaches("connected", "notes")
	if seen := read(filepath.Join(dir, "seen")); strings.Count(seen, "\n") != 1 {
		t.Errorf("the browser was opened for %q", seen)
	}
	b.dark()
	b.by("button", "Details of notes").click()
	b.by("button", "Sign out notes").click()
	b.by("region", "Details of notes").by("button", "Sign in notes").appears()
	if left := server.Tokens(); len(left) != 0 {
		t.Errorf("still valid: %v", left)
	}
	b.by("button", "Close details").click()

	server.SetDeny(true)
	b.by("button", "Sign in notes").click() // where sign-ins are kept is not asked twice
	b.because("notes", "Access was refused at 127.0.0.1")
	b.shot("signin-refused-dark")
	b.close()
}

// browse lets the browser go on.
func (a *app) browse(dir string) {
	a.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "go"), nil, 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// dark changes the theme.
func (a *app) dark() {
	a.t.Helper()
	if err := a.session.await(a.t.Context(), `return (await window.go.app.Settings.SetTheme("dark")) ?? null`, nil); err != nil {
		a.t.Fatal(err)
	}
}

// tellsNoToken looks for what signing in gave in the page, in what it may read, and in what
// was printed.
func (a *app) tellsNoToken(server *authtest.Server) {
	a.t.Helper()
	var all string
	const ask = `const m = window.go.app.MCP; return JSON.stringify([await m.Snapshot(), await m.ServerDetail("notes"), await m.ServerLog("notes", 0)])`
	if err := a.session.await(a.t.Context(), ask, &all); err != nil {
		a.t.Fatal(err)
	}
	all += a.page(a.t) + a.output.String()
	tokens := server.Tokens()
	if len(tokens) == 0 {
		a.t.Error("nobody is signed in")
	}
	for _, token := range tokens {
		if strings.Contains(all, token) {
			a.t.Error("a token is in the page or was printed")
		}
	}
}
