package mcpauth_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"patchbay/backend/mcpauth"
	"patchbay/backend/mcpauth/authtest"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/tool"
)

// patience is the ceiling of every wait.
const patience = 60 * time.Second

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// store is a Store of items no larger than every keyring takes.
type store struct {
	mu     sync.Mutex
	values map[string]string
	fails  error
}

func (s *store) Get(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[name], nil
}

func (s *store) Set(name, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(value) > 2560 {
		return fmt.Errorf("%d bytes are too much for an item", len(value))
	}
	if s.values == nil {
		s.values = map[string]string{}
	}
	if s.fails == nil {
		s.values[name] = value
	}
	return s.fails
}

func (s *store) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fails == nil {
		delete(s.values, name)
	}
	return s.fails
}

// refuse has what is kept from now on fail; what is kept already can be read.
func (s *store) refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = err
}

func (s *store) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.values)
}

// rig is a process that signs in.
type rig struct {
	*mcpauth.Manager
	t       *testing.T
	store   *store
	browser *authtest.Browser
	dialer  mcpconn.Dialer
}

func newRig(t *testing.T, kept *store, change func(*mcpauth.Options)) *rig {
	t.Helper()
	r := &rig{t: t, store: kept, browser: &authtest.Browser{}}
	o := mcpauth.Options{Store: kept, Open: r.browser.Open, Limit: patience}
	if change != nil {
		change(&o)
	}
	r.Manager = mcpauth.New(o)
	r.dialer = mcpconn.NewDialer(mcpconn.Options{Version: "test", Auth: r.Manager})
	t.Cleanup(func() {
		r.Close()
		r.browser.Pages()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return r
}

func remote(address string) mcpconf.Definition {
	return mcpconf.Definition{Name: "notes", Type: mcpconf.StreamableHTTP, URL: address}
}

func withAuth(def mcpconf.Definition, auth string) mcpconf.Definition {
	def.Auth = json.RawMessage(auth)
	return def
}

// dial connects; the failure is nil when that worked.
func (r *rig) dial(def mcpconf.Definition) (mcpconn.Conn, *mcpconn.Failure) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	c, err := r.dialer.Dial(ctx, mcpconn.Target{Definition: def, Timeout: patience, MaxTimeout: patience}, mcptest.Deaf{})
	var failure *mcpconn.Failure
	if errors.As(err, &failure) {
		return nil, failure
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close("the test is over") })
	return c, nil
}

func (r *rig) connect(def mcpconf.Definition) mcpconn.Conn {
	r.t.Helper()
	c, failure := r.dial(def)
	if failure != nil {
		r.t.Fatalf("not connected: %s: %s", failure.Cause, failure.Message)
	}
	return c
}

func (r *rig) signIn(def mcpconf.Definition) error {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return r.SignIn(ctx, def)
}

func (r *rig) call(c mcpconn.Conn, name string) tool.Result {
	r.t.Helper()
	return c.Call(context.Background(), name, json.RawMessage("{}"), mcpconn.CallLimits{Idle: patience, Most: patience}, func(tool.Progress) {})
}

// until waits for a state.
func (r *rig) until(def mcpconf.Definition, what string, ok func(mcpauth.State) bool) mcpauth.State {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for rev := uint64(0); ; {
		states, next, err := r.States().Wait(ctx, rev)
		if err != nil {
			r.t.Fatalf("never %s: %+v", what, r.State(def))
		}
		if rev = next; ok(states[mcpauth.Key(def)]) {
			return states[mcpauth.Key(def)]
		}
	}
}

func is(phase mcpauth.Phase) func(mcpauth.State) bool {
	return func(s mcpauth.State) bool { return s.Phase == phase }
}

// serve answers on loopback until the test ends.
func serve(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server.URL
}
