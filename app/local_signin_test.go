package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpauth/authtest"
)

// signInHere is a Local with one server that wants a sign-in, lit in a plain chat.
func signInHere(t *testing.T, server *authtest.Server) *Local {
	t.Helper()
	l := openHere(t)
	path := filepath.Join(os.Getenv("HOME"), ".ai4j", "mcp.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, fmt.Appendf(nil, `{"mcpServers": {"notes": {"url": %q}}}`, server.URL), 0o600); err != nil {
		t.Fatal(err)
	}
	l.manager.Store().Reload()
	if _, err := l.EnableServer(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	l.Start()
	return l
}

// rowThat waits for a snapshot whose row of notes satisfies ok.
func rowThat(t *testing.T, l *Local, what string, ok func(ServerRow) bool) ServerRow {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	var last ServerRow
	for rev := uint64(0); ; {
		snap, next, err := l.Servers().Wait(ctx, rev)
		if err != nil {
			t.Fatalf("never %s: %+v %+v", what, last, last.SignIn)
		}
		rev = next
		for _, row := range snap.Rows {
			if last = row; ok(row) {
				return row
			}
		}
	}
}

func TestASignInIsSeenInTheRow(t *testing.T) {
	server, browser := authtest.New(t, authtest.Options{Scopes: []string{"notes"}}), &authtest.Browser{}
	l := signInHere(t, server)
	rowThat(t, l, "wanting a sign-in", func(r ServerRow) bool { return r.Action == ActionSignIn && r.SignIn == nil })

	err := l.SignIn(t.Context(), "notes", KeepUnknown)
	var refused *CommandError
	if !errors.As(err, &refused) || refused.Code != CodeNoKeyring || filepath.Base(refused.Path) != "keys.json" {
		t.Fatalf("SignIn = %v, want no_keyring with the file", err)
	}
	if err := l.SignIn(t.Context(), "notes", KeepMemory); err != nil {
		t.Fatal(err)
	}
	waiting := rowThat(t, l, "waiting with a link", func(r ServerRow) bool { return r.SignIn != nil && r.SignIn.Message != "" })
	if s := waiting.SignIn; s.State != SignInWaiting || !strings.Contains(s.URL, "/authorize?") || s.UntilMs <= s.SinceMs || !strings.Contains(s.Message, "copy the link") {
		t.Errorf("without a browser: %+v", s)
	}
	if err := l.CancelSignIn(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	rowThat(t, l, "as before", func(r ServerRow) bool { return r.SignIn == nil })

	l.BrowseWith(browser.Open)
	if err := l.SignIn(t.Context(), "notes", KeepUnknown); err != nil { // asked once
		t.Fatal(err)
	}
	in := rowThat(t, l, "connected", func(r ServerRow) bool { return r.State == StateConnected && r.SignIn != nil })
	if s := in.SignIn; s.State != SignInDone || s.Issuer != server.Issuer() || s.Kept != "memory" || !s.Renews || s.ExpiresMs == 0 || s.Wants == nil || s.URL != "" {
		t.Errorf("signed in: %+v", s)
	}
	diagnosis, err := l.Diagnosis(t.Context(), "notes")
	if err != nil {
		t.Fatal(err)
	}
	snap, _ := l.Servers().Get()
	page, err := json.Marshal(snap)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range server.Tokens() {
		if strings.Contains(diagnosis, token) || strings.Contains(string(page), token) {
			t.Error("a token is in the diagnosis or in the snapshot")
		}
	}
	if err := l.SignOut(t.Context(), "notes"); err != nil {
		t.Fatal(err)
	}
	rowThat(t, l, "wanting a sign-in again", func(r ServerRow) bool { return r.Action == ActionSignIn && r.SignIn == nil })
	browser.Pages()
}
