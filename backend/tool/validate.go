package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
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
