// Package authtest is a strict authorization server, an MCP server that it protects, and a
// person's browser, all on loopback.
package authtest

import (
	"bytes"
	"context"
	"crypto"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Options say how strict the servers are and what they offer.
type Options struct {
	NoRegistration bool             // no dynamic registration
	ClientID       string           // of a client that is known from the start
	ClientSecret   string           // of it
	Documents      bool             // client metadata documents are read
	NoRefresh      bool             // no refresh tokens
	NoRevocation   bool             //
	Life           time.Duration    // of an access token; 0 is an hour
	Scopes         []string         // that the metadata names
	StepUp         string           // scope that calling the tool "write" needs
	Deny           bool             // the person refuses
	NoChallenge    bool             // a refusal has no WWW-Authenticate
	NoMetadata     bool             // neither the resource nor the issuer says anything (2025-03-26)
	AtRoot         bool             // the resource's metadata is at the root, and not named
	WrongIssuer    bool             // the answer says that it comes from another server
	Key            crypto.PublicKey // of ClientID: it proves who it is with assertions
	Identity       string           // the id token that is vouched for at /vouch
	OpenID         bool             // the issuer's metadata is where OpenID Connect has it
}

// Server is an authorization server and what it protects at /mcp.
type Server struct {
	URL string // of the MCP server
	o   Options
	at  *httptest.Server

	mu       sync.Mutex
	clients  map[string]registered
	codes    map[string]grant
	tokens   map[string]grant // access
	refresh  map[string]grant
	counts   map[string]int
	problems []string
	deny     bool
	number   int
}

type registered struct {
	redirects []string
	secret    string
}

type grant struct {
	client, redirect, challenge, resource string
	scopes                                []string
	expires                               time.Time
}

// New starts both servers until the test ends. A request that breaks a rule fails the test.
func New(t testing.TB, o Options) *Server {
	if o.Life == 0 {
		o.Life = time.Hour
	}
	s := &Server{o: o, deny: o.Deny, clients: map[string]registered{}, codes: map[string]grant{}, tokens: map[string]grant{}, refresh: map[string]grant{}, counts: map[string]int{}}
	if o.ClientID != "" {
		s.clients[o.ClientID] = registered{secret: o.ClientSecret}
	}
	mux := http.NewServeMux()
	if !o.NoMetadata {
		s.metadata(mux)
	}
	mux.HandleFunc("GET /authorize", s.authorize)
	mux.HandleFunc("POST /token", s.token)
	mux.HandleFunc("POST /vouch", s.vouch)
	if !o.NoRegistration {
		mux.HandleFunc("POST /register", s.register)
	}
	if !o.NoRevocation {
		mux.HandleFunc("POST /revoke", s.revoke)
	}
	notes := protected()
	mux.Handle("/mcp", s.protect(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return notes }, nil)))
	mux.Handle("/sse", s.protect(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return notes }, nil)))
	s.at = httptest.NewServer(mux)
	s.URL = s.at.URL + "/mcp"
	t.Cleanup(func() {
		s.at.CloseClientConnections()
		s.at.Close()
		for session := range notes.Sessions() {
			_ = session.Close() // one whose client could not say goodbye without a token
		}
		for _, problem := range s.Problems() {
			t.Errorf("the authorization server complains: %s", problem)
		}
	})
	return s
}

// Problems are the rules that were broken.
func (s *Server) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Issuer names the authorization server.
func (s *Server) Issuer() string { return s.at.URL }

// Count is how often something was asked for: authorize, register, code, refresh, revoke,
// refused.
func (s *Server) Count(what string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts[what]
}

// Tokens are every access and refresh token that is valid.
func (s *Server) Tokens() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(slices.Values(slices.Concat(slices.Collect(maps.Keys(s.tokens)), slices.Collect(maps.Keys(s.refresh)))))
}

// Withdraw makes every token invalid, refresh tokens too when all is true.
func (s *Server) Withdraw(all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.tokens)
	if all {
		clear(s.refresh)
	}
}

// ForgetClients forgets who was registered, as a server does that keeps it in memory.
func (s *Server) ForgetClients() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.clients)
}

// SetDeny changes the person's mind.
func (s *Server) SetDeny(deny bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.deny = deny
}

