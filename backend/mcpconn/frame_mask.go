package mcpconn

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"patchbay/backend/mcpconf"
)

// FrameMask hides secrets in frames before they are shown: what Redact hides in text, values
// whose name in the message says that they are secret (password, access_token,
// Authorization, …), and what looks like a key or a credential wherever it stands. Too much
// is hidden rather than too little; a message keeps its form.
type FrameMask struct {
	values  mask
	secrets []string         // longest first
	shapes  []*regexp.Regexp // as secretShapes
}

// NewFrameMask knows the secrets of a definition whose values are expanded.
func NewFrameMask(def mcpconf.Definition) *FrameMask {
	secrets := secretsOf(def)
	m := &FrameMask{values: maskOf(secrets), secrets: secrets}
	for _, shape := range secretShapes {
		m.shapes = append(m.shapes, regexp.MustCompile(shape.pattern))
	}
	return m
}

// Body is a frame's body as it may be shown.
func (m *FrameMask) Body(f Frame) string {
	text := string(f.Body)
	if f.Cut() {
		text = m.withoutTail(wholeRunes(text))
	}
	structured := strings.HasPrefix(text, "{") || strings.HasPrefix(text, "[")
	if structured {
		text = m.json(text, 0, filledIn(f)...)
	}
	if structured && f.Kind != NoiseFrame && f.Kind != FailedFrame {
		return text // a message keeps its form
	}
	return m.Text(text)
}

// filledIn names the members of a frame that hold what a person filled in: a form may have
// asked for a secret under any name (MCP, client/elicitation; 2026-07-28, multi-round-trip).
func filledIn(f Frame) []string {
	if f.Kind == ResponseFrame && f.Method == "elicitation/create" {
		return []string{"content"}
	}
	if f.Kind == RequestFrame {
		return []string{"inputResponses"}
	}
	return nil
}

