package mcpconn

import (
	"net/url"
	"strings"
)

// Hidden stands where a value is not shown.
const Hidden = "•••"

// ShownArgs are a command's arguments as they may be shown: what stands behind a flag that
// asks for a secret, values of variables and headers, the secrets of addresses, and words
// that look like keys are hidden. Too much is hidden rather than too little.
func ShownArgs(args []string) []string {
	shown, _ := splitArgs(args)
	return shown
}

// ShownURL is an address as it may be shown: without user and password, the values of its
// query hidden.
func ShownURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return Hidden
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	query := u.RawQuery
	u.RawQuery = ""
	shown := u.String()
	for i, pair := range strings.Split(query, "&") {
		if pair == "" {
			continue
		}
		sep := "&"
		if i == 0 {
			sep = "?"
		}
		name, _, has := strings.Cut(pair, "=")
		if has {
			name += "=" + Hidden
		}
		shown += sep + name
	}
	return shown
}

// urlSecrets are the parts of an address that ShownURL hides.
func urlSecrets(raw string) []string {
	u, err := url.Parse(raw)
	if err != nil {
		return []string{raw}
	}
	var secrets []string
	if u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.Username(), password, u.User.String())
	}
	for _, values := range u.Query() {
		secrets = append(secrets, values...)
	}
	for pair := range strings.SplitSeq(u.RawQuery, "&") {
		if _, value, ok := strings.Cut(pair, "="); ok {
			secrets = append(secrets, value)
		}
	}
	return secrets
}

// secretWords make a flag or a variable one whose value is hidden.
var secretWords = []string{"key", "token", "secret", "passw", "pwd", "auth", "credential", "bearer", "cookie", "signature"}

// secretStarts are how well-known kinds of keys begin.
var secretStarts = []string{
	"sk-", "sk_", "pk_live_", "rk_live_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "xapp-",
	"AKIA", "ASIA", "AIza", "ya29.", "eyJ", "hf_", "npm_", "pypi-", "gsk_", "tvly-", "lin_api_", "ntn_", "shpat_", "dop_v1_", "SG.", "-----BEGIN", "Bearer ", "Basic ",
}

// pairFlags are flags whose value is NAME=VALUE or Name: value.
var pairFlags = map[string]bool{"e": true, "env": true, "H": true, "header": true, "headers": true}

func isSecretName(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// argsReader goes through arguments: what a flag makes of the next one is its state.
type argsReader struct {
	hide    func(value string) string // of the argument that follows, nil for none
	secrets []string
}

// splitArgs returns the arguments as they may be shown and what is hidden in them.
func splitArgs(args []string) (shown, secrets []string) {
	var r argsReader
	for _, arg := range args {
		shown = append(shown, r.show(arg))
	}
	return shown, r.secrets
}

func (r *argsReader) show(arg string) string {
	hide := r.hide
	r.hide = nil
	if !strings.HasPrefix(arg, "-") {
		if hide != nil {
			return hide(arg)
		}
		return r.plain(arg)
	}
	if hide != nil && strings.Trim(arg, "-") == "" {
		return hide(arg)
	}
	flag, value, has := strings.Cut(arg, "=")
	name := strings.TrimLeft(flag, "-")
	switch {
	case pairFlags[name]:
		hide = r.pair
	case isSecretName(name):
		hide = r.whole
	default:
		hide = nil
	}
	switch {
	case !has:
		r.hide = hide
		return arg
	case hide == nil:
		hide = r.plain
	}
	return flag + "=" + hide(value)
}

// whole hides a value; one that only refers to a secret is none.
func (r *argsReader) whole(value string) string {
	if strings.HasPrefix(value, "${") && strings.HasSuffix(value, "}") && !strings.Contains(value, ":-") {
		return value
	}
	r.secrets = append(r.secrets, value)
	return Hidden
}

// pair hides the value of NAME=VALUE or Name: value.
func (r *argsReader) pair(arg string) string {
	if i := strings.IndexAny(arg, "=:"); i >= 0 {
		rest := strings.TrimLeft(arg[i+1:], " ")
		return arg[:len(arg)-len(rest)] + r.whole(rest)
	}
	return arg
}

// plain hides what an argument by itself gives away: the secrets of an address, the value
// of a variable with a telling name, a well-known kind of key.
func (r *argsReader) plain(arg string) string {
	for _, start := range secretStarts {
		if strings.HasPrefix(arg, start) {
			return r.whole(arg)
		}
	}
	name, value, has := strings.Cut(arg, "=")
	has = has && strings.Trim(value, "=") != "" // else it pads a key
	i := strings.Index(arg, "://")
	switch {
	case !has && i < 0 && looksLikeKey(arg):
		return r.whole(arg)
	case i >= 0 && !(has && len(name) < i):
		r.secrets = append(r.secrets, urlSecrets(arg)...)
		return ShownURL(arg)
	case has && isSecretName(name) && !strings.ContainsAny(name, " \n"):
		return r.pair(arg)
	case i >= 0, has && name != "" && !strings.ContainsAny(name, " \n"):
		return name + "=" + r.plain(arg[len(name)+1:])
	}
	return arg
}

// looksLikeKey reports whether a word reads as drawn at random: a long run of letters and
// digits mixed, as keys, hashes and ids have it and names, paths and versions have not.
func looksLikeKey(word string) bool {
	if strings.HasPrefix(word, "/") || strings.HasPrefix(word, ".") || strings.HasPrefix(word, "~") || strings.ContainsAny(word, " \\") {
		return false
	}
	if len(word) == len("00000000-0000-0000-0000-000000000000") && strings.Count(word, "-") == 4 && strings.Trim(word, "0123456789abcdefABCDEF-") == "" {
		return true
	}
	alphabet := func(c rune) bool {
		return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
	}
	for _, run := range strings.FieldsFunc(word, func(c rune) bool { return !alphabet(c) }) {
		lower, upper, digits := mixOf(run)
		switch {
		case len(run) >= 16 && lower > 1 && upper > 1 && digits > 1,
			len(run) >= 20 && lower+upper > 2 && digits > 2:
			return true
		}
	}
	lower, upper, digits := mixOf(word)
	return len(word) >= 32 && lower > 3 && upper > 3 && digits > 2 && strings.Trim(word, "+/=_-") != "" &&
		!strings.ContainsFunc(word, func(c rune) bool { return !alphabet(c) && !strings.ContainsRune("+/=_-", c) })
}

func mixOf(text string) (lower, upper, digits int) {
	for _, c := range text {
		switch {
		case c >= 'a' && c <= 'z':
			lower++
		case c >= 'A' && c <= 'Z':
			upper++
		case c >= '0' && c <= '9':
			digits++
		}
	}
	return lower, upper, digits
}
