package tool

import (
	"encoding/json"
	"slices"
)

// strictKeys are the keywords that the strictest endpoints take.
var strictKeys = []string{
	"type", "title", "description", "properties", "required", "items", "enum", "anyOf",
	"minimum", "maximum", "minItems", "maxItems", "nullable",
}

// strictDepth is how far nested references are followed; below it anything is allowed.
const strictDepth = 8

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
	s := strictener{root: root}
	out, err := json.Marshal(s.object(root, 0))
	if err != nil {
		return emptySchema()
	}
	return out
}

type strictener struct{ root schema }

func (s strictener) object(in schema, depth int) schema {
	if depth > strictDepth {
		return schema{"type": "object"}
	}
	if ref, ok := in["$ref"].(string); ok {
		if target, ok := resolveRef(s.root, ref).(schema); ok {
			return s.object(target, depth+1)
		}
		return schema{"type": "object"}
	}
	out := schema{}
	for key, value := range in {
		if slices.Contains(strictKeys, key) {
			out[key] = value
		}
	}
	s.oneType(in, out)
	s.below(in, out, depth)
	if c, ok := in["const"].(string); ok {
		out["enum"] = []any{c}
	}
	if e, there := out["enum"]; there && !isStrings(e) {
		delete(out, "enum")
	}
	if _, typed := out["type"]; !typed && out["anyOf"] == nil {
		out["type"] = guessType(out)
	}
	return out
}

// oneType makes a list of types one type, and null among them nullable.
func (s strictener) oneType(in, out schema) {
	list, ok := in["type"].([]any)
	if !ok {
		return
	}
	delete(out, "type")
	for _, name := range names(list) {
		if name == "null" {
			out["nullable"] = true
		} else if _, there := out["type"]; !there {
			out["type"] = name
		}
	}
}

func (s strictener) below(in, out schema, depth int) {
	if group, ok := in["properties"].(schema); ok {
		properties := schema{}
		for name, p := range group {
			properties[name] = s.any(p, depth)
		}
		out["properties"] = properties
	}
	if in["items"] != nil {
		out["items"] = s.any(in["items"], depth)
	}
	for _, key := range []string{"anyOf", "oneOf"} {
		if list, ok := in[key].([]any); ok {
			var branches []any
			for _, branch := range list {
				if b, ok := branch.(schema); ok && b["type"] == "null" {
					out["nullable"] = true
					continue
				}
				branches = append(branches, s.any(branch, depth))
			}
			out["anyOf"] = branches
		}
	}
	if list, ok := in["allOf"].([]any); ok && len(list) > 0 {
		for key, value := range s.any(list[0], depth) {
			if _, there := out[key]; !there {
				out[key] = value
			}
		}
	}
}

// any is a subschema; true, false and everything else allow anything.
func (s strictener) any(v any, depth int) schema {
	if sub, ok := v.(schema); ok {
		return s.object(sub, depth+1)
	}
	return schema{"type": "string"}
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
