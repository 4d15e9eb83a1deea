package mcpconn

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"patchbay/backend/mcpconf"
)

// mask hides a definition's secrets in what is shown or logged.
type mask struct {
	replacer *strings.Replacer
	tokens   *sentTokens // hidden too; nil: there are none
}

// minSecret is the shortest value that is hidden: shorter ones are words like "true".
const minSecret = 6

// newMask knows what secretsOf finds.
func newMask(def mcpconf.Definition) mask { return maskOf(secretsOf(def)) }

// secretsOf are the values of env and headers and what is hidden of arguments and url, of
// "Bearer token" the token too, longest first; short ones and paths are none.
func secretsOf(def mcpconf.Definition) []string {
	_, values := splitArgs(def.Args)
	values = slices.AppendSeq(values, maps.Values(def.Env))
	values = slices.AppendSeq(values, maps.Values(def.Headers))
	values = append(values, urlSecrets(def.URL)...)
	values = append(values, authSecrets(def.Auth)...)
	secrets := slices.Clone(values)
	for _, value := range values {
		if _, token, ok := strings.Cut(value, " "); ok {
			secrets = append(secrets, token)
		}
	}
	secrets = slices.DeleteFunc(secrets, func(s string) bool { return len(s) < minSecret || strings.HasPrefix(s, "/") })
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	return secrets
}

func maskOf(secrets []string) mask {
	var pairs []string
	for _, secret := range secrets {
		pairs = append(pairs, secret, Hidden)
	}
	return mask{replacer: strings.NewReplacer(pairs...)}
}

func (m mask) hide(text string) string { return m.tokens.hide(m.replacer.Replace(text)) }

func (m mask) hideAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = m.hide(line)
	}
	return out
}

// Redact hides in text what a definition keeps secret: values of env and headers, and what
// ShownArgs and ShownURL hide.
func Redact(def mcpconf.Definition, text string) string { return newMask(def).hide(text) }

// openAuth are the parts of a definition's auth that are no secrets.
var openAuth = []string{"clientId", "grant", "issuer", "scopes", "tokenEndpoint"}

// authSecrets are the strings of a definition's auth, of its identity too, but for those of
// openAuth.
func authSecrets(auth json.RawMessage) []string {
	var fields map[string]json.RawMessage
	if json.Unmarshal(auth, &fields) != nil {
		return nil
	}
	var secrets []string
	for name, value := range fields {
		var text string
		switch {
		case slices.Contains(openAuth, name):
		case json.Unmarshal(value, &text) == nil:
			secrets = append(secrets, text)
		default:
			secrets = append(secrets, authSecrets(value)...)
		}
	}
	return secrets
}
