package mcpauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"patchbay/backend/mcpconf"
)

// challenge is what a server said when it refused a request (RFC 6750, 3; RFC 9728, 5.1).
type challenge struct {
	metadata string   // address of its protected resource metadata
	scopes   []string // that it asks for
	reason   string   // error code, e.g. insufficient_scope
	known    bool
}

func parseChallenge(headers []string) challenge {
	c := challenge{known: true}
	parsed, err := oauthex.ParseWWWAuthenticate(headers)
	if err != nil {
		return c // a header that nobody understands asks for sign-in all the same
	}
	for _, each := range parsed {
		if c.metadata == "" {
			c.metadata = each.Params["resource_metadata"]
		}
		if each.Scheme != "bearer" {
			continue
		}
		if scope := each.Params["scope"]; scope != "" && c.scopes == nil {
			c.scopes = strings.Fields(scope)
		}
		if c.reason == "" {
			c.reason = each.Params["error"]
		}
	}
	return c
}

// place is where the sign-in to a server happens.
type place struct {
	resource string // named in requests for a token (RFC 8707), "" where the server knows none
	scopes   []string
	server   *oauthex.AuthServerMeta
	web      *web
}

// discover finds the authorization server of an MCP server: by the metadata that the
// challenge names, by metadata at the well-known addresses (RFC 9728), else at the server's
// own origin, as revision 2025-03-26 has it.
//
// A server that names several is signed in to where the definition says, else where it was
// before (old).
func (m *Manager) discover(ctx context.Context, def mcpconf.Definition, config config, c challenge, old *record) (place, error) {
	if err := safe(def.URL); err != nil {
		return place{}, err // the token would go there
	}
	web := m.webOf(ctx, canonical(def.URL), config.Issuer)
	resource, err := web.resource(ctx, def, c)
	if err != nil {
		return place{}, err
	}
	issuer := chosen(resource.AuthorizationServers, config, old)
	meta, err := web.metadata(ctx, issuer)
	if err != nil && resource.madeUp {
		meta, err = web.legacy(ctx, issuer, err)
	}
	if err != nil {
		return place{}, err
	}
	if bound := config.boundTo(old); bound != "" && !sameIssuer(bound, meta.Issuer) {
		return place{}, fmt.Errorf("%s now has another authorization server, %s, than the client of its definition belongs to, %s. If that is right, sign out or write \"issuer\": \"%s\" into the auth of its definition", host(def.URL), host(meta.Issuer), host(bound), meta.Issuer)
	}
	return place{resource: resource.Resource, scopes: resource.ScopesSupported, server: meta, web: web}, nil
}

// boundTo is the only issuer that may hear of the definition's client, "" while none has: the
// one that the definition names, or where the client was used first (MCP 2026-07-28,
// basic/authorization, authorization server binding).
func (c config) boundTo(old *record) string {
	if c.Issuer == "" && c.ClientID != "" && old != nil && old.Client.ID == c.ClientID && !old.Client.Registered {
		return old.Issuer
	}
	return c.Issuer
}

// chosen is the issuer to use of those that a server names.
func chosen(issuers []string, c config, old *record) string {
	want := c.boundTo(old)
	if want == "" && old != nil {
		want = old.Issuer
	}
	for _, each := range issuers {
		if sameIssuer(each, want) {
			return each
		}
	}
	return issuers[0]
}

func sameIssuer(a, b string) bool { return strings.TrimRight(a, "/") == strings.TrimRight(b, "/") }

// resource is the metadata of a protected resource.
type resource struct {
	*oauthex.ProtectedResourceMetadata
	madeUp bool // there is none: revision 2025-03-26 had no such metadata
}

// resource reads the metadata of the protected resource, or makes it up where there is none.
func (w *web) resource(ctx context.Context, def mcpconf.Definition, c challenge) (*resource, error) {
	u, err := url.Parse(canonical(def.URL))
	if err != nil {
		return nil, errors.New("its url is no address")
	}
	u.RawQuery, u.ForceQuery = "", false // its values may be keys
	var failure error
	for _, address := range resourceAddresses(u, c.metadata) {
		meta, err := w.resourceAt(ctx, address, u)
		var status *statusError
		switch {
		case errors.As(err, &status) && status.status/100 == 4 && address != c.metadata:
			continue // nothing is there
		case err != nil:
			failure = errors.Join(failure, err)
			continue
		case len(meta.AuthorizationServers) == 0:
			return nil, fmt.Errorf("%s names no authorization server in its metadata", u.Host)
		}
		return &resource{ProtectedResourceMetadata: meta}, nil
	}
	if failure != nil {
		return nil, failure
	}
	root := &url.URL{Scheme: u.Scheme, Host: u.Host}
	meta := &oauthex.ProtectedResourceMetadata{AuthorizationServers: []string{root.String()}, Resource: u.String()}
	return &resource{ProtectedResourceMetadata: meta, madeUp: true}, nil
}

// resourceAddresses are where the metadata of a protected resource may be, best first
// (MCP, basic/authorization, protected resource metadata discovery).
func resourceAddresses(u *url.URL, named string) []string {
	const wellKnown = "/.well-known/oauth-protected-resource"
	root := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: wellKnown}
	deep := *root
	if path := strings.TrimRight(u.Path, "/"); path != "" {
		deep.Path = wellKnown + path
	}
	all := []string{named, deep.String(), root.String()}
	return slices.Compact(slices.DeleteFunc(all, func(each string) bool { return each == "" }))
}

