package mcpauth

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"patchbay/backend/mcpconf"
)

// The grants of a definition's auth. All but the first need no person: the token is asked
// for when a server refuses a request.
const (
	grantCode        = "authorization_code" // also ""
	grantCredentials = "client_credentials" // of a program of its own (RFC 6749, 4.4)
	grantCrossApp    = "cross_app"          // with an identity that an employer's server vouches for (SEP-990)

	jwtBearer       = "urn:ietf:params:oauth:grant-type:jwt-bearer"            // RFC 7523, 2.1
	clientAssertion = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer" // RFC 7523, 2.2
	assertionLife   = 5 * time.Minute
)

// identity is who vouches for the person in a cross_app grant.
type identity struct {
	TokenEndpoint string `json:"tokenEndpoint"`
	ClientID      string `json:"clientId"`
	Token         string `json:"idToken"`
}

// Unattended reports whether the sign-in of a definition needs no person.
func Unattended(def mcpconf.Definition) bool {
	c, err := parseConfig(def)
	return err == nil && c.unattended()
}

func (c config) unattended() bool { return c.Grant == grantCredentials || c.Grant == grantCrossApp }

// check refuses a config whose grant cannot be asked for.
func (c config) check() error {
	switch {
	case !slices.Contains([]string{"", grantCode, grantCredentials, grantCrossApp}, c.Grant):
		return fmt.Errorf("unknown grant %q: use authorization_code, client_credentials or cross_app", c.Grant)
	case c.RedirectPort < 0 || c.RedirectPort > 65535:
		return fmt.Errorf("redirectPort %d is no port", c.RedirectPort)
	case c.Issuer != "" && safe(c.Issuer) != nil:
		return fmt.Errorf("issuer: %w", safe(c.Issuer))
	case c.unattended() && c.ClientID == "":
		return fmt.Errorf("grant %s needs a clientId", c.Grant)
	case c.Grant == grantCredentials && c.ClientSecret == "" && c.PrivateKey == "":
		return fmt.Errorf("grant %s needs a clientSecret or a privateKey", c.Grant)
	case c.Grant == grantCrossApp && (c.Identity.TokenEndpoint == "" || c.Identity.Token == ""):
		return fmt.Errorf("grant %s needs an identity with tokenEndpoint and idToken", c.Grant)
	}
	return nil
}

// unattended asks for a token without a person. old is the record that it takes the place of.
func (m *Manager) unattended(ctx context.Context, def mcpconf.Definition, config config, c challenge, old *record) (*record, error) {
	ctx, cancel := context.WithTimeout(ctx, 2*requestLimit)
	defer cancel()
	at, err := m.discover(ctx, def, config, c, old)
	if err != nil {
		return nil, err
	}
	methods := at.server.TokenEndpointAuthMethodsSupported
	r := &record{
		Server: canonical(def.URL), Issuer: at.server.Issuer, Resource: at.resource, TokenURL: at.server.TokenEndpoint,
		RevokeURL: at.server.RevocationEndpoint, unattended: true, Pinned: config.Issuer != "", Scopes: scopesOf(config, at, c),
		Client: client{ID: config.ClientID, Secret: config.ClientSecret, Basic: !slices.Contains(methods, "client_secret_post") || slices.Contains(methods, "client_secret_basic")},
	}
	form := url.Values{"grant_type": {grantCredentials}}
	if config.Grant == grantCrossApp {
		assertion, err := m.vouched(ctx, config, r)
		if err != nil {
			return nil, fmt.Errorf("%s does not vouch for you: %w", host(config.Identity.TokenEndpoint), err)
		}
		form = url.Values{"grant_type": {jwtBearer}, "assertion": {assertion}}
	}
	if len(r.Scopes) > 0 {
		form.Set("scope", joined(r.Scopes))
	}
	if config.PrivateKey != "" {
		assertion, err := signedAssertion(config, at.server)
		if err != nil {
			return nil, err
		}
		r.Client.Secret = ""
		form.Set("client_assertion_type", clientAssertion)
		form.Set("client_assertion", assertion)
	}
	if err := m.trade(ctx, r, form); err != nil {
		return nil, fmt.Errorf("%s gave no token: %w", host(r.Issuer), err)
	}
	r.Refresh = "" // of no use: a new token needs no person either (RFC 6749, 4.4.3)
	return r, nil
}

// signedAssertion proves that this program has the client's private key (RFC 7523, 3).
func signedAssertion(config config, server *oauthex.AuthServerMeta) (string, error) {
	pem := []byte(config.PrivateKey)
	now := time.Now()
	claims := jwt.RegisteredClaims{
		Issuer: config.ClientID, Subject: config.ClientID, Audience: jwt.ClaimStrings{server.Issuer}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), ExpiresAt: jwt.NewNumericDate(now.Add(assertionLife)),
	}
	var method jwt.SigningMethod
	var key any
	if ec, err := jwt.ParseECPrivateKeyFromPEM(pem); err == nil {
		bits := ec.Curve.Params().BitSize
		method, key = map[int]jwt.SigningMethod{256: jwt.SigningMethodES256, 384: jwt.SigningMethodES384, 521: jwt.SigningMethodES512}[bits], ec
	} else if edwards, err := jwt.ParseEdPrivateKeyFromPEM(pem); err == nil {
		method, key = jwt.SigningMethodEdDSA, edwards
	} else if rsa, err := jwt.ParseRSAPrivateKeyFromPEM(pem); err == nil {
		method, key = jwt.SigningMethodRS256, rsa
	}
	if method == nil {
		return "", errors.New("the privateKey of its definition's auth is no private key in PEM form") // an error of the parser could quote it
	}
	signed, err := jwt.NewWithClaims(method, claims).SignedString(key)
	if err != nil {
		return "", errors.New("the privateKey of its definition's auth signs nothing")
	}
	return signed, nil
}

// vouched trades the person's identity for an assertion that the authorization server takes
// (RFC 8693; SEP-990, 4).
func (m *Manager) vouched(ctx context.Context, config config, r *record) (string, error) {
	if err := safe(config.Identity.TokenEndpoint); err != nil {
		return "", err
	}
	form := url.Values{
		"grant_type": {oauthex.GrantTypeTokenExchange}, "requested_token_type": {oauthex.TokenTypeIDJAG},
		"subject_token": {config.Identity.Token}, "subject_token_type": {oauthex.TokenTypeIDToken},
		"audience": {r.Issuer}, "resource": {r.Resource},
	}
	if len(r.Scopes) > 0 {
		form.Set("scope", joined(r.Scopes))
	}
	body, err := m.post(ctx, &record{Server: config.Identity.TokenEndpoint, Client: client{ID: config.Identity.ClientID}}, config.Identity.TokenEndpoint, form)
	if err != nil {
		return "", err
	}
	var t token
	if json.Unmarshal(body, &t) != nil || t.Access == "" {
		return "", errors.New("its answer is no assertion")
	}
	return t.Access, nil
}
