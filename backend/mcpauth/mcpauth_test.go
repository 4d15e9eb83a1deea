package mcpauth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpauth/authtest"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// A server is signed in to wherever it and its authorization server say what is needed, and
// with any kind of client.
func TestSignInWorksWithEveryServer(t *testing.T) {
	tests := []struct {
		name      string
		server    authtest.Options
		auth      string
		document  string
		registers int
	}{
		{name: "a definition without auth", server: authtest.Options{Scopes: []string{"notes"}}, registers: 1},
		{name: "no challenge", server: authtest.Options{NoChallenge: true}, registers: 1},
		{name: "metadata at the root", server: authtest.Options{AtRoot: true}, registers: 1},
		{name: "OpenID Connect discovery", server: authtest.Options{OpenID: true}, registers: 1},
		{name: "revision 2025-03-26", server: authtest.Options{NoMetadata: true}, registers: 1},
		{name: "no refresh tokens", server: authtest.Options{NoRefresh: true}, registers: 1},
		{name: "a client of the definition", server: authtest.Options{NoRegistration: true, ClientID: "ours"}, auth: `{"clientId": "ours"}`},
		{name: "a client with a secret", server: authtest.Options{ClientID: "ours", ClientSecret: "s3cret"}, auth: `{"clientId": "ours", "clientSecret": "s3cret"}`},
		{name: "a client metadata document", server: authtest.Options{Documents: true}, document: "https://patchbay.test/client.json"},
		{name: "a document that is not read there", document: "https://patchbay.test/client.json", registers: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := authtest.New(t, tt.server)
			r := newRig(t, &store{}, func(o *mcpauth.Options) { o.ClientMetadataURL = tt.document })
			def := withAuth(remote(server.URL), tt.auth)
			if _, failure := r.dial(def); failure == nil || failure.Cause != mcpconn.SignIn || !strings.Contains(failure.Message, "Sign in") || server.Count("refused") > 2 {
				t.Fatalf("before: %+v after %d requests, want sign_in after at most 2", failure, server.Count("refused"))
			}
			if len(r.browser.Seen()) != 0 || server.Count("register") != 0 {
				t.Fatal("connecting opened a browser or registered")
			}
			if err := r.signIn(def); err != nil {
				t.Fatal(err)
			}
			c := r.connect(def)
			if got := r.call(c, "read"); !got.OK {
				t.Errorf("the call failed: %+v", got)
			}
			if got := slices.Contains(c.Info().Deprecated, mcpconn.LeansOnRegistration); got != (tt.registers > 0) {
				t.Errorf("it leans on %v", c.Info().Deprecated)
			}
			state := r.State(def)
			if state.Phase != mcpauth.SignedIn || state.Issuer != server.Issuer() || state.Expires.IsZero() || state.Renews == tt.server.NoRefresh || state.URL != "" {
				t.Errorf("state %+v", state)
			}
			if server.Count("authorize") != 1 || server.Count("register") != tt.registers {
				t.Errorf("asked %d times, registered %d times", server.Count("authorize"), server.Count("register"))
			}
			if pages := r.browser.Pages(); len(pages) != 1 || !strings.Contains(pages[0], "You are signed in") || !strings.Contains(pages[0], "close this page") {
				t.Errorf("the browser shows %q", pages)
			}
			if text := fmt.Sprintf("%+v", state); strings.Contains(text, "planted") || strings.Contains(text, "s3cret") {
				t.Errorf("the state holds a secret: %s", text)
			}
		})
	}
}

func TestRequestsOfTheOldTransportAreSignedToo(t *testing.T) {
	server := authtest.New(t, authtest.Options{AtRoot: true})
	r := newRig(t, &store{}, nil)
	def := remote(server.Issuer() + "/sse")
	def.Type = mcpconf.SSE
	if _, failure := r.dial(def); failure == nil || failure.Cause != mcpconn.SignIn {
		t.Fatalf("before: %+v", failure)
	}
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	if got := r.call(r.connect(def), "read"); !got.OK {
		t.Errorf("the call failed: %+v", got)
	}
}