func (s *Server) metadata(mux *http.ServeMux) {
	resource := func(w http.ResponseWriter, r *http.Request) {
		about := s.URL
		if s.o.AtRoot {
			about = s.at.URL
		}
		writeJSON(w, http.StatusOK, map[string]any{"resource": about, "authorization_servers": []string{s.at.URL}, "scopes_supported": s.o.Scopes})
	}
	issuer := func(w http.ResponseWriter, r *http.Request) {
		meta := map[string]any{
			"issuer": s.at.URL, "authorization_endpoint": s.at.URL + "/authorize", "token_endpoint": s.at.URL + "/token",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
			"scopes_supported":                               append(slices.Clone(s.o.Scopes), "offline_access"),
			"client_id_metadata_document_supported":          s.o.Documents,
			"authorization_response_iss_parameter_supported": true,
		}
		if !s.o.NoRegistration {
			meta["registration_endpoint"] = s.at.URL + "/register"
		}
		if !s.o.NoRevocation {
			meta["revocation_endpoint"] = s.at.URL + "/revoke"
		}
		writeJSON(w, http.StatusOK, meta)
	}
	if s.o.AtRoot {
		mux.HandleFunc("GET /.well-known/oauth-protected-resource", resource)
	} else {
		mux.HandleFunc("GET /.well-known/oauth-protected-resource/mcp", resource)
	}
	if s.o.OpenID {
		mux.HandleFunc("GET /.well-known/openid-configuration", issuer)
	} else {
		mux.HandleFunc("GET /.well-known/oauth-authorization-server", issuer)
	}
}

func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		RedirectURIs []string `json:"redirect_uris"`
		Method       string   `json:"token_endpoint_auth_method"`
		Grants       []string `json:"grant_types"`
		Name         string   `json:"client_name"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.RedirectURIs) == 0 || asked.Name == "" || !slices.Contains(asked.Grants, "refresh_token") {
		s.broken(w, "registration: %v %+v", err, asked)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["register"]++
	id := s.nextLocked("client")
	s.clients[id] = registered{redirects: asked.RedirectURIs}
	writeJSON(w, http.StatusCreated, map[string]any{"client_id": id, "redirect_uris": asked.RedirectURIs, "token_endpoint_auth_method": "none", "grant_types": asked.Grants, "client_id_issued_at": time.Now().Unix()})
}

func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	redirect, err := url.Parse(q.Get("redirect_uri"))
	s.mu.Lock()
	known, ok := s.clients[q.Get("client_id")]
	ok = ok || s.document(q.Get("client_id"))
	s.mu.Unlock()
	if !ok && strings.HasPrefix(q.Get("client_id"), "client-") {
		http.Error(w, "unknown client", http.StatusBadRequest) // and no way back (RFC 6749, 4.1.2.1)
		return
	}
	bad := err != nil || redirect.Hostname() != "127.0.0.1" || !ok || len(known.redirects) > 0 && !slices.Contains(known.redirects, q.Get("redirect_uri"))
	if bad || q.Get("response_type") != "code" || q.Get("code_challenge_method") != "S256" || q.Get("code_challenge") == "" || q.Get("state") == "" || q.Get("resource") != s.resource() {
		s.broken(w, "authorize: %s", r.URL.RawQuery)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["authorize"]++
	back := url.Values{"state": {q.Get("state")}, "iss": {s.at.URL}}
	if s.o.NoMetadata {
		back.Del("iss")
	}
	if s.o.WrongIssuer {
		back.Set("iss", "https://evil.test")
	}
	if s.deny {
		back.Set("error", "access_denied")
	} else {
		code := s.nextLocked("code")
		s.codes[code] = grant{client: q.Get("client_id"), redirect: q.Get("redirect_uri"), challenge: q.Get("code_challenge"), resource: q.Get("resource"), scopes: strings.Fields(q.Get("scope"))}
		back.Set("code", code)
	}
	redirect.RawQuery = back.Encode()
	http.Redirect(w, r, redirect.String(), http.StatusFound)
}

// document reports whether a client is one that a document describes.
func (s *Server) document(id string) bool {
	return s.o.Documents && strings.HasPrefix(id, "https://")
}

// resource is what tokens are for.
func (s *Server) resource() string {
	if s.o.AtRoot {
		return s.at.URL
	}
	return s.URL
}

func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil || r.URL.RawQuery != "" {
		s.broken(w, "token: %v %s", err, r.URL.RawQuery)
		return
	}
	id, secret := r.Form.Get("client_id"), r.Form.Get("client_secret")
	if user, password, ok := r.BasicAuth(); ok {
		id, secret = user, password
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unattendedLocked(w, r, id, secret) {
		return
	}
	if known, ok := s.clients[id]; known.secret != secret || !ok && !s.document(id) {
		refuse(w, http.StatusUnauthorized, "invalid_client")
		return
	}
	kind := map[string]string{"authorization_code": "code", "refresh_token": "refresh"}[r.Form.Get("grant_type")]
	from, key := s.codes, r.Form.Get("code")
	if kind == "refresh" {
		from, key = s.refresh, r.Form.Get("refresh_token")
	}
	g, ok := from[key]
	delete(from, key) // a code is used once, a refresh token is rotated
	sum := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
	switch {
	case !ok || kind == "" || g.client != id || r.Form.Get("resource") != g.resource,
		kind == "code" && (g.redirect != r.Form.Get("redirect_uri") || g.challenge != base64.RawURLEncoding.EncodeToString(sum[:])):
		refuse(w, http.StatusBadRequest, "invalid_grant")
		return
	}
	s.counts[kind]++
	g.expires = time.Now().Add(s.o.Life)
	access := s.nextLocked("planted-access")
	s.tokens[access] = g
	answer := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": int(s.o.Life.Seconds()), "scope": strings.Join(g.scopes, " ")}
	if !s.o.NoRefresh {
		next := s.nextLocked("planted-refresh")
		s.refresh[next] = g
		answer["refresh_token"] = next
	}
	writeJSON(w, http.StatusOK, answer)
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counts["revoke"]++
	delete(s.tokens, r.FormValue("token"))
	delete(s.refresh, r.FormValue("token"))
	w.WriteHeader(http.StatusOK)
}

// protect lets requests with a valid token through.
func (s *Server) protect(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		s.mu.Lock()
		g, ok := s.tokens[token]
		ok = ok && time.Now().Before(g.expires)
		if !ok {
			s.counts["refused"]++
		}
		s.mu.Unlock()
		body := peek(r)
		switch {
		case !ok:
			if !s.o.NoChallenge && !s.o.NoMetadata && !s.o.AtRoot {
				w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, s.at.URL))
			}
			http.Error(w, "who are you?", http.StatusUnauthorized)
		case s.o.StepUp != "" && strings.Contains(body, `"name":"write"`) && !slices.Contains(g.scopes, s.o.StepUp):
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer error="insufficient_scope", scope="%s"`, s.o.StepUp))
			http.Error(w, "not allowed", http.StatusForbidden)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// protected is an MCP server with the tools read and write.
