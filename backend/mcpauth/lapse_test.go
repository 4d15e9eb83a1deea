package mcpauth_test

import (
	"errors"
	"slices"
	"testing"

	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpauth/authtest"
)

// A server that forgot who was registered, as one does that keeps it in memory, is
// registered with again: after a renewal that it refuses, and after a page that knows
// nobody, from which no browser comes back.
func TestARegistrationThatIsGoneIsReplaced(t *testing.T) {
	server := authtest.New(t, authtest.Options{})
	r := newRig(t, &store{}, nil)
	def := remote(server.URL)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	server.ForgetClients()
	server.Withdraw(false)
	if _, failure := r.dial(def); failure == nil || r.State(def).Phase != mcpauth.Failed {
		t.Fatalf("%+v, state %+v", failure, r.State(def))
	}
	if err := r.signIn(def); err != nil || server.Count("register") != 2 {
		t.Fatalf("after a refused renewal: %v, registered %d times", err, server.Count("register"))
	}
	r.connect(def)

	server.Withdraw(true)
	if _, failure := r.dial(def); failure == nil { // leaves the registration alone
		t.Fatal("connected")
	}
	server.ForgetClients()
	ends := make(chan error, 1)
	go func() { ends <- r.signIn(def) }()
	r.until(def, "waiting", func(s mcpauth.State) bool { return s.URL != "" })
	r.Cancel(def)
	if err := <-ends; !mcpauth.Cancelled(err) {
		t.Fatalf("SignIn = %v", err)
	}
	if err := r.signIn(def); err != nil || server.Count("register") != 3 {
		t.Fatalf("after a page that knows nobody: %v, registered %d times", err, server.Count("register"))
	}
	r.connect(def)
}

// What more a server asked for outlives the token, and a sign-in that waits for the person
// stays in sight when the token it replaces is renewed.
func TestMoreAccessOutlivesTheToken(t *testing.T) {
	server := authtest.New(t, authtest.Options{Scopes: []string{"notes:read"}, StepUp: "notes:write"})
	shown, browser := true, &authtest.Browser{}
	r := newRig(t, &store{}, func(o *mcpauth.Options) {
		o.Open = func(address string) error {
			if !shown {
				return errors.New("no display")
			}
			return browser.Open(address)
		}
	})
	defer browser.Pages()
	def := remote(server.URL)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	c := r.connect(def)
	r.call(c, "write")
	server.Withdraw(false)
	if got := r.call(c, "read"); !got.OK {
		t.Fatalf("%+v", got)
	}
	if s := r.State(def); server.Count("refresh") != 1 || !slices.Equal(s.Wants, []string{"notes:write"}) {
		t.Errorf("renewed %d times, state %+v", server.Count("refresh"), s)
	}
	shown = false
	ends := make(chan error, 1)
	go func() { ends <- r.signIn(def) }()
	r.until(def, "waiting", func(s mcpauth.State) bool { return s.Message != "" })
	for range 2 {
		server.Withdraw(false)
		if got := r.call(c, "read"); !got.OK {
			t.Errorf("%+v", got)
		}
		r.call(c, "write")
	}
	if s := r.State(def); s.Phase != mcpauth.Waiting || s.URL == "" {
		t.Errorf("state %+v", s)
	}
	r.Cancel(def)
	<-ends
	if s := r.State(def); s.Phase != mcpauth.SignedIn || !slices.Equal(s.Wants, []string{"notes:write"}) {
		t.Errorf("after it was called off: state %+v", s)
	}
	shown = true
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	if got := r.call(c, "write"); !got.OK {
		t.Errorf("with the scope: %+v", got)
	}
}