func TestARestartKeepsTheSignInAndSignOutForgetsIt(t *testing.T) {
	server, kept := authtest.New(t, authtest.Options{}), &store{}
	def := remote(server.URL)
	first := newRig(t, kept, nil)
	if err := first.signIn(def); err != nil {
		t.Fatal(err)
	}
	again := newRig(t, kept, nil)
	again.connect(def)
	if len(again.browser.Seen()) != 0 || again.State(def).Phase != mcpauth.SignedIn {
		t.Errorf("after the restart: browser %v, state %+v", again.browser.Seen(), again.State(def))
	}
	if err := again.SignOut(t.Context(), def); err != nil {
		t.Fatal(err)
	}
	if server.Count("revoke") != 2 || len(server.Tokens()) != 0 || kept.count() != 0 || again.State(def).Phase != "" {
		t.Errorf("revoked %d, valid %v, kept %d, state %+v", server.Count("revoke"), server.Tokens(), kept.count(), again.State(def))
	}
	if _, failure := again.dial(def); failure == nil || failure.Cause != mcpconn.SignIn {
		t.Errorf("after signing out: %+v", failure)
	}
}

func TestATokenIsRenewedBeforeItEnds(t *testing.T) {
	server := authtest.New(t, authtest.Options{Life: 20 * time.Second}) // closer to its end than it is used for
	r := newRig(t, &store{}, nil)
	def := remote(server.URL)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	refused := server.Count("refused") // of the question how to sign in
	r.connect(def)
	if server.Count("refresh") == 0 || server.Count("refused") != refused {
		t.Errorf("renewed %d times, refused %d", server.Count("refresh"), server.Count("refused")-refused)
	}
}

func TestAWithdrawnTokenIsRenewedOnceByAllRequests(t *testing.T) {
	server := authtest.New(t, authtest.Options{})
	r := newRig(t, &store{}, nil)
	def := remote(server.URL)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	c := r.connect(def)
	server.Withdraw(false)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := r.call(c, "read"); !got.OK {
				t.Errorf("a call failed: %+v", got)
			}
		})
	}
	wg.Wait()
	if server.Count("refresh") != 1 {
		t.Errorf("renewed %d times", server.Count("refresh"))
	}
}

func TestTwoProcessesRenewOneSignIn(t *testing.T) {
	server, kept := authtest.New(t, authtest.Options{}), &store{}
	def := remote(server.URL)
	var file sync.Mutex // as a lock of the operating system's
	lock := func(o *mcpauth.Options) {
		o.Lock = func(context.Context, string) (func(), error) { file.Lock(); return file.Unlock, nil }
	}
	a, b := newRig(t, kept, lock), newRig(t, kept, lock)
	if err := a.signIn(def); err != nil {
		t.Fatal(err)
	}
	ca, cb := a.connect(def), b.connect(def)
	server.Withdraw(false)
	var wg sync.WaitGroup
	for _, each := range []struct {
		*rig
		mcpconn.Conn
	}{{a, ca}, {b, cb}} {
		wg.Go(func() {
			if got := each.call(each.Conn, "read"); !got.OK {
				t.Errorf("a call failed: %+v", got)
			}
		})
	}
	wg.Wait()
	if server.Count("refresh") != 1 {
		t.Errorf("renewed %d times; one must take what the other got", server.Count("refresh"))
	}
}

func TestWhatIsTakenBackNeedsANewSignIn(t *testing.T) {
	server := authtest.New(t, authtest.Options{})
	r := newRig(t, &store{}, nil)
	def := remote(server.URL)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	server.Withdraw(true)
	refused := server.Count("refused")
	if _, failure := r.dial(def); failure == nil || failure.Cause != mcpconn.SignIn || server.Count("refused")-refused > 2 {
		t.Errorf("%+v after %d requests", failure, server.Count("refused")-refused)
	}
	if s := r.State(def); s.Phase != mcpauth.Failed || !strings.Contains(s.Message, "Sign in again") {
		t.Errorf("state %+v", s)
	}
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	r.connect(def)
	if server.Count("register") > 2 {
		t.Errorf("registered %d times", server.Count("register"))
	}
}

