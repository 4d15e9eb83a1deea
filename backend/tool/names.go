package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the longest function name that OpenAI-compatible APIs accept.
const maxName = 64

// MapNames returns, for each of one server's tool names, the name the model sees: the name
// itself where it fits [A-Za-z0-9_-]{1,64}, else a mapped one. Names that would fall
// together, become empty or are too long get a suffix of their own spelling, so that the
// outcome does not depend on their order. Equal names stay equal.
func MapNames(names []string) []string {
	owner := map[string]string{} // lower-case mapped name → the one original that holds it
	clash := map[string]bool{}
	for _, name := range names {
		key := strings.ToLower(mapped(name))
		if first, taken := owner[key]; taken && first != name {
			clash[key] = true
		} else {
			owner[key] = name
		}
	}
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = mapped(name)
		if out[i] == name && len(name) <= maxName {
			continue // a name that fits is never changed
		}
		if clash[strings.ToLower(out[i])] || strings.Trim(out[i], "_") == "" || len(out[i]) > maxName {
			out[i] = suffixed(out[i], name)
		}
	}
	return out
}

// mapped replaces each run of characters that model APIs refuse by one underscore.
func mapped(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			b.WriteRune(r)
			gap = false
		} else if !gap {
			b.WriteByte('_')
			gap = true
		}
	}
	return b.String()
}

func suffixed(short, name string) string {
	sum := sha256.Sum256([]byte(name))
	suffix := "_" + hex.EncodeToString(sum[:4])
	if strings.Trim(short, "_") == "" {
		short = "tool"
	}
	if len(short)+len(suffix) > maxName {
		short = short[:maxName-len(suffix)]
	}
	return short + suffix
}
