package mcpauth_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

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