func TestARenewalThatCannotBeMadeIsNoEndOfTheSignIn(t *testing.T) {
	server := authtest.New(t, authtest.Options{Life: 20 * time.Second})
	var down bool
	transport := http.DefaultTransport
	r := newRig(t, &store{}, func(o *mcpauth.Options) {
		o.Transport = roundTrip(func(req *http.Request) (*http.Response, error) {
			if down {
				return nil, errors.New("the network is down")
			}
			return transport.RoundTrip(req)
		})
	})
	def := remote(server.URL)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	down = true
	_, failure := r.dial(def)
	if failure == nil || failure.Cause == mcpconn.SignIn || !strings.Contains(failure.Message, "the network is down") {
		t.Errorf("failure %+v", failure)
	}
	for _, token := range server.Tokens() {
		if strings.Contains(failure.Message, token) {
			t.Error("the failure holds a token")
		}
	}
	down = false
	r.connect(def)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func TestMoreAccessIsAskedForAndGiven(t *testing.T) {
	server := authtest.New(t, authtest.Options{Scopes: []string{"notes:read"}, StepUp: "notes:write"})
	r := newRig(t, &store{}, nil)
	def := remote(server.URL)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	c := r.connect(def)
	got := r.call(c, "write")
	if text := fmt.Sprint(got); got.OK || !strings.Contains(text, "Sign in again") {
		t.Errorf("without the scope: %s", text)
	}
	if s := r.State(def); s.Phase != mcpauth.SignedIn || !slices.Equal(s.Wants, []string{"notes:write"}) {
		t.Errorf("state %+v", s)
	}
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	if got := r.call(c, "write"); !got.OK {
		t.Errorf("with the scope: %+v", got)
	}
	if s := r.State(def); len(s.Wants) != 0 || !slices.Contains(s.Scopes, "notes:write") || !slices.Contains(s.Scopes, "notes:read") {
		t.Errorf("state %+v", s)
	}
}

func TestASignInThatFailsSaysWhy(t *testing.T) {
	tests := []struct {
		name   string
		server authtest.Options
		auth   string
		want   []string
	}{
		{"the person refuses", authtest.Options{Deny: true}, "", []string{"Access was refused at 127.0.0.1"}},
		{"another server answers", authtest.Options{WrongIssuer: true}, "", []string{"not from 127.0.0.1"}},
		{"no registration", authtest.Options{NoRegistration: true}, "", []string{"registers no programs by itself", "clientId"}},
		{"a client that is not known", authtest.Options{ClientID: "ours", ClientSecret: "right"}, `{"clientId": "ours", "clientSecret": "wrong"}`, []string{"gave no token", "invalid_client"}},
		{"an auth that is none", authtest.Options{}, `{"scopes": "all"}`, []string{"auth of its definition"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			server := authtest.New(t, tt.server)
			r := newRig(t, &store{}, nil)
			def := withAuth(remote(server.URL), tt.auth)
			err := r.signIn(def)
			state := r.State(def)
			if err == nil || state.Phase != mcpauth.Failed {
				t.Fatalf("SignIn = %v, state %+v", err, state)
			}
			for _, part := range tt.want {
				if !strings.Contains(state.Message, part) {
					t.Errorf("it says %q, not %q", state.Message, part)
				}
			}
			for _, page := range r.browser.Pages() {
				if !strings.Contains(page, "You are not signed in") {
					t.Errorf("the browser shows %q", page)
				}
			}
			if strings.Contains(state.Message, "wrong") || r.store.count() != 0 {
				t.Errorf("it says %q and keeps %d items", state.Message, r.store.count())
			}
		})
	}
}

// One prompt at a time: the second waits, and either can be called off.
func TestSignInsWaitForEachOther(t *testing.T) {
	first, second := authtest.New(t, authtest.Options{}), authtest.New(t, authtest.Options{})
	r := newRig(t, &store{}, func(o *mcpauth.Options) { o.Open = func(string) error { return nil } })
	a, b := remote(first.URL), remote(second.URL)
	ends := make(chan error, 2)
	go func() { ends <- r.signIn(a) }()
	shown := r.until(a, "waiting", func(s mcpauth.State) bool { return s.Phase == mcpauth.Waiting && s.URL != "" })
	go func() { ends <- r.signIn(b) }()
	r.until(b, "queued", is(mcpauth.Queued))
	if err := r.signIn(a); err != nil {
		t.Errorf("a second click: %v", err)
	}
	if shown.Until.Before(time.Now()) {
		t.Errorf("it gives up at %v", shown.Until)
	}
	r.Cancel(a)
	if err := <-ends; !mcpauth.Cancelled(err) {
		t.Errorf("cancelled: %v", err)
	}
	r.until(a, "over", is(""))
	next := r.until(b, "waiting", func(s mcpauth.State) bool { return s.Phase == mcpauth.Waiting && s.URL != "" })
	resp, err := http.Get(next.URL) // as the person does with the copied link
	if err != nil {
		t.Fatal(err)
	}
	page, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err := <-ends; err != nil || !strings.Contains(string(page), "You are signed in") {
		t.Errorf("the second: %v, %s", err, page)
	}
}

func TestTheListenerTakesOnlyItsOwnAnswer(t *testing.T) {
	server := authtest.New(t, authtest.Options{})
	r := newRig(t, &store{}, func(o *mcpauth.Options) { o.Open = func(string) error { return errors.New("no display") } })
	def := remote(server.URL)
	ends := make(chan error, 1)
	go func() { ends <- r.signIn(def) }()
	state := r.until(def, "waiting with why", func(s mcpauth.State) bool { return s.Message != "" })
	if !strings.Contains(state.Message, "No display") {
		t.Errorf("it says %q", state.Message)
	}
	u, _ := url.Parse(state.URL)
	back := u.Query().Get("redirect_uri")
	for _, foreign := range []string{back, back + "?state=other&code=c", back + "?error=access_denied", strings.Replace(back, "127.0.0.1", "localhost", 1) + "?state=" + u.Query().Get("state") + "&code=c"} {
		resp, err := http.Get(foreign)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode/100 != 4 {
			t.Errorf("%s is answered %d", foreign, resp.StatusCode)
		}
	}
	if r.State(def).Phase != mcpauth.Waiting {
		t.Fatalf("state %+v", r.State(def))
	}
	r.Cancel(def)
	<-ends
	if _, err := http.Get(back); err == nil {
		t.Error("the listener outlives its sign-in")
	}
}

func TestNobodyAnswers(t *testing.T) {
	server := authtest.New(t, authtest.Options{})
	r := newRig(t, &store{}, func(o *mcpauth.Options) {
		o.Limit, o.Open = 50*time.Millisecond, func(string) error { return nil }
	})
	def := remote(server.URL)
	if err := r.signIn(def); err == nil || !strings.Contains(r.State(def).Message, "Nobody answered in the browser in time") {
		t.Errorf("SignIn = %v, state %+v", err, r.State(def))
	}
}

func TestAHeaderOfTheDefinitionIsLeftAlone(t *testing.T) {
	server := authtest.New(t, authtest.Options{})
	r := newRig(t, &store{}, nil)
	def := remote(server.URL)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	def.Headers = map[string]string{"authorization": "Bearer of-the-definition"}
	if _, failure := r.dial(def); failure == nil || failure.Cause != mcpconn.SignIn || !strings.Contains(failure.Message, "Correct that header") {
		t.Errorf("failure %+v", failure)
	}
	if server.Count("refresh") != 0 {
		t.Error("the sign-in was used")
	}
}

func TestAResourceOfAnotherServerIsNotUsed(t *testing.T) {
	evil := http.NewServeMux()
	r := newRig(t, &store{}, nil)
	at := serve(t, evil)
	evil.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"resource": "https://bank.test/mcp", "authorization_servers": [%q]}`, at)
	})
	def := remote(at + "/mcp")
	if err := r.signIn(def); err == nil || !strings.Contains(err.Error(), "another resource") {
		t.Errorf("SignIn = %v", err)
	}
	for _, issuer := range []string{"http://login.test", "javascript:alert(1)", "https://"} {
		plain := http.NewServeMux()
		at := serve(t, plain)
		plain.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"resource": %q, "authorization_servers": [%q]}`, at+"/mcp", issuer)
		})
		if err := r.signIn(remote(at + "/mcp")); err == nil || len(r.browser.Seen()) != 0 {
			t.Errorf("SignIn at %s = %v, browser %v", issuer, err, r.browser.Seen())
		}
	}
}
