package mcpauth

import (
	"context"
	"fmt"
	"net/http"
)

// web makes requests to authorization servers, no nearer than its reach. A redirect is
// followed only where it stays with the server that was asked.
type web struct {
	*http.Client
	reach reach
}

func newWeb(r reach, transport http.RoundTripper) *web {
	return &web{reach: r, Client: &http.Client{
		Transport: newWithin(r, transport),
		Timeout:   requestLimit,
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if len(via) > 5 || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
				return fmt.Errorf("%s redirects to %s", via[0].URL.Host, req.URL.Host)
			}
			return nil
		},
	}}
}

// webOf makes the requests that a server leads to, or that an issuer does which the person
// named ("" for none).
func (m *Manager) webOf(ctx context.Context, server, issuer string) *web {
	r := m.find.reachOfServer(ctx, server)
	if issuer != "" {
		r = max(r, m.find.reachOfServer(ctx, issuer))
	}
	return m.webs[r]
}

// namedIssuer is the issuer that the definition names, "" for one that was found.
func (r *record) namedIssuer() string {
	if r.Pinned {
		return r.Issuer
	}
	return ""
}
