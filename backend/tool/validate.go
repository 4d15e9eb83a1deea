package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Arguments returns a call's arguments as a JSON object: blank and null are {}. Anything
// else that is no object is an error that says what it is.
func Arguments(raw json.RawMessage) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace(raw)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return json.RawMessage("{}"), nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(trimmed, &object); err != nil {
		return nil, fmt.Errorf("the arguments are not a JSON object: %w", err)
	}
	return trimmed, nil
}

// Check looks for what makes a call useless: a required argument that is missing, or one of
// another type than the schema's. Everything else is left to the tool.
func Check(schema, arguments json.RawMessage) error {
	var s struct {
		Properties map[string]struct {
			Type any   `json:"type"`
			Enum []any `json:"enum"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	var args map[string]any
	if json.Unmarshal(schema, &s) != nil {
		return nil // the schema itself is odd: the tool decides
	}
	if err := json.Unmarshal(arguments, &args); err != nil {
		return fmt.Errorf("the arguments are not a JSON object: %w", err)
	}
	var faults []string
	for _, name := range s.Required {
		if _, given := args[name]; !given {
			faults = append(faults, fmt.Sprintf("argument %q is required", name))
		}
	}
	for name, value := range args {
		if p, known := s.Properties[name]; known && !fits(p.Type, value) {
			faults = append(faults, fmt.Sprintf("argument %q must be of type %v", name, p.Type))
		}
	}
	if len(faults) == 0 {
		return nil
	}
	return errors.New(strings.Join(faults, "; "))
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
		return ok && n == float64(int64(n))
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
