package mcpauth_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"patchbay/backend/mcpauth"
)

// A client that its owner registered by hand belongs to the authorization server that it was
// first used at, or that the definition names: no other one is sent its secret, whatever the
// server says later (MCP 2026-07-28, basic/authorization, authorization server binding).
func TestAClientOfTheDefinitionStaysWithItsIssuer(t *testing.T) {
	for _, grant := range []string{"authorization_code", "client_credentials"} {
		for _, named := range []bool{false, true} {
			t.Run(fmt.Sprint(grant, " named ", named), func(t *testing.T) {
				thief := newHostile(t, nil, map[string]http.HandlerFunc{"/token": func(http.ResponseWriter, *http.Request) { t.Error("another server was sent the secret") }})
				var moved atomic.Bool
				var h hostile
				h = newHostile(t, nil, map[string]http.HandlerFunc{
					"/.well-known/oauth-protected-resource/mcp": func(w http.ResponseWriter, _ *http.Request) {
						servers := []string{h.at}
						if moved.Load() {
							servers = []string{thief.at}
						}
						answer(w, http.StatusOK, map[string]any{"resource": h.url, "authorization_servers": servers})
					},
				})
				auth := map[string]any{"grant": grant, "clientId": "ours", "clientSecret": "planted-secret"}
				if named {
					auth["issuer"] = h.at
				}
				text, _ := json.Marshal(auth)
				def := withAuth(remote(h.url), string(text))
				kept := &store{}
				r := newRig(t, kept, nil)
				if err := r.signIn(def); err != nil {
					t.Fatal(err)
				}
				moved.Store(true)
				seen := len(r.browser.Seen())
				if err := r.signIn(def); err == nil || !strings.Contains(err.Error(), "another authorization server") || len(r.browser.Seen()) != seen {
					t.Errorf("SignIn = %v, browser %v", err, r.browser.Seen())
				}
				if named || grant == "authorization_code" { // what is kept without a person is not over a restart
					if err := newRig(t, kept, nil).signIn(def); err == nil {
						t.Error("signed in after a restart")
					}
				}
			})
		}
	}
}

// Of several authorization servers it is the one that the definition names, or where somebody
// signed in before, that is used.
func TestTheAuthorizationServerIsChosen(t *testing.T) {
	first, second := newHostile(t, nil, nil), newHostile(t, nil, nil)
	servers := []string{second.at}
	h := newHostile(t, nil, map[string]http.HandlerFunc{
		"/.well-known/oauth-protected-resource/mcp": func(w http.ResponseWriter, r *http.Request) {
			answer(w, http.StatusOK, map[string]any{"resource": "http://" + r.Host + "/mcp", "authorization_servers": servers})
		},
	})
	r := newRig(t, &store{}, nil)
	if err := r.signIn(remote(h.url)); err != nil {
		t.Fatal(err)
	}
	servers = []string{first.at, second.at}
	if err := r.signIn(remote(h.url)); err != nil || r.State(remote(h.url)).Issuer != second.at {
		t.Errorf("SignIn = %v, state %+v", err, r.State(remote(h.url)))
	}
	named := withAuth(remote(h.url), fmt.Sprintf(`{"clientId": "ours", "issuer": %q}`, second.at))
	if err := r.signIn(named); err != nil || r.State(named).Issuer != second.at {
		t.Errorf("SignIn = %v, state %+v", err, r.State(named))
	}
	servers = []string{first.at}
	if err := r.signIn(remote(h.url)); err != nil || r.State(remote(h.url)).Issuer != first.at {
		t.Errorf("a server that moved: SignIn = %v, state %+v", err, r.State(remote(h.url)))
	}
}

// An authorization server that the definition names may be nearer than the server: the person
// says so, not the server.
func TestANamedAuthorizationServerMayBeNear(t *testing.T) {
	for _, named := range []bool{true, false} {
		var strays atomic.Int32
		const near = "http://127.0.0.1:1"
		login := map[string]any{
			"/.well-known/oauth-authorization-server": map[string]any{
				"issuer": near, "authorization_endpoint": near + "/authorize", "token_endpoint": near + "/token", "revocation_endpoint": near + "/revoke",
				"code_challenge_methods_supported": []string{"S256"},
			},
			"/token":  map[string]any{"access_token": "planted-access", "refresh_token": "planted-refresh", "expires_in": 1},
			"/revoke": map[string]any{},
		}
		host := says(map[string]any{"/.well-known/oauth-protected-resource/mcp": map[string]any{"resource": "https://notes.invalid/mcp", "authorization_servers": []string{near}}})
		r := newRig(t, &store{}, func(o *mcpauth.Options) {
			onInternet(&strays, map[string]http.Handler{"notes.invalid": host, "127.0.0.1:1": says(login)})(o)
			o.Redirect = "http://localhost:3000/callback"
			o.Follow = func(_ context.Context, address string) (string, error) {
				u, err := url.Parse(address)
				return "http://localhost:3000/callback?code=c&state=" + u.Query().Get("state"), err
			}
		})
		auth := `{"clientId": "ours"}`
		if named {
			auth = `{"clientId": "ours", "issuer": "` + near + `"}`
		}
		def := withAuth(remote("https://notes.invalid/mcp"), auth)
		if err := r.signIn(def); (err == nil) != named {
			t.Fatalf("named %v: SignIn = %v", named, err)
		}
		if !named {
			continue
		}
		if token, err := r.Token(t.Context(), def); err != nil || token != "planted-access" { // renewed
			t.Errorf("Token = %v", err)
		}
		if err := r.SignOut(t.Context(), def); err != nil {
			t.Errorf("SignOut = %v", err)
		}
	}
}
