package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpauth/authtest"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/settings"
)

// signInRig is a home with a server that wants a sign-in, on a machine without a keyring.
func signInRig(t *testing.T, server *authtest.Server) *rig {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("NOTES_URL", server.URL)
	r := newRig(t)
	r.write(r.storePath(), fmt.Sprintf(`{"mcpServers": {"notes": {"url": %q}, "twin": {"url": "${NOTES_URL}", "tools": {"rename": {"read": "read_too", "write": "write_too"}}}, "keyed": {"url": %q, "headers": {"Authorization": "Bearer wrong"}}}}`, server.URL, server.URL))
	return r
}

func (r *rig) signsIn(s *Session, name string, phase mcpauth.Phase) SignIn {
	r.t.Helper()
	var got SignIn
	r.eventually(fmt.Sprintf("%s is %q", name, phase), func() bool {
		got, _ = s.SignInOf(name)
		return got.Phase == phase
	})
	return got
}

func TestASignInPutsTheRowRightInEverySession(t *testing.T) {
	server, browser := authtest.New(t, authtest.Options{Scopes: []string{"notes"}}), &authtest.Browser{}
	r := signInRig(t, server)
	m := r.open(Options{Browse: browser.Open})
	s := r.session(m, "notes", "twin", "keyed")
	other := r.session(m)
	if row := r.wantState(s, "notes", mcphost.Error); row.Cause != mcpconn.SignIn || row.Action != mcphost.ActSignIn || !strings.Contains(row.Reason, "127.0.0.1") || !strings.Contains(row.Reason, "Sign in") {
		t.Errorf("before: %+v", row)
	}
	if row := r.row(s, "keyed"); row.Cause != mcpconn.SignIn || row.Action != mcphost.ActEdit {
		t.Errorf("with a header of its own: %s, %s", row.Cause, row.Action)
	}
	var none *settings.NoKeyringError
	if err := m.SignIn(s, "notes", KeepUnknown); !errors.As(err, &none) || len(browser.Seen()) != 0 {
		t.Fatalf("SignIn without a word about where = %v, browser %v", err, browser.Seen())
	}
	r.must(m.SignIn(s, "notes", KeepFile))
	for _, session := range []*Session{s, other} {
		for _, name := range []string{"notes", "twin"} { // one sign-in for one server
			r.eventually(name+" is connected", func() bool { return r.row(session, name).State == mcphost.Connected })
		}
	}
	got := r.signsIn(s, "notes", mcpauth.SignedIn)
	if got.Kept != KeepFile || got.Issuer != server.Issuer() || len(browser.Seen()) != 1 {
		t.Errorf("sign-in %+v, browser %v", got, browser.Seen())
	}
	page := browser.Pages()
	if len(page) != 1 || !strings.Contains(page[0], "You are signed in") {
		t.Errorf("the browser shows %q", page)
	}
	r.close(m)

	tokens := server.Tokens()
	for path, text := range tree(t, r.home) {
		for _, token := range tokens {
			if strings.Contains(text, token) && filepath.Base(path) != "keys.json" {
				t.Errorf("%s holds a token", path)
			}
		}
	}
	if info, err := os.Stat(none.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info, err)
	}

	again := r.open(Options{}) // a process that can open no browser needs none
	s = r.session(again)
	r.wantState(s, "notes", mcphost.Connected)
	r.must(again.SignOut(t.Context(), s, "notes"))
	r.eventually("it wants a sign-in again", func() bool {
		row := r.row(s, "notes")
		return row.State == mcphost.Error && row.Cause == mcpconn.SignIn && r.row(s, "twin").Cause == mcpconn.SignIn
	})
	if _, ok := s.SignInOf("notes"); ok || len(server.Tokens()) != 0 {
		t.Errorf("after signing out: %v, valid %v", ok, server.Tokens())
	}
	if data, _ := os.ReadFile(none.File); strings.Contains(string(data), "planted") {
		t.Errorf("the file holds %s", data)
	}
}

func TestASignInThatIsRefusedOrCalledOff(t *testing.T) {
	server := authtest.New(t, authtest.Options{Deny: true})
	r := signInRig(t, server)
	browser := &authtest.Browser{}
	m := r.open(Options{Browse: browser.Open})
	s := r.session(m, "notes")
	r.must(m.SignIn(s, "notes", KeepMemory))
	if got := r.signsIn(s, "notes", mcpauth.Failed); !strings.Contains(got.Message, "Access was refused") {
		t.Errorf("it says %q", got.Message)
	}
	browser.Pages()
	r.close(m)

	m = r.open(Options{}) // without a browser it waits, with a link
	s = r.session(m)
	r.must(m.SignIn(s, "notes", KeepMemory))
	r.eventually("it says that no browser opened", func() bool {
		got, _ := s.SignInOf("notes")
		return got.URL != "" && strings.Contains(got.Message, "copy the link")
	})
	r.must(m.CancelSignIn(s, "notes"))
	r.signsIn(s, "notes", "")
	r.wantState(s, "notes", mcphost.Error)
	r.must(m.SignIn(s, "notes", KeepMemory)) // its end is that of the process
	r.eventually("it waits", func() bool { got, _ := s.SignInOf("notes"); return got.URL != "" })
}

func TestARemovedServerIsSignedOutOf(t *testing.T) {
	server, browser := authtest.New(t, authtest.Options{}), &authtest.Browser{}
	r := signInRig(t, server)
	m := r.open(Options{Browse: browser.Open})
	s := r.session(m, "notes")
	r.must(m.SignIn(s, "notes", KeepFile))
	r.signsIn(s, "notes", mcpauth.SignedIn)
	browser.Pages()
	r.must(s.RemoveServer("notes"))
	if len(server.Tokens()) == 0 {
		t.Error("the sign-in is gone though twin uses it")
	}
	r.must(s.RemoveServer("twin")) // keyed has a header of its own
	r.eventually("nothing is left of the sign-in", func() bool { return len(server.Tokens()) == 0 })
	r.close(m)
	for path, text := range tree(t, r.home) {
		if strings.Contains(text, "planted") {
			t.Errorf("%s holds %s", path, text)
		}
	}
}

func TestWhatCannotBeSignedInTo(t *testing.T) {
	server := authtest.New(t, authtest.Options{})
	r := signInRig(t, server)
	r.write(r.storePath(), fmt.Sprintf(`{"mcpServers": {"local": {"command": "false"}, "keyed": {"url": %q, "headers": {"authorization": "x"}},
		"thief": {"url": %q, "headers": {"X": "${keyring:sign-in:abc}"}}}}`, server.URL, server.URL))
	m := r.open(Options{})
	s := r.session(m, "thief")
	for name, want := range map[string]string{"local": "over http", "keyed": "Authorization header", "ghost": "ghost"} {
		for _, err := range []error{m.SignIn(s, name, KeepMemory), m.SignOut(t.Context(), s, name)} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v, want %q", name, err, want)
			}
		}
	}
	if row := r.wantState(s, "thief", mcphost.Error); row.Cause != mcpconn.EnvMissing || !strings.Contains(row.Reason, "belongs to a sign-in") {
		t.Errorf("a definition that refers to a sign-in: %+v", row)
	}
}
