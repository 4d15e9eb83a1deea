package app

import (
	"bytes"
	"encoding/json"
	"io"
	"reflect"

	"patchbay/backend/tool"
)

// withoutTwins leaves out texts that say in JSON what the structured part says: servers send
// both for the sake of older clients, and one is enough to look at.
func withoutTwins(parts []tool.Content) []tool.Content {
	var structured []any
	for _, c := range parts {
		if v, ok := parsed(c.JSON); ok {
			structured = append(structured, v)
		}
	}
	var kept []tool.Content
	for _, c := range parts {
		if c.Kind == tool.Text && saidBy(structured, c.Text) {
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

func saidBy(structured []any, text string) bool {
	if len(structured) == 0 {
		return false
	}
	v, ok := parsed([]byte(text))
	for _, other := range structured {
		if ok && reflect.DeepEqual(v, other) {
			return true
		}
	}
	return false
}

// parsed is exactly one JSON value; numbers stay as they are written.
func parsed(data []byte) (any, bool) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return nil, false
	}
	_, err := d.Token()
	return v, err == io.EOF
}
