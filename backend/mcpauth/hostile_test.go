package mcpauth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	"patchbay/backend/mcpauth"
)

// onInternet is a transport on which only the hosts of a test answer, as ones of the internet.
// Nothing leaves the process; a request to any other host is counted in strays.
func onInternet(strays *atomic.Int32, hosts map[string]http.Handler) func(*mcpauth.Options) {
	return func(o *mcpauth.Options) {
		o.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
			handler, ok := hosts[req.URL.Host]
			if !ok {
				strays.Add(1)
				return nil, errors.New("no such host here")
			}
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, req)
			return w.Result(), nil
		})
	}
}

// says answers with JSON documents by path, and with 401 elsewhere.
func says(documents map[string]any) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		document, ok := documents[r.URL.Path]
		if !ok {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(document)
	})
}

// A server of the internet leads nobody to this machine or its network: not with its
// metadata, its issuer or an endpoint (MCP, security best practices, server-side request
// forgery).
func TestAServerOfTheInternetLeadsNowhereNear(t *testing.T) {
	var strays atomic.Int32
	const host = "notes.invalid"
	resource := map[string]any{"resource": "https://" + host + "/mcp", "authorization_servers": []string{"https://" + host}}
	meta := func(change map[string]any) map[string]any {
		all := map[string]any{
			"issuer": "https://" + host, "authorization_endpoint": "https://" + host + "/authorize", "token_endpoint": "https://" + host + "/token",
			"registration_endpoint": "https://" + host + "/register", "code_challenge_methods_supported": []string{"S256"},
		}
		for name, value := range change {
			all[name] = value
		}
		return all
	}
	for _, address := range []string{"http://127.0.0.1:1", "http://localhost:1", "https://app.localhost", "https://169.254.169.254", "https://10.0.0.1", "https://[fe80::1]", "https://[::ffff:127.0.0.1]", "https://0.0.0.0", "https://[64:ff9b::7f00:1]"} {
		tests := map[string]http.Handler{
			"issuer":   says(map[string]any{"/.well-known/oauth-protected-resource/mcp": map[string]any{"resource": "https://" + host + "/mcp", "authorization_servers": []string{address}}}),
			"metadata": challenging(address + "/metadata"),
		}
		for _, endpoint := range []string{"authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"} {
			tests[endpoint] = says(map[string]any{
				"/.well-known/oauth-protected-resource/mcp": resource,
				"/.well-known/oauth-authorization-server":   meta(map[string]any{endpoint: address + "/x"}),
			})
		}
		for name, handler := range tests {
			r := newRig(t, &store{}, onInternet(&strays, map[string]http.Handler{host: handler}))
			err := r.signIn(remote("https://" + host + "/mcp"))
			if err == nil || !refusesNear(err) || len(r.browser.Seen()) != 0 || strays.Swap(0) != 0 {
				t.Errorf("%s %s: SignIn = %v, browser %v", name, address, err, r.browser.Seen())
			}
		}
	}
}

// refusesNear reports whether it is ours or the library that refuses an address.
func refusesNear(err error) bool {
	return strings.Contains(err.Error(), "inside your network") || strings.Contains(err.Error(), "non-public address")
}

// challenging names an address of metadata in its refusals.
func challenging(address string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("WWW-Authenticate", fmt.Sprintf("Bearer resource_metadata=%q", address))
		w.WriteHeader(http.StatusUnauthorized)
	})
}

// hostile is a server with an authorization server that follows the rules but where a test
// changes it.
type hostile struct {
	*http.ServeMux
	url string // of the MCP server
	at  string
}

// newHostile has every document and endpoint but those in change, by path.
func newHostile(t *testing.T, meta map[string]any, change map[string]http.HandlerFunc) hostile {
	h := hostile{ServeMux: http.NewServeMux()}
	h.at = serve(t, h)
	h.url = h.at + "/mcp"
	all := map[string]any{
		"issuer": h.at, "authorization_endpoint": h.at + "/authorize", "token_endpoint": h.at + "/token", "registration_endpoint": h.at + "/register",
		"code_challenge_methods_supported": []string{"S256"},
	}
	for name, value := range meta {
		if all[name] = value; value == nil {
			delete(all, name)
		}
	}
	handlers := map[string]http.HandlerFunc{
		"/mcp": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) },
		"/.well-known/oauth-protected-resource/mcp": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, map[string]any{"resource": h.url, "authorization_servers": []string{h.at}})
		},
		"/.well-known/oauth-authorization-server": func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, all) },
		"/register": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusCreated, map[string]any{"client_id": "c", "client_secret": "planted-client-secret"})
		},
		"/authorize": func(w http.ResponseWriter, r *http.Request) {
			back, _ := url.Parse(r.FormValue("redirect_uri"))
			back.RawQuery = url.Values{"state": {r.FormValue("state")}, "code": {"planted-code"}}.Encode()
			http.Redirect(w, r, back.String(), http.StatusFound)
		},
		"/token": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, map[string]any{"access_token": "planted-access", "refresh_token": "planted-refresh", "token_type": "Bearer", "expires_in": 1})
		},
	}
	maps.Copy(handlers, change)
	for path, handler := range handlers {
		h.HandleFunc(path, handler)
	}
	return h
}

