package mcpauth

import (
	"encoding/json"
	"fmt"

	"patchbay/backend/mcpconf"
)

// config is the "auth" field of a definition; every part of it is optional. Its strings may
// refer to the keyring and the environment.
type config struct {
	Grant        string   `json:"grant"`
	ClientID     string   `json:"clientId"`     // of a client registered there by hand
	ClientSecret string   `json:"clientSecret"` // of it
	Issuer       string   `json:"issuer"`       // the authorization server that it belongs to; no other one is used
	PrivateKey   string   `json:"privateKey"`   // of it, PEM, in the place of a secret
	Scopes       []string `json:"scopes"`       // instead of those that the server names
	RedirectPort int      `json:"redirectPort"` // of 127.0.0.1, where the registration names one
	Identity     identity `json:"identity"`     // who vouches, for cross_app
}

func parseConfig(def mcpconf.Definition) (config, error) {
	var c config
	if len(def.Auth) == 0 {
		return c, nil
	}
	err := json.Unmarshal(def.Auth, &c)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return c, fmt.Errorf("the auth of its definition cannot be used: %w", err)
	}
	return c, nil
}
