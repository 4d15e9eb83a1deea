package practice

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// schema is what the practice model reads of a JSON Schema.
type schema struct {
	Type       json.RawMessage            `json:"type"`
	Properties json.RawMessage            `json:"properties"`
	Required   []string                   `json:"required"`
	Items      json.RawMessage            `json:"items"`
	Enum       []any                      `json:"enum"`
	Const      any                        `json:"const"`
	Default    any                        `json:"default"`
	Examples   []any                      `json:"examples"`
	Format     string                     `json:"format"`
	Ref        string                     `json:"$ref"`
	AnyOf      []json.RawMessage          `json:"anyOf"`
	OneOf      []json.RawMessage          `json:"oneOf"`
	AllOf      []json.RawMessage          `json:"allOf"`
	Minimum    *json.Number               `json:"minimum"`
	MinLength  int                        `json:"minLength"`
	MinItems   int                        `json:"minItems"`
	Defs       map[string]json.RawMessage `json:"$defs"`
	OldDefs    map[string]json.RawMessage `json:"definitions"`
}

// root resolves references within one tool's parameters.
type root struct{ defs map[string]json.RawMessage }

const maxDepth = 8 // of nested and recursive schemas

// read parses a schema; references and the first alternative are followed.
func (r root) read(raw json.RawMessage, depth int) schema {
	var s schema
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&s) // a schema that cannot be read asks for nothing
	if depth >= maxDepth {
		return s
	}
	if s.Ref != "" {
		if target, ok := r.defs[s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]]; ok {
			return r.read(target, depth+1)
		}
	}
	for _, choices := range [][]json.RawMessage{s.AnyOf, s.OneOf, s.AllOf} {
		if len(choices) > 0 && len(s.Type) == 0 && len(s.Properties) == 0 && s.Enum == nil {
			return r.read(choices[0], depth+1)
		}
	}
	return s
}

// kind is the first type that is not null.
func (s schema) kind() string {
	var one string
	if json.Unmarshal(s.Type, &one) == nil {
		return one
	}
	var many []string
	_ = json.Unmarshal(s.Type, &many) // neither form: no type is said
	for _, t := range many {
		if t != "null" {
			return t
		}
	}
	if len(s.Properties) > 0 {
		return "object"
	}
	return "string"
}

// property is one property of an object, in the order of the schema.
type property struct {
	name string
	raw  json.RawMessage
}

func (s schema) properties() []property {
	var byName map[string]json.RawMessage
	if json.Unmarshal(s.Properties, &byName) != nil {
		return nil
	}
	var list []property
	d := json.NewDecoder(bytes.NewReader(s.Properties))
	_, _ = d.Token() // the opening brace: the text was parsed above
	for d.More() {
		name, _ := d.Token()
		var skip json.RawMessage
		_ = d.Decode(&skip)
		list = append(list, property{name.(string), byName[name.(string)]})
	}
	return list
}

// arguments are what the prompt gives, and a sample for everything else that is required.
func (m mention) arguments() map[string]any {
	var s schema
	_ = json.Unmarshal(m.tool.Parameters, &s) // a tool without a schema takes nothing
	r := root{defs: map[string]json.RawMessage{}}
	for _, defs := range []map[string]json.RawMessage{s.OldDefs, s.Defs} {
		for name, raw := range defs {
			r.defs[name] = raw
		}
	}
	s = r.read(m.tool.Parameters, 0)
	args := m.given
	if args == nil {
		args = map[string]any{}
		r.fromWords(s, m.words, args)
	}
	for _, p := range s.properties() {
		if _, has := args[p.name]; !has && slices.Contains(s.Required, p.name) {
			args[p.name] = r.sample(p.name, r.read(p.raw, 0), 0)
		}
	}
	return args
}

