package mcpauth_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpauth/authtest"
	"patchbay/backend/mcpconn"
)

// processes are two that keep sign-ins in one place.
func processes(t *testing.T, kept *store) (a, b *rig) {
	var file sync.Mutex // as a lock of the operating system's
	lock := func(o *mcpauth.Options) {
		o.Lock = func(context.Context, string) (func(), error) { file.Lock(); return file.Unlock, nil }
	}
	return newRig(t, kept, lock), newRig(t, kept, lock)
}

func TestASignInOfAnotherProcessIsSeen(t *testing.T) {
	server, kept := authtest.New(t, authtest.Options{}), &store{}
	def := remote(server.URL)
	a, b := processes(t, kept)
	if _, failure := a.dial(def); failure == nil || failure.Cause != mcpconn.SignIn {
		t.Fatalf("before: %+v", failure)
	}
	if err := b.signIn(def); err != nil {
		t.Fatal(err)
	}
	a.connect(def)
	if a.State(def).Phase != mcpauth.SignedIn || len(a.browser.Seen()) != 0 {
		t.Errorf("state %+v", a.State(def))
	}
}

// A process whose token is over and cannot be renewed leaves alone what another one has
// signed in to since.
func TestAnOldTokenDoesNotReplaceTheSignInOfAnotherProcess(t *testing.T) {
	server, kept := authtest.New(t, authtest.Options{NoRefresh: true}), &store{}
	def := remote(server.URL)
	a, b := processes(t, kept)
	if err := a.signIn(def); err != nil {
		t.Fatal(err)
	}
	server.Withdraw(true)
	if err := b.signIn(def); err != nil {
		t.Fatal(err)
	}
	a.connect(def)
	newRig(t, kept, nil).connect(def)
}

// Signing out in one process is not undone by another one that renews what it still has,
// and takes back what another one has renewed.
func TestSignOutHoldsForEveryProcess(t *testing.T) {
	for _, revokes := range []bool{true, false} {
		server, kept := authtest.New(t, authtest.Options{NoRevocation: !revokes}), &store{}
		def := remote(server.URL)
		a, b := processes(t, kept)
		if err := a.signIn(def); err != nil {
			t.Fatal(err)
		}
		c := b.connect(def)
		server.Withdraw(false)
		if got := b.call(c, "read"); !got.OK || server.Count("refresh") != 1 {
			t.Fatalf("%+v, renewed %d times", got, server.Count("refresh"))
		}
		if err := a.SignOut(t.Context(), def); err != nil {
			t.Fatal(err)
		}
		if left := server.Tokens(); revokes && len(left) != 0 {
			t.Errorf("still valid: %v", left)
		}
		server.Withdraw(false)
		if got := b.call(c, "read"); got.OK {
			t.Error("the other process is still signed in")
		}
		if kept.count() != 0 || server.Count("refresh") != 1 || b.State(def).Phase == mcpauth.SignedIn {
			t.Errorf("%d items kept, renewed %d times, state %+v", kept.count(), server.Count("refresh"), b.State(def))
		}
	}
}

// A sign-in that is called off while its outcome is about to be kept is none.
func TestASignInThatIsCalledOffLateIsNotKept(t *testing.T) {
	server, kept := authtest.New(t, authtest.Options{}), &store{}
	def := remote(server.URL)
	var r *rig
	locks := 0
	r = newRig(t, kept, func(o *mcpauth.Options) {
		o.Lock = func(context.Context, string) (func(), error) {
			if locks++; locks == 2 { // the first is for reading
				r.Cancel(def)
			}
			return func() {}, nil
		}
	})
	if err := r.signIn(def); !mcpauth.Cancelled(err) || kept.count() != 0 || r.State(def).Phase != "" {
		t.Errorf("SignIn = %v, %d items kept, state %+v", err, kept.count(), r.State(def))
	}
	if locks < 2 {
		t.Fatal("nothing was about to be kept")
	}
	if left := server.Tokens(); len(left) != 0 {
		t.Errorf("still valid: %v", left)
	}
}

// A renewed token that cannot be kept is used all the same, and what was kept before, which
// works no more, does not take its place.
func TestARenewedTokenThatCannotBeKeptIsUsed(t *testing.T) {
	server, kept := authtest.New(t, authtest.Options{}), &store{}
	def := remote(server.URL)
	r := newRig(t, kept, nil)
	if err := r.signIn(def); err != nil {
		t.Fatal(err)
	}
	c := r.connect(def)
	for range 2 {
		kept.refuse(errors.New("the keyring is locked"))
		server.Withdraw(false)
		if got := r.call(c, "read"); !got.OK {
			t.Errorf("while nothing can be kept: %+v", got)
		}
	}
	kept.refuse(nil)
	server.Withdraw(false)
	if got := r.call(c, "read"); !got.OK || server.Count("refresh") != 3 {
		t.Errorf("when it can be again: %+v, renewed %d times", got, server.Count("refresh"))
	}
	newRig(t, kept, nil).connect(def)
}
