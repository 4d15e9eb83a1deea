package tool_test

import (
	"encoding/json"
	"testing"

	"patchbay/backend/tool"
)

func TestA05Arguments(t *testing.T) {
	tests := []struct{ in, want, wantErr string }{
		{in: "", want: "{}"},
		{in: " \n", want: "{}"},
		{in: "null", want: "{}"},
		{in: "{}", want: "{}"},
		{in: ` {"a":1} `, want: `{"a":1}`},
		{in: `{"a":9007199254740993}`, want: `{"a":9007199254740993}`},
		{in: `[1]`, wantErr: "the arguments must be a JSON object, not an array"},
		{in: `"{}"`, wantErr: "the arguments must be a JSON object, not a string"},
		{in: `1`, wantErr: "the arguments must be a JSON object, not a number"},
		{in: `true`, wantErr: "the arguments must be a JSON object, not a boolean"},
		{in: `{"a":`, wantErr: "the arguments are not valid JSON: unexpected end of JSON input"},
		{in: `{} {}`, wantErr: "the arguments are not valid JSON: invalid character '{' after top-level value"},
	}
	for _, tt := range tests {
		got, err := tool.Arguments(json.RawMessage(tt.in))
		if string(got) != tt.want || message(err) != tt.wantErr {
			t.Errorf("Arguments(%q) = %s, %v; want %s, %s", tt.in, got, err, tt.want, tt.wantErr)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