// fromWords fills args from plain words: name=value pairs first, then values in the order
// of the properties, the required ones first.
func (r root) fromWords(s schema, words string, args map[string]any) {
	props := s.properties()
	for _, p := range props {
		re, err := regexp.Compile(`(?i)(?:^|[^A-Za-z0-9_-])["']?` + regexp.QuoteMeta(p.name) + `["']?\s*(?:=|:|：)\s*("(?:[^"\\]|\\.)*"|'[^']*'|\[[^\]]*\]|[^\s,;，；]+)`)
		if err != nil {
			continue
		}
		if at := re.FindStringSubmatchIndex(words); at != nil {
			if v, ok := convert(words[at[2]:at[3]], r.read(p.raw, 0)); ok {
				args[p.name] = v
				words = words[:at[0]] + " " + words[at[1]:]
			}
		}
	}
	slices.SortStableFunc(props, func(a, b property) int {
		return rank(s, a.name) - rank(s, b.name)
	})
	left := values{text: words}
	for _, p := range props {
		if _, has := args[p.name]; has {
			continue
		}
		required := slices.Contains(s.Required, p.name)
		if v, ok := left.take(r.read(p.raw, 0), required); ok {
			args[p.name] = v
		}
	}
}

func rank(s schema, name string) int {
	if slices.Contains(s.Required, name) {
		return 0
	}
	return 1
}

// values are the words that no argument has taken yet.
type values struct{ text string }

// take takes the first value that fits. Free text goes only to what is required.
func (v *values) take(s schema, required bool) (any, bool) {
	kind := s.kind()
	pattern := ""
	switch {
	case len(s.Enum) > 0:
		return v.enum(s.Enum)
	case kind == "integer":
		pattern = `(?:^|[\s,(=])(-?\d+)(?:$|[\s,.;)])`
	case kind == "number":
		pattern = `(?:^|[\s,(=])(-?\d+(?:\.\d+)?)(?:$|[\s,.;)])`
	case kind == "boolean":
		pattern = `(?i)\b(true|false)\b`
	case kind == "string":
		pattern = "(\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|`[^`]*`|“[^”]*”)"
	default:
		return nil, false
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, false
	}
	if at := re.FindStringSubmatchIndex(v.text); at != nil {
		found := v.text[at[2]:at[3]]
		v.text = v.text[:at[2]] + v.text[at[3]:]
		return convert(found, s)
	}
	if kind == "string" && required && s.Format == "" {
		return v.rest()
	}
	return nil, false
}

func (v *values) enum(choices []any) (any, bool) {
	for _, c := range choices {
		word, ok := c.(string)
		if ok && word != "" && matches(`(?i)(^|[^A-Za-z0-9_-])`+regexp.QuoteMeta(word)+`($|[^A-Za-z0-9_-])`, v.text) {
			return c, true
		}
	}
	return nil, false
}

// rest is the free text after a tool's name, without the words that only lead to it.
func (v *values) rest() (any, bool) {
	const around = " \t\r\n.,;:!?，。；：()`\"'"
	text := strings.Trim(v.text, around)
	for again := true; again; {
		again = false
		for _, filler := range []string{"with", "saying", "tool", "please", "once", "to", "then", "and", "now", "call", "use", "run", "the", "on", "for", "say", "again", "也", "然后", "请", "调用", "使用"} {
			rest, ok := strings.CutPrefix(strings.ToLower(text), filler)
			if ok && (rest == "" || !nameByte(rest[0]) || filler[0] >= 0x80) {
				text, again = strings.Trim(text[len(filler):], around), true
			}
			rest, ok = strings.CutSuffix(strings.ToLower(text), filler)
			if ok && (rest == "" || !nameByte(rest[len(rest)-1]) || filler[0] >= 0x80) {
				text, again = strings.Trim(text[:len(text)-len(filler)], around), true
			}
		}
	}
	v.text = ""
	return text, text != ""
}

// convert reads a word as a value of the schema's type.
func convert(word string, s schema) (any, bool) {
	bare := word
	if len(word) >= 2 && strings.ContainsRune("\"'`", rune(word[0])) && word[len(word)-1] == word[0] {
		bare = word[1 : len(word)-1]
		if word[0] == '"' {
			_ = json.Unmarshal([]byte(word), &bare) // else the text between the quotes
		}
	}
	bare = strings.TrimSuffix(strings.TrimPrefix(bare, "“"), "”")
	kind := s.kind()
	if kind == "string" {
		return bare, true
	}
	d := json.NewDecoder(strings.NewReader(strings.ToLower(strings.TrimRight(bare, ".)"))))
	if kind == "array" || kind == "object" {
		d = json.NewDecoder(strings.NewReader(bare))
	}
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	switch v.(type) {
	case json.Number:
		return v, kind == "integer" || kind == "number"
	case bool:
		return v, kind == "boolean"
	case []any:
		return v, kind == "array"
	case map[string]any:
		return v, kind == "object"
	}
	return nil, false
}
