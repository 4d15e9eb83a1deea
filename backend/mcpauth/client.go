package mcpauth

import (
	"context"
	"errors"
	"fmt"
	"slices"

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
	if old != nil && old.Issuer == at.server.Issuer && old.Client.Registered && old.Client.Redirect == redirect {
		return old.Client, nil
	}
	if at.server.RegistrationEndpoint == "" {
		return client{}, fmt.Errorf("%s registers no programs by itself. Register Patchbay there and write the client id into the definition: \"auth\": {\"clientId\": …}", host(at.server.Issuer))
	}
	return m.register(ctx, at, redirect)
}

// register makes this program known (RFC 7591).
func (m *Manager) register(ctx context.Context, at place, redirect string) (client, error) {
	grants := []string{"authorization_code", "refresh_token"}
	got, err := oauthex.RegisterClient(ctx, at.server.RegistrationEndpoint, &oauthex.ClientRegistrationMetadata{
		RedirectURIs: []string{redirect}, ClientName: ClientName, ApplicationType: "native",
		TokenEndpointAuthMethod: methodFor(at.server.TokenEndpointAuthMethodsSupported),
		GrantTypes:              grants, ResponseTypes: []string{"code"},
	}, at.web.Client)
	var refused *oauthex.ClientRegistrationError
	switch {
	case errors.As(err, &refused):
		return client{}, fmt.Errorf("%s did not register Patchbay: %s", host(at.server.Issuer), said(refused.ErrorCode, refused.ErrorDescription))
	case err != nil:
		return client{}, fmt.Errorf("%s did not register Patchbay: %w. Register it there by hand and write \"auth\": {\"clientId\": …} into the definition", host(at.server.Issuer), plain(err))
	}
	c := client{ID: got.ClientID, Secret: got.ClientSecret, Redirect: redirect, Registered: true}
	c.Basic = got.TokenEndpointAuthMethod == "client_secret_basic" || got.TokenEndpointAuthMethod == "" // the default of RFC 7591, 2
	return c, nil
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
	if description == "" {
		return code
	}
	return fmt.Sprintf("%s (%s)", description, code)
}
