package tool

import (
	"encoding/json"
	"maps"
	"slices"
)

// strictKeys are the keywords that the strictest endpoints take, besides those that hold
// schemas.
var strictKeys = []string{
	"type", "title", "description", "required", "enum",
	"minimum", "maximum", "minItems", "maxItems", "nullable",
}

const (
	// strictRefs is how often one reference is followed inside itself; below, an object
	// stands for it.
	strictRefs = 2
	// strictNodes bounds what inlining makes of references that multiply.
	strictNodes = 4000
)

// RepairStrict is Repair for endpoints that refuse parts of JSON Schema (Gemini and what
// imitates it): type lists become one type and nullable, references are inlined, and
// keywords they do not know are left out. It loses detail, so it is used only after a
// request was refused for its schema.
func RepairStrict(raw json.RawMessage) json.RawMessage {
	repaired, _ := Repair(raw)
	root, note := decodeSchema(repaired)
	if note != "" {
		return emptySchema()
	}
	s := strictener{root: root, inside: map[string]int{}}
	out, err := encodeSchema(s.object(root, 0))
	if err != nil {
		return emptySchema()
	}
	return out
}

type strictener struct {
	root   schema
	inside map[string]int // how often each reference is being followed
	nodes  int
}

func (s *strictener) object(in schema, depth int) schema {
	if s.nodes++; s.nodes > strictNodes || depth > maxSchemaDepth {
		return schema{"type": "object"}
	}
	if ref, ok := in["$ref"].(string); ok {
		return s.followed(in, ref, depth)
	}
	out := schema{}
	for _, key := range strictKeys {
		if value, there := in[key]; there {
			out[key] = value
		}
	}
	oneType(in, out)
	s.below(in, out, depth)
	s.alternatives(in, out, depth)
	s.together(in, out, depth)
	finish(in, out)
	return out
}

// followed is what a reference leads to, with its own description.
func (s *strictener) followed(in schema, ref string, depth int) schema {
	target := resolveRef(s.root, ref)
	if target == nil || s.inside[ref] >= strictRefs {
		return schema{"type": "object"}
	}
	s.inside[ref]++
	out := s.object(target, depth+1)
	s.inside[ref]--
	if d, there := in["description"]; there {
		out["description"] = d
	}
	return out
}

// oneType makes a list of types one type, and null among them nullable.
func oneType(in, out schema) {
	list := names(in["type"])
	if one, ok := in["type"].(string); ok {
		list = []string{one}
	}
	delete(out, "type")
	for _, name := range list {
		if name == "null" {
			out["nullable"] = true
		} else if _, there := out["type"]; !there {
			out["type"] = name
		}
	}
}

func (s *strictener) below(in, out schema, depth int) {
	if group, ok := in["properties"].(schema); ok {
		properties := schema{}
		for _, name := range slices.Sorted(maps.Keys(group)) {
			properties[name] = s.any(group[name], depth)
		}
		out["properties"] = properties
	}
	if items, there := in["items"]; there {
		out["items"] = s.any(items, depth)
	}
}

// alternatives keeps anyOf, and oneOf as anyOf; a single one takes the place of the list.
func (s *strictener) alternatives(in, out schema, depth int) {
	var branches []any
	for _, key := range []string{"anyOf", "oneOf"} {
		list, _ := in[key].([]any)
		for _, branch := range list {
			if b, ok := branch.(schema); ok && b["type"] == "null" {
				out["nullable"] = true
				continue
			}
			branches = append(branches, s.any(branch, depth))
		}
	}
	switch {
	case len(branches) == 1:
		merge(out, branches[0].(schema))
	case len(branches) > 1:
		out["anyOf"] = branches
	}
}

// together puts the parts of allOf into one schema.
func (s *strictener) together(in, out schema, depth int) {
	list, _ := in["allOf"].([]any)
	for _, part := range list {
		if p, ok := part.(schema); ok {
			merge(out, s.object(p, depth+1))
		}
	}
}

// merge adds to out what part says more.
func merge(out, part schema) {
	for key, value := range part {
		have, there := out[key]
		switch {
		case !there:
			out[key] = value
		case key == "properties":
			own, more := have.(schema), value.(schema)
			for name, p := range more {
				if _, there := own[name]; !there {
					own[name] = p
				}
			}
		case key == "required":
			addRequired(out, names(value))
		}
	}
}

// any is a subschema; true, false and everything else allow anything.
func (s *strictener) any(v any, depth int) schema {
	if sub, ok := v.(schema); ok {
		return s.object(sub, depth+1)
	}
	return schema{"type": "string"}
}

// finish drops what the kept parts do not bear out: required names without a property,
// enums that are not of text, a missing type.
func finish(in, out schema) {
	if c, ok := in["const"].(string); ok {
		out["enum"] = []any{c}
	}
	if _, typed := out["type"]; !typed && out["anyOf"] == nil {
		out["type"] = guessType(out)
	}
	if texts := names(out["enum"]); len(texts) > 0 && (out["type"] == "string" || out["anyOf"] != nil) {
		enum := make([]any, len(texts))
		for i, t := range texts {
			enum[i] = t
		}
		out["enum"] = enum
	} else {
		delete(out, "enum")
	}
	if out["type"] == "array" && out["items"] == nil {
		out["items"] = schema{"type": "string"}
	}
	properties, _ := out["properties"].(schema)
	required, _ := out["required"].([]any)
	required = slices.DeleteFunc(slices.Clone(required), func(name any) bool {
		_, there := properties[name.(string)]
		return !there
	})
	if delete(out, "required"); len(required) > 0 {
		out["required"] = required
	}
}

func guessType(s schema) string {
	switch {
	case s["properties"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return "string"
}
