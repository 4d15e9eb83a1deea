package practice

import (
	"encoding/json"
	"slices"
	"strings"
)

// sample is a value that fits a schema: what the schema itself offers, else one of its type.
func (r root) sample(name string, s schema, depth int) any {
	switch {
	case s.Const != nil:
		return s.Const
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.Examples) > 0:
		return s.Examples[0]
	}
	switch s.kind() {
	case "integer", "number":
		if s.Minimum != nil {
			return *s.Minimum
		}
		return json.Number("1")
	case "boolean":
		return false
	case "null":
		return nil
	case "array":
		items := []any{}
		for range min(s.MinItems, maxDepth) {
			items = append(items, r.sample(name, r.read(s.Items, 0), depth+1))
		}
		return items
	case "object":
		return r.sampleObject(s, depth)
	}
	return sampleText(name, s)
}

func (r root) sampleObject(s schema, depth int) map[string]any {
	object := map[string]any{}
	if depth >= maxDepth {
		return object
	}
	for _, p := range s.properties() {
		if slices.Contains(s.Required, p.name) {
			object[p.name] = r.sample(p.name, r.read(p.raw, 0), depth+1)
		}
	}
	return object
}

func sampleText(name string, s schema) string {
	text := "sample"
	low := strings.ToLower(name)
	switch {
	case s.Format == "date":
		return "2026-01-02"
	case s.Format == "date-time":
		return "2026-01-02T03:04:05Z"
	case s.Format == "email":
		return "someone@example.com"
	case s.Format == "uuid":
		return "00000000-0000-4000-8000-000000000000"
	case s.Format == "uri" || s.Format == "url" || strings.Contains(low, "url") || low == "uri":
		text = "https://example.com"
	case strings.Contains(low, "path") || strings.Contains(low, "dir") || low == "file":
		text = "."
	case strings.Contains(low, "timezone"):
		text = "UTC"
	}
	for len(text) < min(s.MinLength, 1000) {
		text += "x"
	}
	return text
}