func answer(w http.ResponseWriter, status int, document any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(document) // the client is gone
}

// logged keeps what is logged.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// What a server says in an error is a sentence's worth, on one line, and never a secret that
// it was sent or sends: it is shown, logged and copied.
func TestErrorsOfServersHoldNoSecret(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	echo := func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm()
		answer(w, http.StatusBadRequest, map[string]any{"error": "invalid_request", "error_description": fmt.Sprint(r.Form, r.Header, "\nsecond line\u202e") + long})
	}
	tests := map[string]map[string]http.HandlerFunc{
		"token endpoint echoes the form": {"/token": echo},
		"token endpoint echoes as a code": {"/token": func(w http.ResponseWriter, r *http.Request) {
			answer(w, http.StatusBadRequest, map[string]any{"error": r.FormValue("code") + long})
		}},
		"registration with a secret that cannot be read": {"/register": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"client_id": 5, "client_secret": "planted-client-secret", "x": "`+long+`"}`)
		}},
		"registration refused with a page": {"/register": func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, "<html>planted-client-secret"+long)
		}},
		"registration refused": {"/register": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusForbidden, map[string]any{"error": "access_denied", "error_description": "second line\n" + long})
		}},
		"authorization refused": {"/authorize": func(w http.ResponseWriter, r *http.Request) {
			back := r.FormValue("redirect_uri") + "?" + url.Values{"state": {r.FormValue("state")}, "error": {"server_error"}, "error_description": {"second line\n" + long[:20_000]}}.Encode()
			http.Redirect(w, r, back, http.StatusFound)
		}},
		"metadata that is none": {"/.well-known/oauth-authorization-server": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, map[string]any{"issuer": "second line\n" + long})
		}},
		"metadata of another resource": {"/.well-known/oauth-protected-resource/mcp": func(w http.ResponseWriter, _ *http.Request) {
			answer(w, http.StatusOK, map[string]any{"resource": "second line\n" + long})
		}},
		"an issuer that is none": {"/.well-known/oauth-protected-resource/mcp": func(w http.ResponseWriter, r *http.Request) {
			answer(w, http.StatusOK, map[string]any{"resource": "http://" + r.Host + "/mcp", "authorization_servers": []string{"second line\n" + long}})
		}},
		"metadata that is named somewhere odd": {"/mcp": func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://`+r.Host+`/`+long+`"`)
			w.WriteHeader(http.StatusUnauthorized)
		}, "/.well-known/oauth-protected-resource/mcp": http.NotFound},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			var logs logged
			r := newRig(t, &store{}, func(o *mcpauth.Options) { o.Logger = slog.New(slog.NewTextHandler(&logs, nil)) })
			def := remote(newHostile(t, nil, change).url)
			err := r.signIn(def)
			if err == nil {
				t.Fatal("signed in")
			}
			message := r.State(def).Message
			if strings.ContainsFunc(message, unicode.IsControl) || strings.Contains(message, "\u202e") || len(message) > 700 {
				t.Errorf("%d bytes: %.300q", len(message), message)
			}
			for _, text := range []string{message, err.Error(), logs.String(), strings.Join(r.browser.Pages(), "")} {
				if strings.Contains(text, "planted") || len(text) > 3000 {
					t.Errorf("%d bytes: %.500q", len(text), text)
				}
			}
		})
	}
}

