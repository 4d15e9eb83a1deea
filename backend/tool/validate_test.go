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

func TestCheck(t *testing.T) {
	const schema = `{"type":"object","properties":{
		"s":{"type":"string"},"n":{"type":"number"},"i":{"type":"integer"},"b":{"type":"boolean"},
		"o":{"type":"object"},"a":{"type":"array"},"u":{"type":["string","null"]},"any":true,"odd":{"type":"date"}},
		"required":["s","n"]}`
	tests := []struct{ name, schema, in, want string }{
		{name: "all fits", in: `{"s":"","n":1.5,"i":2.0,"b":false,"o":{},"a":[],"u":null,"any":{},"odd":1,"unknown":1}`},
		{name: "missing", in: `{"i":1}`, want: `argument "n" is required; argument "s" is required`},
		{name: "wrong types", in: `{"s":1,"n":"1","i":1.5,"b":"true","o":[],"a":{},"u":2}`,
			want: `argument "a" must be of type array, not an object; argument "b" must be of type boolean, not a string; ` +
				`argument "i" must be of type integer, not a number; argument "n" must be of type number, not a string; ` +
				`argument "o" must be of type object, not an array; argument "s" must be of type string, not a number; ` +
				`argument "u" must be of type string or null, not a number`},
		{name: "null where it is optional", in: `{"s":"","n":1,"i":null}`},
		{name: "null where it is required", in: `{"s":null,"n":1}`, want: `argument "s" must be of type string, not null`},
		{name: "a large integer", in: `{"s":"","n":1,"i":1e300}`},
		{name: "no schema", schema: `null`, in: `{"x":1}`},
		{name: "a schema that cannot be read", schema: `{"required":true}`, in: `{}`},
		{name: "no object", in: `[]`, want: "the arguments must be a JSON object, not an array"},
		{name: "no JSON", in: `{`, want: "the arguments are not valid JSON: unexpected end of JSON input"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.schema == "" {
				tt.schema = schema
			}
			if got := message(tool.Check(json.RawMessage(tt.schema), json.RawMessage(tt.in))); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
