package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	maxSchemaBytes = 256 << 10
	maxSchemaDepth = 40
)

// schema is a JSON Schema object.
type schema = map[string]any

// Repair passes a tool's inputSchema through, and mends it only where model APIs would
// refuse the whole request: the root must be an object with properties, each subschema a
// schema, each array must have items, and keywords must have values of their kind. notes
// says what was mended; without notes the bytes are those given. It is idempotent, and a
// schema too large or too deep to send becomes one that describes nothing.
func Repair(raw json.RawMessage) (repaired json.RawMessage, notes []string) {
	root, note := decodeSchema(raw)
	if note != "" {
		return emptySchema(), []string{note}
	}
	f := &fixer{}
	f.root(root)
	f.walk(root, "arguments", 0)
	if f.tooDeep {
		return emptySchema(), []string{fmt.Sprintf("the schema is nested more than %d levels deep; arguments are not described", maxSchemaDepth)}
	}
	if !utf8.Valid(raw) {
		f.note("the schema is not valid UTF-8") // decoding has replaced what is not
	}
	if len(f.notes) == 0 {
		return raw, nil
	}
	out, err := encodeSchema(root)
	if err != nil {
		return emptySchema(), []string{"the mended schema cannot be used: " + err.Error()}
	}
	return out, f.notes
}

func emptySchema() json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{}}`)
}

func decodeSchema(raw json.RawMessage) (schema, string) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return nil, "the schema is missing"
	}
	if len(raw) > maxSchemaBytes {
		return nil, fmt.Sprintf("the schema is larger than %d KB; arguments are not described", maxSchemaBytes>>10)
	}
	root, err := decodeOne(raw)
	if err != nil {
		return nil, "the schema is no JSON"
	}
	object, ok := root.(schema)
	if !ok {
		return nil, "the schema is no object"
	}
	return object, ""
}

// decodeOne reads exactly one JSON value; numbers stay as they are written.
func decodeOne(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("more than one JSON value")
	}
	return v, nil
}

// encodeSchema writes a schema as it is read by a model: without HTML escapes, which only
// cost tokens.
func encodeSchema(root schema) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(root); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	out := bytes.TrimSpace(b.Bytes())
	if len(out) > maxSchemaBytes {
		return nil, fmt.Errorf("it is larger than %d KB", maxSchemaBytes>>10)
	}
	return out, nil
}

// fixer mends a decoded schema in place.
type fixer struct {
	notes   []string
	tooDeep bool
}

func (f *fixer) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// walk mends every schema below s, in the order of their names.
func (f *fixer) walk(s schema, at string, depth int) {
	if depth > maxSchemaDepth {
		f.tooDeep = true
		return
	}
	f.keywords(s, at)
	f.items(s, at)
	for _, key := range groupKeys {
		f.group(s, key, at, depth)
	}
	for _, key := range singleKeys {
		f.single(s, key, at, depth)
	}
	for _, key := range listKeys {
		f.list(s, key, at, depth)
	}
}

// The keywords that hold schemas (JSON Schema 2020-12, core 10.2 and 10.3).
var (
	groupKeys  = []string{"properties", "$defs", "definitions", "patternProperties", "dependentSchemas"}
	singleKeys = []string{"items", "additionalProperties", "not", "if", "then", "else", "contains",
		"propertyNames", "unevaluatedItems", "unevaluatedProperties", "additionalItems"}
	listKeys = []string{"anyOf", "oneOf", "allOf", "prefixItems"}
)

func (f *fixer) group(s schema, key, at string, depth int) {
	v, there := s[key]
	if !there {
		return
	}
	group, ok := v.(schema)
	if !ok {
		delete(s, key)
		f.note("%s.%s is no object", at, key)
		return
	}
	for _, name := range slices.Sorted(maps.Keys(group)) {
		if !isSchema(group[name]) {
			group[name] = schema{}
			f.note("%s.%s is no schema", at, name)
			continue
		}
		f.into(group[name], at+"."+name, depth)
	}
}

func (f *fixer) single(s schema, key, at string, depth int) {
	v, there := s[key]
	if !there {
		return
	}
	if !isSchema(v) {
		delete(s, key)
		f.note("%s.%s is no schema", at, key)
		return
	}
	f.into(v, at+"."+key, depth)
}

func (f *fixer) list(s schema, key, at string, depth int) {
	v, there := s[key]
	if !there {
		return
	}
	list, _ := v.([]any)
	kept := slices.DeleteFunc(slices.Clone(list), func(item any) bool { return !isSchema(item) })
	if len(kept) == 0 {
		delete(s, key)
		f.note("%s.%s is no list of schemas", at, key)
		return
	}
	if len(kept) < len(list) {
		s[key] = kept
		f.note("%s.%s has an entry that is no schema", at, key)
	}
	for _, item := range kept {
		f.into(item, at+"."+key, depth)
	}
}

func (f *fixer) into(v any, at string, depth int) {
	if s, ok := v.(schema); ok {
		f.walk(s, at, depth+1)
	}
}

func isSchema(v any) bool {
	switch v.(type) {
	case schema, bool:
		return true
	}
	return false
}

// items gives an array its items, and makes the list of items of older drafts one schema.
func (f *fixer) items(s schema, at string) {
	if list, ok := s["items"].([]any); ok && len(list) > 0 {
		s["items"] = schema{"anyOf": list}
		f.note("%s has one schema for its items", at)
		return
	}
	isArray := s["type"] == "array" || slices.Contains(names(s["type"]), "array")
	if isArray && !isSchema(s["items"]) {
		s["items"] = schema{}
		f.note("%s has items", at)
	}
}

func names(v any) []string {
	var out []string
	list, _ := v.([]any)
	for _, item := range list {
		if s, ok := item.(string); ok {
			out = append(out, s)
		}
	}
	return out
}

// resolveRef follows a local reference like #/$defs/X; nil when it leads to no schema.
func resolveRef(root schema, ref string) schema {
	path, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil
	}
	at := root
	for step := range strings.SplitSeq(path, "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		next, ok := at[step].(schema)
		if !ok {
			return nil
		}
		at = next
	}
	return at
}
