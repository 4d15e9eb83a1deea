package tool

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
)

// The most that a check may cost. Schema and value both come from a server.
const (
	maxCheckedBytes = 4 << 20   // of the value
	maxCheckedDepth = 64        // of the value
	maxCheckedSteps = 2_000_000 // subschemas applied to values, at worst
	maxMismatch     = 400       // bytes of the answer
)

// Mismatch says where a JSON value does not fit a JSON Schema (2020-12 or draft-07), "" when
// it does. A schema that cannot be checked fits everything: one that is no schema, refers to
// other documents, refers to itself without an end, or would take too long.
func Mismatch(raw, value json.RawMessage) string {
	if len(raw) == 0 || len(raw) > maxSchemaBytes || len(value) > maxCheckedBytes {
		return ""
	}
	var root, v any
	if json.Unmarshal(raw, &root) != nil {
		return ""
	}
	if err := json.Unmarshal(value, &v); err != nil {
		return "it is not valid JSON: " + err.Error()
	}
	count, depth := extent(v)
	if depth > maxCheckedDepth || !newReach(root).within(depth, maxCheckedSteps/float64(count)) {
		return ""
	}
	var s jsonschema.Schema
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	resolved, err := s.Resolve(nil)
	if err != nil {
		return ""
	}
	if err := resolved.Validate(v); err != nil {
		return clipped(plainMismatch(err.Error()), maxMismatch)
	}
	return ""
}

// plainMismatch says the innermost place by the names of properties: jsonschema-go names each
// subschema on the way, "validating root: validating /properties/a: type: …".
func plainMismatch(text string) string {
	place := ""
	for {
		rest, ok := strings.CutPrefix(text, "validating ")
		at, after, more := strings.Cut(rest, ": ")
		if !ok || !more {
			break
		}
		place, text = at, after
	}
	place = strings.TrimPrefix(strings.ReplaceAll(strings.ReplaceAll(place, "/properties/", "/"), "/items", "/each"), "/")
	text = strings.TrimPrefix(text, "type: ")
	if place == "" || place == "root" {
		return text
	}
	return place + ": " + text
}

func clipped(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}

// extent counts the values in v and how deep they are nested.
func extent(v any) (count, depth int) {
	each := func(inner any) {
		n, d := extent(inner)
		count, depth = count+n, max(depth, d+1)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, inner := range v {
			each(inner)
		}
	case []any:
		for _, inner := range v {
			each(inner)
		}
	}
	return count + 1, depth
}

// reach works out how often a schema is applied to one value at worst. The validator has no
// limit of its own: {"$ref": "#"} would overflow the stack, which ends the program, and
// references that branch double the work at each level.
type reach struct {
	root  any
	known map[reachKey]float64
	bad   bool // it cannot be told
}

type reachKey struct {
	path  string // JSON pointer of the subschema
	depth int    // of the value below
}

func newReach(root any) *reach { return &reach{root: root, known: map[reachKey]float64{}} }

func (r *reach) within(depth int, most float64) bool {
	for d := 0; d <= depth; d++ {
		if r.at("", d) > most || r.bad {
			return false
		}
	}
	return !r.bad
}

const open = -1 // a reachKey that is being worked out

// at is how many subschemas are applied to the value depth levels below where path is.
func (r *reach) at(path string, depth int) float64 {
	key := reachKey{path, depth}
	if n, ok := r.known[key]; ok {
		r.bad = r.bad || n == open // it applies itself to the same value
		return max(n, 0)
	}
	s, isObject := pointed(r.root, path)
	if r.bad = r.bad || s == nil; r.bad {
		return 0
	}
	object, _ := s.(schema)
	if !isObject {
		return 1
	}
	r.known[key] = open
	n := r.sum(object, path, depth)
	r.known[key] = n
	return n
}

func (r *reach) sum(s schema, path string, depth int) float64 {
	n := 0.0
	if depth == 0 {
		enum, _ := s["enum"].([]any)
		n = float64(1 + len(enum))
	}
	for word, v := range s {
		at := path + "/" + word
		switch word {
		case "$ref":
			target, local := strings.CutPrefix(fmt.Sprint(v), "#")
			r.bad = r.bad || !local || target != "" && target[0] != '/' || strings.Contains(target, "%")
			if !r.bad {
				n += r.at(target, depth)
			}
		case "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor":
			r.bad = true
		case "$id":
			r.bad = r.bad || path != "" // its references mean another document
		case "allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies":
			n += r.children(v, at, depth, false)
		case "properties", "prefixItems":
			if depth > 0 {
				n += r.children(v, at, depth-1, true)
			}
		case "items", "patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames",
			"additionalItems", "contains", "unevaluatedItems":
			if depth > 0 {
				n += r.children(v, at, depth-1, false)
			}
		}
	}
	return n
}

// maps of subschemas by name; other keywords hold a schema or a list of them.
func isSchemaMap(word string) bool {
	switch word {
	case "properties", "patternProperties", "dependentSchemas", "dependencies":
		return true
	}
	return false
}

// children adds up the subschemas of a keyword; apart takes the largest, where each is for
// another value.
func (r *reach) children(v any, at string, depth int, apart bool) float64 {
	total, largest := 0.0, 0.0
	add := func(key string) {
		n := r.at(at+"/"+escapePointer(key), depth)
		total, largest = total+n, max(largest, n)
	}
	switch v := v.(type) {
	case []any:
		for i := range v {
			add(fmt.Sprint(i))
		}
	case schema:
		if !isSchemaMap(at[strings.LastIndex(at, "/")+1:]) {
			return r.at(at, depth)
		}
		for name := range v {
			add(name)
		}
	}
	if apart {
		return largest
	}
	return total
}

func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// pointed follows a JSON pointer (RFC 6901); nil where there is nothing.
func pointed(root any, path string) (v any, isObject bool) {
	v = root
	if path != "" {
		for _, key := range strings.Split(path[1:], "/") {
			key = strings.NewReplacer("~1", "/", "~0", "~").Replace(key)
			switch inner := v.(type) {
			case schema:
				v = inner[key]
			case []any:
				i := 0
				if _, err := fmt.Sscanf(key, "%d", &i); err != nil || i < 0 || i >= len(inner) {
					return nil, false
				}
				v = inner[i]
			default:
				return nil, false
			}
		}
	}
	_, isObject = v.(schema)
	return v, isObject
}
