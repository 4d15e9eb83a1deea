package mcpconn

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"patchbay/backend/mcpconf"
)

// Auth signs requests to servers that somebody signed in to.
type Auth interface {
	// Token is the bearer token for a server, "" without a sign-in. It may renew it first.
	Token(ctx context.Context, def mcpconf.Definition) (string, error)
	// Challenged hears that a server refused a request that was signed with sent (401, 403);
	// again reports whether there is another token now.
	Challenged(ctx context.Context, def mcpconf.Definition, sent string, resp *http.Response) (again bool, err error)
	// Registered reports whether the sign-in is that of a client that was registered
	// dynamically.
	Registered(def mcpconf.Definition) bool
}

// signError says that a request could not be signed: a sign-in could not be renewed.
type signError struct{ err error }

func (e *signError) Error() string { return e.err.Error() }
func (e *signError) Unwrap() error { return e.err }

// signer signs requests to a definition's own origin, and repeats one once when the token
// was renewed because the server refused it.
type signer struct {
	auth Auth
	def  mcpconf.Definition
	to   string // origin
	sent *sentTokens
	next http.RoundTripper
}

// signed is the transport of an attempt's requests. A definition that has a header of its
// own for that is left alone.
func (a *attempt) signed(u *url.URL) http.RoundTripper {
	if !a.signs() {
		return a.d.transport
	}
	return &signer{auth: a.d.opts.Auth, def: a.target.Definition, to: origin(u), sent: &a.tokens, next: a.d.transport}
}

// HasAuthorization reports whether a definition brings its own Authorization header: its
// requests are not signed.
func HasAuthorization(def mcpconf.Definition) bool {
	for name := range def.Headers {
		if http.CanonicalHeaderKey(strings.TrimSpace(name)) == "Authorization" {
			return true
		}
	}
	return false
}

// RoundTrip sends one request.
func (s *signer) RoundTrip(req *http.Request) (*http.Response, error) {
	if origin(req.URL) != s.to {
		return s.next.RoundTrip(req)
	}
	resp, sent, err := s.send(req)
	if err != nil || resp.StatusCode != http.StatusUnauthorized && resp.StatusCode != http.StatusForbidden {
		return resp, err
	}
	again, err := s.auth.Challenged(req.Context(), s.def, sent, resp)
	if err != nil {
		resp.Body.Close()
		return nil, &signError{err}
	}
	if !again || req.Body != nil && req.GetBody == nil {
		return resp, nil
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 4096) // so that the connection is used again
	resp.Body.Close()
	resp, _, err = s.send(req)
	return resp, err
}

// send sends a signed copy of req.
func (s *signer) send(req *http.Request) (resp *http.Response, sent string, err error) {
	sent, err = s.auth.Token(req.Context(), s.def)
	if err != nil {
		return nil, "", &signError{err}
	}
	signed := req.Clone(req.Context())
	if sent != "" {
		s.sent.add(sent)
		signed.Header.Set("Authorization", "Bearer "+sent)
	}
	if req.GetBody != nil {
		if signed.Body, err = req.GetBody(); err != nil {
			return nil, "", fmt.Errorf("read the request again: %w", err)
		}
	}
	resp, err = s.next.RoundTrip(signed)
	return resp, sent, err
}

// signs reports whether requests of the attempt may be signed.
func (a *attempt) signs() bool {
	def := a.target.Definition
	return a.d.opts.Auth != nil && def.Type != mcpconf.Stdio && !HasAuthorization(def)
}

// wantsScope reports whether a refusal asks for more access (RFC 6750, 3.1).
func (e *statusError) wantsScope() bool {
	return e.Status == http.StatusForbidden && strings.Contains(e.Challenge, "insufficient_scope")
}