// wholeRunes leaves out the part of a character at the end.
func wholeRunes(text string) string {
	for range utf8.UTFMax - 1 {
		if r, size := utf8.DecodeLastRuneInString(text); r == utf8.RuneError && size == 1 {
			text = text[:len(text)-1]
		}
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// Text hides secrets in words.
func (m *FrameMask) Text(text string) string {
	text = m.values.hide(text)
	if len(text) < minSecret {
		return text
	}
	lower := strings.ToLower(text)
	for i, shape := range secretShapes {
		if slices.ContainsFunc(shape.needles, func(needle string) bool { return strings.Contains(lower, needle) }) {
			text = m.shapes[i].ReplaceAllString(text, "${1}"+Hidden)
		}
	}
	return text
}

// secretShape is how a credential stands in a text. What the first group of the pattern
// holds stays; without one of the needles, in lower case, a text holds none.
type secretShape struct {
	needles []string
	pattern string
}

// secretShapes are credentials in headers, addresses, assignments and by themselves.
var secretShapes = []secretShape{
	{[]string{"bearer", "basic"}, `((?i:\b(?:bearer|basic)\s+))[A-Za-z0-9._~+/=-]{6,}`},
	{[]string{"authorization"}, `((?i:\b(?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:(?:bearer|basic|token|apikey)\s+)?))[^\s"'&,;<>•]{4,}`},
	{
		[]string{"key", "token", "secret", "password", "passwd"},
		`((?i:\b[a-z0-9_-]*(?:api[-_]?key|access[-_]?token|refresh[-_]?token|auth[-_]?token|client[-_]?secret|secret[-_]?key|private[-_]?key|password|passwd)["']?\s*[:=]\s*["']?))[^\s"'&,;<>•]{4,}`,
	},
	{[]string{"token=", "key=", "sig=", "signature=", "code=", "secret="}, `([?&](?i:token|key|sig|signature|code|secret)=)[^\s"'&<>•]{4,}`},
	{[]string{"://"}, `(\b[A-Za-z][A-Za-z0-9+.-]*://)[^\s/@"'<>]+:[^\s/@"'<>]+@`},
	{
		[]string{
			"sk-", "sk_", "pk_live_", "rk_live_", "gho_", "ghp_", "ghr_", "ghu_", "ghs_", "github_pat_", "glpat-", "xoxa-", "xoxb-", "xoxp-",
			"xapp-", "ya29.", "hf_", "npm_", "pypi-", "gsk_", "tvly-", "lin_api_", "ntn_", "shpat_", "dop_v1_", "sg.",
		},
		`()\b(?:sk-|sk_|pk_live_|rk_live_|gh[opusr]_|github_pat_|glpat-|xox[abp]-|xapp-|ya29\.|hf_|npm_|pypi-|gsk_|tvly-|lin_api_|ntn_|shpat_|dop_v1_|SG\.)[A-Za-z0-9._-]{12,}`,
	},
	{[]string{"akia", "asia"}, `()\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`},
	{[]string{"aiza"}, `()\bAIza[A-Za-z0-9_-]{30,}`},
	{[]string{"eyj"}, `()\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*`},
	{[]string{"private key-----"}, `()-----BEGIN [A-Z ]*PRIVATE KEY-----(?s:.*?)(?:-----END [A-Z ]*PRIVATE KEY-----|$)`},
}

// withoutTail hides the beginning of a secret at the end of a text that was cut there.
func (m *FrameMask) withoutTail(text string) string {
	const least = 4 // shorter beginnings are everywhere
	for _, secret := range m.secrets {
		for n := len(secret) - 1; n >= least; n-- {
			if strings.HasSuffix(text, secret[:n]) {
				return text[:len(text)-n] + Hidden
			}
		}
	}
	return text
}

// maxNested is how deep JSON inside of strings of JSON is looked into.
const maxNested = 3

// json hides secrets in JSON, also in its beginning only, and all that is in the members
// filled.
func (m *FrameMask) json(text string, nested int, filled ...string) string {
	s := jsonMask{mask: m, in: text, nested: nested, filled: filled}
	s.out.Grow(len(text))
	s.run()
	return s.out.String()
}

// jsonMask goes through JSON from its beginning to its end or to where it was cut.
type jsonMask struct {
	mask   *FrameMask
	in     string
	at     int
	nested int
	filled []string // members of which everything is secret
	out    strings.Builder
	levels []jsonLevel
}

// jsonLevel is an object or a list that is open.
type jsonLevel struct {
	object bool
	named  bool   // the next string is a name
	name   string // of the value that comes
	hide   bool   // every value in it is secret
	schema bool   // it describes values and has none: names in it are no names of secrets
	about  bool   // its "name" says that its "value" is secret
}

func (s *jsonMask) run() {
	for s.at < len(s.in) {
		switch c := s.in[s.at]; c {
		case '"':
			s.str()
		case '{', '[':
			s.open(c == '{')
			s.keep(1)
		case '}', ']':
			if n := len(s.levels); n > 0 {
				s.levels = s.levels[:n-1]
			}
			s.keep(1)
		case ',':
			if l := s.level(); l != nil {
				l.named = l.object
			}
			s.keep(1)
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			s.number()
		default:
			s.keep(1)
		}
	}
}

func (s *jsonMask) keep(n int) {
	s.out.WriteString(s.in[s.at : s.at+n])
	s.at += n
}

func (s *jsonMask) level() *jsonLevel {
	if n := len(s.levels); n > 0 {
		return &s.levels[n-1]
	}
	return nil
}

func (s *jsonMask) open(object bool) {
	next := jsonLevel{object: object, named: object}
	if l := s.level(); l != nil {
		next.schema = l.schema || l.object && strings.HasSuffix(strings.ToLower(l.name), "schema")
		next.hide = s.secret(l)
	}
	s.levels = append(s.levels, next)
}

// secret reports whether the value that comes in l is one.
func (s *jsonMask) secret(l *jsonLevel) bool {
	switch {
	case l == nil:
		return false
	case l.hide:
		return true
	}
	return l.object && !l.schema && (isSecretKey(l.name) || l.about && l.name == "value" || slices.Contains(s.filled, l.name))
}

// str takes a string: a name, or a value.
func (s *jsonMask) str() {
	end, closed := endOfString(s.in, s.at)
	raw := s.in[s.at:end]
	s.at = end
	l := s.level()
	if l != nil && l.named {
		l.name, l.named = unquoted(raw), false
		if shown := s.mask.values.hide(l.name); shown != l.name {
			raw = quoted(shown)
		}
		s.out.WriteString(raw)
		return
	}
	switch {
	case s.secret(l) && len(raw) > len(`""`):
		s.out.WriteString(`"` + Hidden)
		if closed {
			s.out.WriteByte('"')
		}
	case !closed:
		s.out.WriteString(s.beginning(raw))
	default:
		s.out.WriteString(s.value(raw))
	}
	if l != nil && l.object && (l.name == "name" || l.name == "key") {
		l.about = isSecretKey(unquoted(raw))
	}
}

// value is a string's JSON without the secrets in it. One that holds none stays as it is.
func (s *jsonMask) value(raw string) string {
	text := unquoted(raw)
	shown := text
	if trimmed := strings.TrimSpace(text); s.nested < maxNested && len(trimmed) > 1 && (trimmed[0] == '{' || trimmed[0] == '[') && json.Valid([]byte(trimmed)) {
		shown = s.mask.json(text, s.nested+1)
	}
	if shown = s.mask.Text(shown); shown == text {
		return raw
	}
	return quoted(shown)
}

// beginning is value for a string that was cut, perhaps in an escape.
func (s *jsonMask) beginning(raw string) string {
	if i := strings.LastIndexByte(raw, '\\'); i >= 0 && len(raw)-i < len(`\u0000`) {
		raw = raw[:i]
	}
	text := unquoted(raw + `"`)
	shown := s.mask.withoutTail(s.mask.Text(text))
	if shown == text {
		return raw
	}
	return strings.TrimSuffix(quoted(shown), `"`)
}

func (s *jsonMask) number() {
	end := s.at
	for end < len(s.in) && strings.IndexByte("+-.eE0123456789", s.in[end]) >= 0 {
		end++
	}
	raw := s.in[s.at:end]
	s.at = end
	l := s.level()
	counted := l != nil && !l.hide && strings.Contains(strings.ToLower(l.name), "token") // of a budget, of progress
	if s.secret(l) && !counted || s.mask.values.hide(raw) != raw {
		raw = `"` + Hidden + `"`
	}
	s.out.WriteString(raw)
}

// endOfString is behind the string that begins at i, or the end of a text that was cut in it.
func endOfString(text string, i int) (end int, closed bool) {
	for j := i + 1; j < len(text); j++ {
		switch text[j] {
		case '\\':
			j++
		case '"':
			return j + 1, true
		}
	}
	return len(text), false
}

func unquoted(raw string) string {
	var text string
	if json.Unmarshal([]byte(raw), &text) != nil {
		return strings.Trim(raw, `"`)
	}
	return text
}

// quoted is a string's JSON, < > & as they are.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(text) // a string always encodes
	return strings.TrimSuffix(b.String(), "\n")
}

// Words of which one makes a name that of a secret, by themselves or side by side.
var (
	secretKeyWords = []string{
		"password", "passwd", "passphrase", "passcode", "pwd", "secret", "secrets", "apikey", "apikeys", "authorization", "authentication",
		"auth", "credential", "credentials", "bearer", "cookie", "cookies", "verifier", "otp",
	}
	secretKeyBefore = []string{"api", "private", "secret", "access", "signing", "encryption", "auth", "service", "account", "master", "license"}
	// pagingWords make of a token one that is no secret.
	pagingWords = []string{"progress", "page", "next", "previous", "prev", "continuation", "cursor", "sync", "stop", "max"}
)

// isSecretKey reports whether a name in a message is that of a secret.
func isSecretKey(name string) bool {
	words := wordsIn(name)
	for i, word := range words {
		before := ""
		if i > 0 {
			before = words[i-1]
		}
		switch {
		case slices.Contains(secretKeyWords, word),
			word == "key" && slices.Contains(secretKeyBefore, before),
			(word == "token" || word == "tokens" && i == len(words)-1 || word == "accesstoken") && !slices.Contains(pagingWords, before):
			return true
		}
	}
	return false
}

// wordsIn splits camelCase, snake_case, kebab-case and dotted names, lower case.
func wordsIn(name string) []string {
	var spaced strings.Builder
	lower := false
	for _, c := range name {
		upper := c >= 'A' && c <= 'Z'
		if upper && lower {
			spaced.WriteByte(' ')
		}
		lower = c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		spaced.WriteRune(c)
	}
	return strings.FieldsFunc(strings.ToLower(spaced.String()), func(c rune) bool {
		return !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9')
	})
}