// resourceAt reads metadata that must be about the server, or about a part of its origin
// that the server is in (RFC 9728, 3.3: metadata of another resource must not be used).
func (w *web) resourceAt(ctx context.Context, address string, server *url.URL) (*oauthex.ProtectedResourceMetadata, error) {
	var meta oauthex.ProtectedResourceMetadata
	if err := w.getJSON(ctx, address, &meta); err != nil {
		return nil, err
	}
	about, err := url.Parse(meta.Resource)
	if err != nil || !contains(about, server) {
		return nil, fmt.Errorf("the metadata at %s is about another resource, %s, so it is not used", brief(address, saidMost), brief(meta.Resource, saidMost))
	}
	for _, each := range meta.AuthorizationServers {
		if err := w.safe(each); err != nil {
			return nil, err
		}
	}
	return &meta, nil
}

// contains reports whether resource names the server or a folder that it is in.
func contains(resource, server *url.URL) bool {
	if !strings.EqualFold(resource.Scheme, server.Scheme) || !strings.EqualFold(resource.Host, server.Host) {
		return false
	}
	within, path := strings.TrimRight(resource.Path, "/"), strings.TrimRight(server.Path, "/")
	return within == "" || path == within || strings.HasPrefix(path, within+"/")
}

// metadata reads what an authorization server says of itself (RFC 8414, OpenID Connect
// discovery). One that says nothing has the endpoints of revision 2025-03-26.
func (w *web) metadata(ctx context.Context, issuer string) (*oauthex.AuthServerMeta, error) {
	if err := w.safe(issuer); err != nil {
		return nil, err
	}
	meta, err := auth.GetAuthServerMetadata(ctx, issuer, w.Client)
	if err != nil {
		return nil, fmt.Errorf("the authorization server %s cannot be used: %w", host(issuer), err)
	}
	if meta != nil {
		return meta, errors.Join(w.checked(meta), knowsPKCE(meta))
	}
	base := strings.TrimRight(issuer, "/")
	meta = &oauthex.AuthServerMeta{
		Issuer: issuer, AuthorizationEndpoint: base + "/authorize",
		TokenEndpoint: base + "/token", RegistrationEndpoint: base + "/register",
	}
	return meta, w.checked(meta)
}

// legacy reads the metadata at a server's own origin as revision 2025-03-26 has it: its
// issuer may be another address there. Of another origin it is not used.
func (w *web) legacy(ctx context.Context, root string, why error) (*oauthex.AuthServerMeta, error) {
	var meta oauthex.AuthServerMeta
	if err := w.getJSON(ctx, root+"/.well-known/oauth-authorization-server", &meta); err != nil {
		return nil, why
	}
	own, err := url.Parse(root)
	if err != nil {
		return nil, why
	}
	for _, each := range []string{meta.Issuer, meta.TokenEndpoint} {
		u, err := url.Parse(each)
		if err != nil || u.Scheme != own.Scheme || u.Host != own.Host {
			return nil, why
		}
	}
	return &meta, errors.Join(w.checked(&meta), knowsPKCE(&meta))
}

// checked refuses what cannot be signed in to safely.
func (w *web) checked(meta *oauthex.AuthServerMeta) error {
	if meta.TokenEndpoint == "" {
		return fmt.Errorf("the authorization server %s names no token endpoint", host(meta.Issuer))
	}
	for _, each := range []string{meta.AuthorizationEndpoint, meta.TokenEndpoint, meta.RegistrationEndpoint, meta.RevocationEndpoint} {
		if each == "" {
			continue
		}
		if err := w.safe(each); err != nil {
			return err
		}
	}
	return nil
}

// knowsPKCE refuses metadata that does not promise S256 (MCP, basic/authorization,
// authorization code protection: a client must).
func knowsPKCE(meta *oauthex.AuthServerMeta) error {
	if !slices.Contains(meta.CodeChallengeMethodsSupported, "S256") {
		return fmt.Errorf("the authorization server %s does not know PKCE with S256, without which signing in is not safe", host(meta.Issuer))
	}
	return nil
}

// safe refuses an address that secrets could be read at on their way: everything but https,
// and http to this machine.
func safe(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return fmt.Errorf("%s is no address of an authorization server", brief(address, saidMost))
	}
	name := u.Hostname()
	ip := net.ParseIP(name)
	if u.Scheme == "https" || u.Scheme == "http" && (name == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return fmt.Errorf("%s is no https address, so it is not trusted with a sign-in", brief(address, saidMost))
}

// safe also refuses what is nearer than the server that led there.
func (w *web) safe(address string) error {
	if err := safe(address); err != nil {
		return err
	}
	return w.reach.allows(address)
}

// host is what people know a server by.
func host(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return u.Host
	}
	return address
}

// statusError is an HTTP answer that is not the one asked for.
type statusError struct {
	status  int
	address string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("%s answered HTTP %d", brief(e.address, saidMost), e.status)
}

// getJSON reads a JSON document of at most a megabyte.
func (w *web) getJSON(ctx context.Context, address string, into any) error {
	if err := w.safe(address); err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	resp, err := w.Do(req)
	if err != nil {
		return plain(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return &statusError{resp.StatusCode, address}
	}
	if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<20)).Decode(into); err != nil {
		return fmt.Errorf("%s holds no metadata: %w", brief(address, saidMost), err)
	}
	return nil
}

// plain is an error without the address that net/http puts before it, which may hold a
// code or a token.
func plain(err error) error {
	var at *url.Error
	if refused := near(err); refused != nil {
		return refused
	}
	if !errors.As(err, &at) {
		return err
	}
	if at.Timeout() {
		return fmt.Errorf("%s did not answer in time", host(at.URL))
	}
	return fmt.Errorf("%s cannot be reached: %w", host(at.URL), at.Err)
}