func protected() *mcp.Server {
	server := mcp.NewServer(&mcp.Implementation{Name: "notes", Version: "1"}, nil)
	for _, name := range []string{"read", "write"} {
		mcp.AddTool(server, &mcp.Tool{Name: name, Description: "Does " + name}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "did " + name}}}, nil, nil
		})
	}
	return server
}

// broken notes a request that no client may make.
func (s *Server) broken(w http.ResponseWriter, format string, args ...any) {
	s.mu.Lock()
	s.problems = append(s.problems, fmt.Sprintf(format, args...))
	s.mu.Unlock()
	refuse(w, http.StatusBadRequest, "invalid_request")
}

func (s *Server) nextLocked(kind string) string {
	s.number++
	return fmt.Sprintf("%s-%d-%s", kind, s.number, strings.Repeat("x", 40))
}

func refuse(w http.ResponseWriter, status int, code string) {
	writeJSON(w, status, map[string]any{"error": code})
}

func writeJSON(w http.ResponseWriter, status int, value any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(value) // the client is gone
}

// peek reads the body and puts it back.
func peek(r *http.Request) string {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20))
	r.Body = io.NopCloser(bytes.NewReader(body))
	return string(body)
}

// Browser is a person's browser: it opens an address, follows where it leads, and keeps the
// last page.
type Browser struct {
	wg sync.WaitGroup

	mu    sync.Mutex
	pages []string
	seen  []string
}

// Open opens an address and does not wait for it.
func (b *Browser) Open(address string) error {
	b.mu.Lock()
	b.seen = append(b.seen, address)
	b.mu.Unlock()
	b.wg.Go(func() {
		resp, err := (&http.Client{Timeout: 30 * time.Second}).Get(address)
		if err != nil {
			return // the program stopped listening
		}
		defer resp.Body.Close()
		page, _ := io.ReadAll(resp.Body)
		b.mu.Lock()
		defer b.mu.Unlock()
		b.pages = append(b.pages, string(page))
	})
	return nil
}

// Pages are what the browser has shown, once it is done.
func (b *Browser) Pages() []string {
	b.wg.Wait()
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.pages)
}

// Seen are the addresses that were opened.
func (b *Browser) Seen() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.seen)
}
