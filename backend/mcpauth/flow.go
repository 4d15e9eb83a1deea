package mcpauth

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"patchbay/backend/mcpconf"
)

// ErrNoBrowser is what Options.Open answers where no browser can be opened.
var ErrNoBrowser = errors.New("no browser can be opened from here: copy the link into one")

// The ways a sign-in ends without one.
var (
	errCancelled = errors.New("the sign-in was cancelled")
	errNoAnswer  = errors.New("nobody answered in the browser in time")
	errClosing   = errors.New("the program is closing")
)

// flow is one sign-in, from finding out where to the token.
type flow struct {
	m        *Manager
	def      mcpconf.Definition
	old      *record
	wants    []string // scopes that a refused request asked for
	anew     bool     // the registration there is leads nowhere
	reused   bool     // it was used
	pinned   bool     // the definition names the issuer
	prompted func(address string, err error)
}

// run asks the person and returns what that gave.
func (f *flow) run(ctx context.Context, c challenge) (*record, error) {
	config, err := parseConfig(f.def)
	if err != nil {
		return nil, err
	}
	if !c.known {
		c = f.m.ask(ctx, f.def)
	}
	if config.unattended() {
		return f.m.unattended(ctx, f.def, config, c, f.old)
	}
	f.pinned = config.Issuer != ""
	at, err := f.m.discover(ctx, f.def, config, c, f.old)
	if err != nil {
		return nil, err
	}
	back, redirect, err := f.listen(config, at)
	if err != nil {
		return nil, err
	}
	r, err := f.through(ctx, at, back, redirect, f.scopes(config, at, c))
	if back != nil {
		back.close(briefly(err))
	}
	return r, err
}

// listen binds the port that the browser comes back to: the one of the definition, that of
// the registration there is, or any.
func (f *flow) listen(c config, at place) (*loopback, string, error) {
	if f.m.opts.Redirect != "" {
		return nil, f.m.opts.Redirect, nil
	}
	port := c.RedirectPort
	if port == 0 && f.old != nil && f.old.Client.Registered && f.old.Issuer == at.server.Issuer {
		if u, err := url.Parse(f.old.Client.Redirect); err == nil {
			if l, err := listen(portOf(u)); err == nil {
				return l, l.redirect(), nil
			} // taken: any port will do, with a registration of its own
		}
	}
	l, err := listen(port)
	if err != nil {
		return nil, "", err
	}
	return l, l.redirect(), nil
}

func portOf(u *url.URL) int {
	var port int
	_, _ = fmt.Sscan(u.Port(), &port) // 0 is any port
	return port
}

// scopes are what is asked for, beside what was allowed before when the server wants more
// (MCP, basic/authorization, step-up).
func (f *flow) scopes(config config, at place, c challenge) []string {
	scopes := scopesOf(config, at, c)
	if f.old != nil && f.old.Issuer == at.server.Issuer && len(f.wants) > 0 {
		scopes = slices.Concat(f.old.Scopes, f.wants, scopes)
	}
	if slices.Contains(at.server.ScopesSupported, offlineAccess) {
		scopes = append(slices.Clone(scopes), offlineAccess)
	}
	var once []string
	for _, each := range scopes {
		if !slices.Contains(once, each) {
			once = append(once, each)
		}
	}
	return once
}

// offlineAccess is the scope that refresh tokens are given for (OpenID Connect Core, 11).
const offlineAccess = "offline_access"

// scopesOf are the scopes that the definition says, else those of the server's refusal, else
// those of its metadata (MCP, basic/authorization, scope selection strategy).
func scopesOf(config config, at place, c challenge) []string {
	switch {
	case len(config.Scopes) > 0:
		return config.Scopes
	case len(c.scopes) > 0:
		return c.scopes
	}
	return at.scopes
}

func joined(scopes []string) string { return strings.Join(scopes, " ") }

