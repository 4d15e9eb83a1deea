package tool_test

import (
	"encoding/json"
	"strings"
	"testing"

	"patchbay/backend/tool"
)

func TestMismatch(t *testing.T) {
	tree := `{"$ref":"#/$defs/node","$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"children":{"type":"array","items":{"$ref":"#/$defs/node"}}}}}}`
	tests := []struct{ name, schema, value, want string }{
		{"fits", `{"type":"object","properties":{"a":{"type":"integer"}},"required":["a"]}`, `{"a":3}`, ""},
		{"another type", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"a":"3"}`, `a: 3 has type "string", want "integer"`},
		{"missing", `{"type":"object","required":["a"]}`, `{}`, "required"},
		{"draft 07", `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false}`, `{"b":1}`, "b"},
		{"no object", `{"type":"object"}`, `[1]`, "array"},
		{"a tree that fits", tree, `{"name":"a","children":[{"name":"b","children":[{"name":"c"}]}]}`, ""},
		{"a tree that does not", tree, `{"name":"a","children":[{"name":"b","children":[{"name":7}]}]}`, `name: 7 has type "integer", want "string"`},
		{"no schema", ``, `{"a":1}`, ""},
		{"null schema", `null`, `{"a":1}`, ""},
		{"a list as schema", `[1]`, `{"a":1}`, ""},
		{"broken pattern", `{"properties":{"a":{"pattern":"(?=x)"}}}`, `{"a":"y"}`, ""},
		{"another document", `{"$ref":"https://example.com/s.json"}`, `{"a":1}`, ""},
		{"a property called $ref", `{"properties":{"$ref":{"type":"string"}}}`, `{"$ref":1}`, "string"},
		{"escaped names", `{"properties":{"a/b":{"$ref":"#/properties/c~0d"},"c~d":{"type":"string"}}}`, `{"a/b":1}`, "string"},
		{"broken value", `{"type":"object"}`, `{"a":`, "valid JSON"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tool.Mismatch(json.RawMessage(tt.schema), json.RawMessage(tt.value))
			if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want it to hold %q", got, tt.want)
			}
		})
	}
}

// A server must not be able to end the program, or to keep it busy, with a schema.
func TestMismatchIsBounded(t *testing.T) {
	doubling := `{"allOf":[{"properties":{"a":{"$ref":"#"}}},{"properties":{"a":{"$ref":"#"}}}],"type":"object"}`
	chain := `{"$ref":"#/$defs/n0","$defs":{`
	for i := range 40 {
		chain += `"n` + string(rune('0'+i/10)) + string(rune('0'+i%10)) + `":{"allOf":[{"$ref":"#/$defs/n` +
			string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)) + `"},{"$ref":"#/$defs/n` + string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10)) + `"}]},`
	}
	chain += `"n40":{"type":"string"},"n0":{"$ref":"#/$defs/n00"}}}`
	deep := strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40)
	for name, in := range map[string][2]string{
		"itself":            {`{"$ref":"#"}`, `{}`},
		"itself by a name":  {`{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}`, `{}`},
		"itself in a list":  {`{"allOf":[{"$ref":"#"}]}`, `{}`},
		"itself as a not":   {`{"not":{"$ref":"#"}}`, `{}`},
		"itself, escaped":   {`{"$ref":"#/%24defs/a","$defs":{"a":{"$ref":"#/%24defs/a"}}}`, `{}`},
		"an anchor":         {`{"$anchor":"x","allOf":[{"$ref":"#x"}]}`, `{}`},
		"a dynamic one":     {`{"$dynamicAnchor":"x","allOf":[{"$dynamicRef":"#x"}]}`, `{}`},
		"another base":      {`{"properties":{"a":{"$id":"http://x/y","$ref":"#"}}}`, `{"a":{}}`},
		"doubling":          {doubling, deep},
		"doubling in place": {chain, `3`},
		"a deep value":      {`{"type":"string"}`, strings.Repeat("[", 5000) + strings.Repeat("]", 5000)},
		"a large value":     {`{"type":"string"}`, `[` + strings.Repeat("1,", 3<<20) + `1]`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tool.Mismatch(json.RawMessage(in[0]), json.RawMessage(in[1])); got != "" {
				t.Errorf("checked: %q", got)
			}
		})
	}
	long := tool.Mismatch(json.RawMessage(`{"type":"object"}`), json.RawMessage(`"`+strings.Repeat("é", 3000)+`"`))
	if len(long) > 500 || !strings.HasSuffix(long, "…") {
		t.Errorf("%d bytes: %.80q", len(long), long)
	}
}
