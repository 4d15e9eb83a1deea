package mcpauth

import (
	"encoding/json"
	"fmt"

	"patchbay/backend/mcpconf"
)

// config is the "auth" field of a definition; every part of it is optional.
type config struct {
	ClientID     string   `json:"clientId"`     // of a client registered there by hand
	ClientSecret string   `json:"clientSecret"` // of it; may refer to the keyring or the environment
	Scopes       []string `json:"scopes"`       // instead of those that the server names
	RedirectPort int      `json:"redirectPort"` // of 127.0.0.1, where the registration names one
}

func parseConfig(def mcpconf.Definition) (config, error) {
	var c config
	if len(def.Auth) == 0 {
		return c, nil
	}
	if err := json.Unmarshal(def.Auth, &c); err != nil {
		return c, fmt.Errorf("the auth of its definition cannot be used: %w", err)
	}
	if c.RedirectPort < 0 || c.RedirectPort > 65535 {
		return c, fmt.Errorf("the auth of its definition cannot be used: redirectPort %d is no port", c.RedirectPort)
	}
	return c, nil
}