// A renewal that fails neither logs nor shows the refresh token that a server sends back.
func TestARenewalThatFailsHoldsNoSecret(t *testing.T) {
	first := true
	h := newHostile(t, nil, map[string]http.HandlerFunc{"/token": func(w http.ResponseWriter, r *http.Request) {
		if first {
			first = false
			answer(w, http.StatusOK, map[string]any{"access_token": "planted-access", "refresh_token": "planted-refresh", "expires_in": 1})
			return
		}
		answer(w, http.StatusServiceUnavailable, map[string]any{"error": "temporarily_unavailable", "error_description": r.FormValue("refresh_token") + " cannot be read"})
	}})
	r := newRig(t, &store{}, nil)
	def := remote(h.url)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Token(t.Context(), def); err == nil || strings.Contains(err.Error(), "planted") || !strings.Contains(err.Error(), "temporarily_unavailable") {
		t.Errorf("Token = %v", err)
	}
}

// Signing in never gets weaker because a server leaves something out.
func TestSignInIsNotDowngraded(t *testing.T) {
	tests := []struct {
		name string
		meta map[string]any
		want string
		root bool // the resource says nothing, so that the server's own origin is asked
	}{
		{name: "metadata without PKCE", meta: map[string]any{"code_challenge_methods_supported": nil}, want: "PKCE"},
		{name: "metadata without PKCE at the server's own origin", meta: map[string]any{"code_challenge_methods_supported": nil}, want: "PKCE", root: true},
		{name: "only plain PKCE", meta: map[string]any{"code_challenge_methods_supported": []string{"plain"}}, want: "PKCE"},
		{name: "only plain PKCE at the server's own origin", meta: map[string]any{"code_challenge_methods_supported": []string{"plain"}}, want: "PKCE", root: true},
		{name: "no token endpoint", meta: map[string]any{"token_endpoint": nil}, want: "token endpoint"},
		{name: "no authorization endpoint", meta: map[string]any{"authorization_endpoint": nil}, want: "authorization endpoint"},
		{name: "a token endpoint without encryption", meta: map[string]any{"token_endpoint": "http://login.test/token"}, want: "HTTPS"},
		{name: "a revocation endpoint without encryption", meta: map[string]any{"revocation_endpoint": "http://login.test/revoke"}, want: "https"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			change := map[string]http.HandlerFunc{}
			if tt.root {
				change["/.well-known/oauth-protected-resource/mcp"] = http.NotFound
			}
			r := newRig(t, &store{}, nil)
			err := r.signIn(remote(newHostile(t, tt.meta, change).url))
			if err == nil || !strings.Contains(err.Error(), tt.want) || len(r.browser.Seen()) != 0 {
				t.Errorf("SignIn = %v, browser %v", err, r.browser.Seen())
			}
		})
	}
}

// A token is not sent where everybody on the way reads it, whatever metadata says (OAuth 2.1,
// 1.5).
func TestAServerWithoutEncryptionIsNotSignedInTo(t *testing.T) {
	var strays atomic.Int32
	login := says(map[string]any{
		"/resource": map[string]any{"resource": "http://notes.invalid/mcp", "authorization_servers": []string{"https://login.invalid"}},
		"/.well-known/oauth-authorization-server": map[string]any{
			"issuer": "https://login.invalid", "authorization_endpoint": "https://login.invalid/authorize", "token_endpoint": "https://login.invalid/token",
			"code_challenge_methods_supported": []string{"S256"},
		},
		"/token": map[string]any{"access_token": "planted-access"},
	})
	for _, auth := range []string{`{"clientId": "c"}`, `{"grant": "client_credentials", "clientId": "c", "clientSecret": "s3cret"}`} {
		r := newRig(t, &store{}, func(o *mcpauth.Options) {
			onInternet(&strays, map[string]http.Handler{"notes.invalid": challenging("https://login.invalid/resource"), "login.invalid": login})(o)
			o.Limit = time.Second
		})
		err := r.signIn(withAuth(remote("http://notes.invalid/mcp"), auth))
		if err == nil || !strings.Contains(err.Error(), "https") || len(r.browser.Seen()) != 0 {
			t.Errorf("SignIn = %v, browser %v", err, r.browser.Seen())
		}
	}
}

// Values of an address may be keys: they are in no address that is opened, shown or sent to
// an authorization server (RFC 8707, 2: a resource should have no query).
func TestValuesOfTheAddressStayHere(t *testing.T) {
	h := newHostile(t, nil, map[string]http.HandlerFunc{"/.well-known/oauth-protected-resource/mcp": http.NotFound})
	r := newRig(t, &store{}, nil)
	if err := r.signIn(remote(h.url + "?api_key=planted-key")); err != nil {
		t.Fatal(err)
	}
	for _, seen := range r.browser.Seen() {
		if u, err := url.Parse(seen); err != nil || strings.Contains(seen, "planted") || u.Query().Get("resource") != h.url {
			t.Errorf("opened %s", seen)
		}
	}
}
