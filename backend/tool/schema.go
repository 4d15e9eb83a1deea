package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

const (
	maxSchemaBytes = 256 << 10
	maxSchemaDepth = 40
)

// schema is a JSON Schema object.
type schema = map[string]any

// Repair passes a tool's inputSchema through, and mends it only where model APIs would
// refuse the whole request: the root must be an object with properties, each property a
// schema, and each array must have items. notes says what was mended. It is idempotent.
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
	if len(f.notes) == 0 {
		return raw, nil
	}
	out, err := json.Marshal(root)
	if err != nil {
		return emptySchema(), []string{"the schema cannot be encoded: " + err.Error()}
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
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var root any
	if err := dec.Decode(&root); err != nil {
		return nil, "the schema is no JSON"
	}
	object, ok := root.(schema)
	if !ok {
		return nil, "the schema is no object"
	}
	return object, ""
}

// fixer mends a decoded schema in place.
type fixer struct {
	notes   []string
	tooDeep bool
}

func (f *fixer) note(format string, args ...any) {
	f.notes = append(f.notes, fmt.Sprintf(format, args...))
}

// root makes the root an object with properties.
func (f *fixer) root(s schema) {
	if ref, ok := s["$ref"].(string); ok {
		f.inlineRoot(s, ref)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		if branches, ok := s[key].([]any); ok {
			f.mergeRoot(s, key, branches)
		}
	}
	if s["type"] != "object" {
		s["type"] = "object"
		f.note("the root's type is object")
	}
	if _, ok := s["properties"].(schema); !ok {
		s["properties"] = schema{}
		f.note("the root has properties")
	}
	if r, there := s["required"]; there && !isStrings(r) {
		delete(s, "required")
		f.note("required is no list of names")
	}
}

func isStrings(v any) bool {
	list, ok := v.([]any)
	if !ok {
		return false
	}
	for _, item := range list {
		if _, ok := item.(string); !ok {
			return false
		}
	}
	return true
}

// inlineRoot replaces a $ref at the root by what it points to.
func (f *fixer) inlineRoot(s schema, ref string) {
	delete(s, "$ref")
	f.note("the root's $ref is inlined")
	target, ok := resolveRef(s, ref).(schema)
	if !ok {
		return
	}
	for key, value := range target {
		if _, there := s[key]; !there {
			s[key] = value
		}
	}
}

// resolveRef follows a local reference like #/$defs/X.
func resolveRef(root schema, ref string) any {
	path, local := strings.CutPrefix(ref, "#/")
	if !local {
		return nil
	}
	var at any = root
	for step := range strings.SplitSeq(path, "/") {
		step = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
		object, ok := at.(schema)
		if !ok {
			return nil
		}
		at = object[step]
	}
	return at
}

// mergeRoot puts the properties of the root's alternatives side by side; what only some of
// them require is not required.
func (f *fixer) mergeRoot(s schema, key string, branches []any) {
	delete(s, key)
	f.note("%s at the root is merged", key)
	properties, ok := s["properties"].(schema)
	if !ok {
		properties = schema{}
		s["properties"] = properties
	}
	var required []string
	for i, branch := range branches {
		b, ok := branch.(schema)
		if ref, isRef := b["$ref"].(string); isRef {
			b, ok = resolveRef(s, ref).(schema)
		}
		if !ok {
			continue
		}
		if own, ok := b["properties"].(schema); ok {
			for name, p := range own {
				if _, there := properties[name]; !there {
					properties[name] = p
				}
			}
		}
		required = mergeRequired(required, names(b["required"]), i == 0, key == "allOf")
	}
	for _, name := range required {
		if have := names(s["required"]); !slices.Contains(have, name) {
			list, _ := s["required"].([]any)
			s["required"] = append(list, name)
		}
	}
}

func mergeRequired(have, more []string, first, all bool) []string {
	if first || all {
		return append(have, more...)
	}
	return slices.DeleteFunc(have, func(name string) bool { return !slices.Contains(more, name) })
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

// walk mends every schema below s.
func (f *fixer) walk(s schema, at string, depth int) {
	if depth > maxSchemaDepth {
		f.tooDeep = true
		return
	}
	f.items(s, at)
	for _, key := range []string{"properties", "$defs", "definitions", "patternProperties"} {
		group, ok := s[key].(schema)
		if !ok {
			continue
		}
		for name, p := range group {
			if !isSchema(p) {
				group[name] = schema{}
				f.note("%s.%s is no schema", at, name)
				continue
			}
			f.into(p, at+"."+name, depth)
		}
	}
	for _, key := range []string{"items", "additionalProperties", "not", "if", "then", "else", "contains"} {
		f.into(s[key], at+"."+key, depth)
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf", "prefixItems"} {
		list, _ := s[key].([]any)
		for _, item := range list {
			f.into(item, at+"."+key, depth)
		}
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

// items gives an array its items.
func (f *fixer) items(s schema, at string) {
	isArray := s["type"] == "array" || slices.Contains(names(s["type"]), "array")
	if isArray && !isSchema(s["items"]) {
		s["items"] = schema{}
		f.note("%s has items", at)
	}
}
