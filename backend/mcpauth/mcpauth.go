// Package mcpauth signs this process in to remote MCP servers with OAuth 2.1 (MCP,
// basic/authorization): it finds out where, is or becomes a client there, has the person
// agree in a browser, keeps what that gave, renews it, and signs requests with it.
package mcpauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/watch"
)

// Phase says where the sign-in to a server is.
type Phase string

// The phases; a server without any has no State.
const (
	Queued   Phase = "queued"    // another sign-in is before it: there is one prompt at a time
	Waiting  Phase = "waiting"   // for the person, in the browser
	SignedIn Phase = "signed_in" // requests carry its token
	Failed   Phase = "failed"    // Message says why
)

// State is what is known of the sign-in to a server. It holds no token, code or secret.
type State struct {
	Phase   Phase
	URL     string    // waiting: what the browser was opened at, "" before it is known
	Since   time.Time // of this phase
	Until   time.Time // waiting: when it gives up
	Issuer  string    // signed in: who vouches
	Scopes  []string  // signed in: what was allowed, as far as known
	Expires time.Time // signed in: of the token in use, zero when unknown
	Renews  bool      // signed in: the token is renewed without the person
	Wants   []string  // signed in: scopes that the server asked for beside them
	Message string    // failed: why; waiting: why no browser opened
}

// Store keeps what signing in gave. Its methods may wait for the operating system's keyring.
type Store interface {
	Get(name string) (value string, err error) // "" when nothing is kept
	Set(name, value string) error
	Delete(name string) error
}

// Options say how a Manager signs in.
type Options struct {
	Store Store // nil keeps nothing beyond the process
	// Lock keeps other processes that share the Store from renewing the sign-in of that key
	// meanwhile: a refresh token is often good for one use. nil: there are none.
	Lock func(ctx context.Context, key string) (unlock func(), err error)
	// Open shows the person an address. An error leaves the sign-in waiting: they may open
	// the address themselves.
	Open func(address string) error
	// Redirect is a fixed redirect address that Follow knows the answer of; "" listens on
	// 127.0.0.1.
	Redirect string
	// Follow takes the place of a person: it returns the address that the authorization
	// server redirected to.
	Follow func(ctx context.Context, address string) (redirected string, err error)
	// ClientMetadataURL is where a client metadata document of this program is; "" when
	// nobody serves one.
	ClientMetadataURL string
	Limit             time.Duration     // for the person to answer; 0 is 5 min
	Transport         http.RoundTripper // nil: one of its own
	Logger            *slog.Logger      // nil discards
}

const (
	signInLimit  = 5 * time.Minute  // for the person to answer
	requestLimit = 20 * time.Second // for one request to an authorization server
	early        = 30 * time.Second // a token is renewed so long before it expires
)

// Manager owns the sign-ins of a process.
type Manager struct {
	opts   Options
	webs   [nowhere]*web // by reach
	find   lookup
	states *watch.Value[map[string]State]
	turn   chan struct{} // holds one value: whoever has it may ask the person
	life   context.Context
	end    context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	servers map[string]*server // by key
}

// New makes a Manager. It reads nothing before it is asked.
func New(o Options) *Manager {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Limit <= 0 {
		o.Limit = signInLimit
	}
	if o.Store == nil {
		o.Store = &memory{values: map[string]string{}}
	}
	if o.Lock == nil {
		o.Lock = func(context.Context, string) (func(), error) { return func() {}, nil }
	}
	if o.Open == nil {
		o.Open = func(string) error { return ErrNoBrowser }
	}
	m := &Manager{
		opts: o, states: watch.NewValue(map[string]State{}),
		turn: make(chan struct{}, 1), servers: map[string]*server{},
	}
	for r := range m.webs {
		m.webs[r] = newWeb(reach(r), o.Transport)
	}
	m.find = lookupName
	if o.Transport != nil { // it alone knows where names lead
		m.find = func(context.Context, string) ([]netip.Addr, error) { return nil, nil }
	}
	m.turn <- struct{}{}
	m.life, m.end = context.WithCancel(context.Background())
	return m
}

// States publishes the state of each server that has one, by Key. The map is never changed.
func (m *Manager) States() *watch.Value[map[string]State] { return m.states }

// Close ends what runs and waits for it. What was kept stays.
func (m *Manager) Close() {
	m.end()
	m.wg.Wait()
	for _, each := range m.webs {
		each.CloseIdleConnections()
	}
}

// Key names the sign-in of a definition whose values are expanded: its server's address
// and the client it signs in as. It is the name in the Store too.
func Key(def mcpconf.Definition) string {
	sum := sha256.New()
	sum.Write([]byte(canonical(def.URL)))
	if config, err := parseConfig(def); err == nil {
		sum.Write([]byte("\n" + config.ClientID))
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// canonical is the resource identifier of a server (MCP, basic/authorization, canonical
// server URI): without a fragment.
func canonical(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return raw
	}
	u.Fragment, u.RawFragment, u.User = "", "", nil
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)
	return u.String()
}

// server is one sign-in.
type server struct {
	key      string
	def      mcpconf.Definition
	renewing sync.Mutex // one refresh at a time; what the record holds is read from the store under it

	mu        sync.Mutex
	read      bool    // the store was
	record    *record // nil when there is no sign-in
	unkept    bool    // the record is newer than what is in the store, which could not be written
	challenge challenge
	wants     []string                // scopes that the server asks for beside those of the record
	anew      bool                    // the registration of the record led nowhere
	cancel    context.CancelCauseFunc // of the sign-in that runs
}

// at is the server of a definition.
func (m *Manager) at(def mcpconf.Definition) *server {
	key := Key(def)
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.servers[key]
	if s == nil {
		s = &server{key: key, def: def}
		m.servers[key] = s
	}
	return s
}

// publish makes state that of a server; a zero one is none.
func (m *Manager) publish(key string, state State) {
	if state.Since.IsZero() {
		state.Since = time.Now()
	}
	m.states.Update(func(old map[string]State) map[string]State {
		states := make(map[string]State, len(old)+1)
		for k, v := range old {
			states[k] = v
		}
		if states[key] = state; state.Phase == "" {
			delete(states, key)
		}
		return states
	})
}

// State is the state of one server.
func (m *Manager) State(def mcpconf.Definition) State {
	states, _ := m.states.Get()
	return states[Key(def)]
}

// memory is the Store of a process that keeps nothing.
type memory struct {
	mu     sync.Mutex
	values map[string]string
}

func (s *memory) Get(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.values[name], nil
}

func (s *memory) Set(name, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.values[name] = value
	return nil
}

func (s *memory) Delete(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.values, name)
	return nil
}
