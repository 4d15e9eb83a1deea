package mcpauth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"strings"
	"sync"
	"testing"

	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpauth/authtest"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

func pemOf(t *testing.T, key crypto.Signer) string {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

// What needs no person is asked for when the server refuses a request, and not kept.
func TestGrantsWithoutAPerson(t *testing.T) {
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	long, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	byKey := func(key crypto.Signer) (authtest.Options, map[string]any) {
		return authtest.Options{ClientID: "robot", Key: key.Public()}, map[string]any{"grant": "client_credentials", "clientId": "robot", "privateKey": pemOf(t, key)}
	}
	tests := []struct {
		name string
		make func() (authtest.Options, map[string]any)
	}{
		{"a secret", func() (authtest.Options, map[string]any) {
			return authtest.Options{ClientID: "robot", ClientSecret: "s3cret"}, map[string]any{"grant": "client_credentials", "clientId": "robot", "clientSecret": "s3cret"}
		}},
		{"an elliptic key", func() (authtest.Options, map[string]any) { return byKey(ec) }},
		{"an Edwards key", func() (authtest.Options, map[string]any) { return byKey(edwards) }},
		{"an RSA key", func() (authtest.Options, map[string]any) { return byKey(long) }},
		{"an identity", func() (authtest.Options, map[string]any) {
			return authtest.Options{ClientID: "robot", ClientSecret: "s3cret", Identity: "who-i-am"}, map[string]any{"grant": "cross_app", "clientId": "robot", "clientSecret": "s3cret"}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, auth := tt.make()
			server := authtest.New(t, o)
			if o.Identity != "" {
				auth["identity"] = map[string]string{"tokenEndpoint": server.Issuer() + "/vouch", "clientId": "me", "idToken": o.Identity}
			}
			r := newRig(t, &store{}, nil)
			def := withConfig(t, remote(server.URL), auth)
			if !mcpauth.Unattended(def) {
				t.Fatal("it waits for a person")
			}
			c := r.connect(def)
			server.Withdraw(true)
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					if got := r.call(c, "read"); !got.OK {
						t.Errorf("a call failed: %+v", got)
					}
				})
			}
			wg.Wait()
			if server.Count("unattended") != 2 || r.store.count() != 0 || len(r.browser.Seen()) != 0 {
				t.Errorf("asked for %d tokens, kept %d items, browser %v", server.Count("unattended"), r.store.count(), r.browser.Seen())
			}
		})
	}
}

func withConfig(t *testing.T, def mcpconf.Definition, auth map[string]any) mcpconf.Definition {
	t.Helper()
	data, err := json.Marshal(auth)
	if err != nil {
		t.Fatal(err)
	}
	return withAuth(def, string(data))
}

func TestAGrantThatIsRefusedSaysWhyWithoutItsSecret(t *testing.T) {
	server := authtest.New(t, authtest.Options{ClientID: "robot", ClientSecret: "right"})
	for _, tt := range []struct{ auth, want string }{
		{`{"grant": "client_credentials", "clientId": "robot", "clientSecret": "planted-wrong"}`, "gave no token: invalid_client"},
		{`{"grant": "client_credentials", "clientId": "robot", "privateKey": "planted-key"}`, "no private key in PEM form"},
		{`{"grant": "cross_app", "clientId": "robot", "clientSecret": "right", "identity": {"tokenEndpoint": "http://idp.test/token", "idToken": "planted-id"}}`, "no https address"},
		{fmt.Sprintf(`{"grant": "cross_app", "clientId": "robot", "identity": {"tokenEndpoint": %q, "idToken": "planted-id"}}`, server.Issuer()+"/vouch"), "does not vouch for you: invalid_grant"},
	} {
		r := newRig(t, &store{}, nil)
		def := withAuth(remote(server.URL), tt.auth)
		if _, failure := r.dial(def); failure == nil || failure.Cause != mcpconn.SignIn {
			t.Errorf("%s: %+v", tt.auth, failure)
		}
		if s := r.State(def); s.Phase != mcpauth.Failed || !strings.Contains(s.Message, tt.want) || strings.Contains(s.Message, "planted") {
			t.Errorf("%s: state %+v", tt.auth, s)
		}
	}
}

func TestAnAuthThatCannotBeUsedSaysWhatIsMissing(t *testing.T) {
	server := authtest.New(t, authtest.Options{})
	r := newRig(t, &store{}, nil)
	for auth, want := range map[string]string{
		`{"grant": "password"}`:                            "unknown grant",
		`{"grant": "client_credentials"}`:                  "needs a clientId",
		`{"grant": "client_credentials", "clientId": "a"}`: "needs a clientSecret or a privateKey",
		`{"grant": "cross_app", "clientId": "a"}`:          "needs an identity",
		`{"redirectPort": 70000}`:                          "is no port",
		`[]`:                                               "cannot be used",
	} {
		if err := r.signIn(withAuth(remote(server.URL), auth)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("SignIn with %s = %v, want %q", auth, err, want)
		}
	}
}
