package mcpauth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"patchbay/backend/mcpconf"
)

// ClientName is what an authorization server shows the person.
const ClientName = "Patchbay"

// clientAt says as whom to sign in: the client of the definition, the document of this
// program where the server reads such, the client that was registered before with the same
// redirect address, else a new registration (MCP, basic/authorization, client registration
// approaches).
func (m *Manager) clientAt(ctx context.Context, def mcpconf.Definition, at place, old *record, redirect string) (client, error) {
	config, err := parseConfig(def)
	if err != nil {
		return client{}, err
	}
	if config.ClientID != "" {
		basic := !slices.Contains(at.server.TokenEndpointAuthMethodsSupported, "client_secret_post")
		return client{ID: config.ClientID, Secret: config.ClientSecret, Basic: basic, Redirect: redirect}, nil
	}
	if m.opts.ClientMetadataURL != "" && at.server.ClientIDMetadataDocumentSupported {
		return client{ID: m.opts.ClientMetadataURL, Redirect: redirect}, nil
	}
	if old != nil && old.Issuer == at.server.Issuer && old.Client.valid(redirect) {
		return old.Client, nil
	}
	if at.server.RegistrationEndpoint == "" {
		return client{}, fmt.Errorf("%s registers no programs by itself. Register Patchbay there and write the client id into the definition: \"auth\": {\"clientId\": …}", host(at.server.Issuer))
	}
	return m.register(ctx, at, redirect)
}

// register makes this program known (RFC 7591). Nothing of the answer is in an error but
// the reason that the server gives: it may hold a secret.
func (m *Manager) register(ctx context.Context, at place, redirect string) (client, error) {
	body, err := json.Marshal(&oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, ClientName: ClientName, ApplicationType: "native",
		TokenEndpointAuthMethod: methodFor(at.server.TokenEndpointAuthMethodsSupported),
		GrantTypes:              []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"},
	})
	if err != nil {
		return client{}, fmt.Errorf("encode a registration: %w", err)
	}
	var got registration
	if err := at.web.postJSON(ctx, at.server.RegistrationEndpoint, body, &got); err != nil {
		hint := ". Register it there by hand and write \"auth\": {\"clientId\": …} into the definition"
		if refused := (*refusal)(nil); errors.As(err, &refused) && refused.Code != "" {
			hint = ""
		}
		return client{}, fmt.Errorf("%s did not register Patchbay: %w%s", host(at.server.Issuer), err, hint)
	}
	c := client{ID: got.ClientID, Secret: got.ClientSecret, Redirect: redirect, Registered: true}
	c.Basic = got.Method == "client_secret_basic" || got.Method == "" // the default of RFC 7591, 2
	if seconds, err := got.SecretExpires.Int64(); err == nil && seconds > 0 {
		c.Expires = time.Unix(seconds, 0)
	}
	return c, nil
}

// registration is what a registration endpoint gives (RFC 7591, 3.2.1).
type registration struct {
	ClientID      string      `json:"client_id"`
	ClientSecret  string      `json:"client_secret"`
	SecretExpires json.Number `json:"client_secret_expires_at"` // seconds since 1970, 0 is never
	Method        string      `json:"token_endpoint_auth_method"`
}

// postJSON asks for a registration.
func (w *web) postJSON(ctx context.Context, address string, body []byte, into *registration) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	resp, err := w.Do(req)
	if err != nil {
		return plain(err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	switch {
	case err != nil:
		return plain(err)
	case resp.StatusCode/100 != 2:
		return refusalOf(resp.StatusCode, answer)
	case json.Unmarshal(answer, into) != nil || into.ClientID == "":
		return errors.New("its answer is no registration")
	}
	return nil
}

// methodFor is how this program, which cannot keep a secret, would like to be known at the
// token endpoint: by none, unless the server lists its methods and none is not among them.
func methodFor(supported []string) string {
	if len(supported) == 0 || slices.Contains(supported, "none") {
		return "none"
	}
	for _, method := range []string{"client_secret_post", "client_secret_basic"} {
		if slices.Contains(supported, method) {
			return method
		}
	}
	return "none"
}

// said is an OAuth error as part of a sentence.
func said(code, description string) string {
	if code, description = brief(code, saidMost), brief(description, saidMost); description == "" {
		return code
	}
	return fmt.Sprintf("%s (%s)", description, code)
}
