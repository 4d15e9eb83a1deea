package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// Arguments returns a call's arguments as a JSON object: blank and null are {}. Anything
// else that is no object is an error that says what it is.
func Arguments(raw json.RawMessage) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return json.RawMessage("{}"), nil
	}
	if _, err := object(trimmed); err != nil {
		return nil, err
	}
	return trimmed, nil
}

func object(raw json.RawMessage) (map[string]any, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, fmt.Errorf("the arguments are not valid JSON: %w", err)
	}
	args, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("the arguments must be a JSON object, not %s", typeName(v))
	}
	return args, nil
}

func typeName(v any) string {
	switch v.(type) {
	case string:
		return "a string"
	case float64:
		return "a number"
	case bool:
		return "a boolean"
	case []any:
		return "an array"
	case map[string]any:
		return "an object"
	}
	return "null"
}

// Check looks for what makes a call useless: a required argument that is missing, or one of
// another type than the schema's. Everything else is left to the tool, an optional argument
// that is null too. Faults are listed by argument name.
func Check(schema, arguments json.RawMessage) error {
	var s struct {
		Properties map[string]any `json:"properties"`
		Required   []string       `json:"required"`
	}
	args, err := object(arguments)
	if err != nil {
		return err
	}
	if json.Unmarshal(schema, &s) != nil {
		return nil // the schema itself is odd: the tool decides
	}
	var faults []string
	for _, name := range slices.Compact(slices.Sorted(slices.Values(s.Required))) {
		if _, given := args[name]; !given {
			faults = append(faults, fmt.Sprintf("argument %q is required", name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(args)) {
		p, _ := s.Properties[name].(map[string]any)
		optional := args[name] == nil && !slices.Contains(s.Required, name)
		if !optional && !fits(p["type"], args[name]) {
			faults = append(faults, fmt.Sprintf("argument %q must be %s, not %s", name, wanted(p["type"]), typeName(args[name])))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
}

// wanted names the types of a schema.
func wanted(types any) string {
	if one, ok := types.(string); ok {
		return "of type " + one
	}
	return "of type " + strings.Join(names(types), " or ")
}

// fits reports whether a value may be of the schema's type; other shapes of type fit all.
func fits(want, value any) bool {
	switch want := want.(type) {
	case string:
		return isType(want, value)
	case []any:
		for _, w := range want {
			if name, ok := w.(string); !ok || isType(name, value) {
				return true
			}
		}
		return len(want) == 0
	}
	return true
}

func isType(name string, value any) bool {
	switch name {
	case "string":
		_, ok := value.(string)
		return ok
	case "number":
		_, ok := value.(float64)
		return ok
	case "integer":
		n, ok := value.(float64)
		return ok && n == math.Trunc(n)
	case "boolean":
		_, ok := value.(bool)
		return ok
	case "object":
		_, ok := value.(map[string]any)
		return ok
	case "array":
		_, ok := value.([]any)
		return ok
	case "null":
		return value == nil
	}
	return true
}