// through has the person agree and trades the code for a token.
func (f *flow) through(ctx context.Context, at place, back *loopback, redirect string, scopes []string) (*record, error) {
	if at.server.AuthorizationEndpoint == "" {
		return nil, fmt.Errorf("the authorization server %s names no authorization endpoint", host(at.server.Issuer))
	}
	old := f.old
	if f.anew {
		old = nil
	}
	client, err := f.m.clientAt(ctx, f.def, at, old, redirect)
	if err != nil {
		return nil, err
	}
	f.reused = old != nil && client.Registered && client == old.Client
	r := &record{
		Server: canonical(f.def.URL), Issuer: at.server.Issuer, Pinned: f.pinned, Resource: at.resource, AuthURL: at.server.AuthorizationEndpoint,
		TokenURL: at.server.TokenEndpoint, RevokeURL: at.server.RevocationEndpoint, Client: client, Scopes: scopes,
	}
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	query, err := f.prompt(ctx, back, state, r.address(state, verifier))
	if err != nil {
		return nil, err
	}
	if err := check(query, state, at); err != nil {
		return nil, err
	}
	err = f.m.trade(ctx, r, url.Values{
		"grant_type": {"authorization_code"}, "code": {query.Get("code")},
		"redirect_uri": {redirect}, "code_verifier": {verifier},
	})
	if err != nil {
		return nil, fmt.Errorf("%s gave no token: %w", host(r.Issuer), err)
	}
	return r, nil
}

// address is where the person agrees (RFC 6749, 4.1.1; RFC 7636, 4.3; RFC 8707, 2).
func (r *record) address(state, verifier string) string {
	config := oauth2.Config{
		ClientID: r.Client.ID, RedirectURL: r.Client.Redirect, Scopes: r.Scopes,
		Endpoint: oauth2.Endpoint{AuthURL: r.AuthURL},
	}
	return config.AuthCodeURL(state, oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", r.Resource))
}

// prompt shows the person the address and waits for what comes back.
func (f *flow) prompt(ctx context.Context, back *loopback, state, address string) (url.Values, error) {
	if back == nil {
		redirected, err := f.m.opts.Follow(ctx, address)
		if err != nil {
			return nil, err
		}
		u, err := url.Parse(redirected)
		if err != nil {
			return nil, err
		}
		return u.Query(), nil
	}
	back.expect(state)
	f.prompted(address, nil)
	if err := f.m.opts.Open(address); err != nil {
		f.prompted(address, err)
	}
	return back.answer(ctx)
}

// check refuses what came back unless it answers this sign-in and comes from the server
// that was asked (RFC 9207, 2.4).
func check(query url.Values, state string, at place) error {
	issuer := host(at.server.Issuer)
	if query.Get("state") != state {
		return fmt.Errorf("what came back does not belong to this sign-in")
	}
	iss := query.Get("iss")
	if iss != "" && iss != at.server.Issuer || iss == "" && at.server.AuthorizationResponseIssParameterSupported {
		return fmt.Errorf("what came back is not from %s, so it is not used", issuer)
	}
	switch code := query.Get("error"); {
	case code == "access_denied":
		return fmt.Errorf("access was refused at %s", issuer)
	case code != "":
		return fmt.Errorf("%s says: %s", issuer, said(code, query.Get("error_description")))
	case query.Get("code") == "":
		return fmt.Errorf("%s sent the browser back without a code", issuer)
	}
	return nil
}

// ask has the server refuse a request, to learn what it wants.
func (m *Manager) ask(ctx context.Context, def mcpconf.Definition) challenge {
	ctx, cancel := context.WithTimeout(ctx, requestLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, def.URL, nil)
	if err != nil {
		return challenge{}
	}
	req.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := m.webOf(ctx, canonical(def.URL), "").Do(req)
	if err != nil {
		return challenge{}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized {
		return challenge{}
	}
	return parseChallenge(resp.Header.Values("WWW-Authenticate"))
}

// sentence is a text as a sentence of its own.
func sentence(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	if first, _, _ := strings.Cut(text, " "); strings.Trim(first, "abcdefghijklmnopqrstuvwxyz") == "" {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}

// untilText is how long the person may take, for people.
func untilText(d time.Duration) string {
	if d < time.Minute {
		return d.String()
	}
	return fmt.Sprintf("%d min", int(d.Minutes()))
}
