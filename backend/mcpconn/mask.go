package mcpconn

import (
	"slices"
	"strings"

	"patchbay/backend/mcpconf"
)

// mask hides a definition's secrets in what is shown or logged.
type mask struct{ replacer *strings.Replacer }

// minSecret is the shortest value that is hidden: shorter ones are words like "true".
const minSecret = 6

// newMask knows the values of env and headers; of "Bearer token" the token too.
func newMask(def mcpconf.Definition) mask {
	var secrets []string
	add := func(values map[string]string) {
		for _, value := range values {
			secrets = append(secrets, value)
			if _, token, ok := strings.Cut(value, " "); ok {
				secrets = append(secrets, token)
			}
		}
	}
	add(def.Env)
	add(def.Headers)
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	var pairs []string
	for _, secret := range secrets {
		if len(secret) >= minSecret && !strings.HasPrefix(secret, "/") { // paths are no secrets
			pairs = append(pairs, secret, "•••")
		}
	}
	return mask{strings.NewReplacer(pairs...)}
}

func (m mask) hide(text string) string { return m.replacer.Replace(text) }

func (m mask) hideAll(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = m.hide(line)
	}
	return out
}
