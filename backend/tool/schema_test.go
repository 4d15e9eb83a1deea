package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"patchbay/backend/model/modeltest"
	"patchbay/backend/tool"
)

// request is a chat request that offers one tool with the given schema.
func request(t testing.TB, parameters json.RawMessage) []byte {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"model": "m", "stream": true,
		"messages": []any{map[string]any{"role": "user", "content": "hi"}},
		"tools": []any{map[string]any{"type": "function", "function": map[string]any{
			"name": "t", "description": "d", "parameters": parameters}}},
	})
	if err != nil {
		t.Fatalf("encode a request with %s: %v", parameters, err)
	}
	return body
}

func accepted(t testing.TB, parameters json.RawMessage, limits modeltest.Limits) {
	t.Helper()
	if _, refusal := modeltest.Check(request(t, parameters), limits); refusal != nil {
		t.Fatalf("the endpoint refuses %s: %s", parameters, refusal.Message)
	}
}

func TestRepairMendsWhatEndpointsRefuse(t *testing.T) {
	const empty = `{"type":"object","properties":{}}`
	tests := []struct{ name, in, want string }{
		{"missing", ``, empty},
		{"null", `null`, empty},
		{"list", `[]`, empty},
		{"text", `"object"`, empty},
		{"not JSON", `{`, empty},
		{"two values", `{"type":"object","properties":{}} {}`, empty},
		{"T09 no properties", `{"type":"object"}`, `{"properties":{},"type":"object"}`},
		{"empty", `{}`, `{"properties":{},"type":"object"}`},
		{"properties null", `{"type":"object","properties":null}`, `{"properties":{},"type":"object"}`},
		{"type list at the root", `{"type":["object","null"],"properties":{}}`, `{"properties":{},"type":"object"}`},
		{"array without items", `{"type":"object","properties":{"a":{"type":"array"}}}`,
			`{"properties":{"a":{"items":{},"type":"array"}},"type":"object"}`},
		{"array in a type list", `{"type":"object","properties":{"a":{"type":["array","null"]}}}`,
			`{"properties":{"a":{"items":{},"type":["array","null"]}},"type":"object"}`},
		{"list of items", `{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}]}}}`,
			`{"properties":{"a":{"items":{"anyOf":[{"type":"string"}]},"type":"array"}},"type":"object"}`},
		{"property is text", `{"type":"object","properties":{"a":"string"}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"required: true of draft 3", `{"type":"object","properties":{"a":{"type":"string","required":true}}}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{"required: null", `{"type":"object","properties":{},"required":null}`, `{"properties":{},"type":"object"}`},
		{"exclusiveMinimum of draft 4", `{"type":"object","properties":{"a":{"type":"number","minimum":0,"exclusiveMinimum":true}}}`,
			`{"properties":{"a":{"minimum":0,"type":"number"}},"type":"object"}`},
		{"unknown type", `{"type":"object","properties":{"a":{"type":"any"},"b":{"type":["date","string"]}}}`,
			`{"properties":{"a":{},"b":{"type":["string"]}},"type":"object"}`},
		{"description null", `{"type":"object","properties":{"a":{"description":null}}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"empty enum", `{"type":"object","properties":{"a":{"enum":[]}}}`, `{"properties":{"a":{}},"type":"object"}`},
		{"additionalProperties null", `{"type":"object","properties":{},"additionalProperties":null}`, `{"properties":{},"type":"object"}`},
		{"anyOf with rubbish", `{"type":"object","properties":{"a":{"anyOf":[1,{"type":"string"}]},"b":{"oneOf":[]}}}`,
			`{"properties":{"a":{"anyOf":[{"type":"string"}]},"b":{}},"type":"object"}`},
		{"root reference", `{"$ref":"#/$defs/A","$defs":{"A":{"type":"object","properties":{"x":{"type":"string"}},"required":["x"]}}}`,
			`{"$defs":{"A":{"properties":{"x":{"type":"string"}},"required":["x"],"type":"object"}},"properties":{"x":{"type":"string"}},"required":["x"],"type":"object"}`},
		{"root reference in a circle", `{"$ref":"#/$defs/A","$defs":{"A":{"$ref":"#/$defs/A"}}}`,
			`{"$defs":{"A":{"$ref":"#/$defs/A"}},"properties":{},"type":"object"}`},
		{"root reference to nowhere", `{"$ref":"http://example.com/x"}`, `{"properties":{},"type":"object"}`},
		{"oneOf at the root", `{"oneOf":[{"properties":{"a":{"type":"string"},"k":{}},"required":["a","k"]},{"properties":{"b":{"type":"string"},"k":{}},"required":["b","k"]}]}`,
			`{"properties":{"a":{"type":"string"},"b":{"type":"string"},"k":{}},"required":["k"],"type":"object"}`},
		{"allOf at the root", `{"allOf":[{"properties":{"a":{}},"required":["a"]},{"properties":{"b":{}},"required":["b"]}]}`,
			`{"properties":{"a":{},"b":{}},"required":["a","b"],"type":"object"}`},
		{"enum and not at the root", `{"type":"object","properties":{},"enum":[{}],"not":{}}`, `{"properties":{},"type":"object"}`},
		{"text is not escaped", `{"type":"object","description":"a < b & c"}`, `{"description":"a < b & c","properties":{},"type":"object"}`},
		{"invalid UTF-8", "{\"type\":\"object\",\"properties\":{},\"title\":\"a\xff\"}", "{\"properties\":{},\"title\":\"a\ufffd\",\"type\":\"object\"}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, notes := tool.Repair(json.RawMessage(tt.in))
			if string(got) != tt.want {
				t.Errorf("Repair(%s)\n got %s\nwant %s", tt.in, got, tt.want)
			}
			if len(notes) == 0 {
				t.Error("nothing says what was mended")
			}
			accepted(t, got, modeltest.Limits{})
			accepted(t, tool.RepairStrict(json.RawMessage(tt.in)), modeltest.Limits{Gemini: true})
		})
	}
}

func TestRepairPassesValidSchemasThrough(t *testing.T) {
	for _, in := range []string{
		`{"type":"object","properties":{}}`,
		`{ "properties" : {"b":{"type":["string","null"]}, "a":{"$ref":"#/$defs/X"}} , "type":"object", "$defs":{"X":{"type":"string"}} }`,
		`{"type":"object","properties":{"a":true,"b":false,"c":{"anyOf":[{"type":"string"},{"type":"null"}]}},"additionalProperties":false}`,
		`{"type":"object","properties":{"t":{"type":"array","prefixItems":[{"type":"string"}],"items":false}},"x-own":{"type":"any"}}`,
		`{"type":"object","properties":{"n":{"type":"number","minimum":1.50,"maximum":1e30}},"required":["n"]}`,
		`{"type":"object","properties":{"type":{"type":"string"},"required":{"type":"boolean"},"items":{"type":"string"}}}`,
	} {
		got, notes := tool.Repair(json.RawMessage(in))
		if string(got) != in || len(notes) != 0 {
			t.Errorf("Repair changed a valid schema (%v)\n got %s\nwant %s", notes, got, in)
		}
		accepted(t, got, modeltest.Limits{})
	}
}

func TestT12StrictSchemas(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"type list", `{"type":"object","properties":{"a":{"type":["string","null"]}}}`,
			`{"properties":{"a":{"nullable":true,"type":"string"}},"type":"object"}`},
		{"reference", `{"type":"object","properties":{"a":{"$ref":"#/$defs/X","description":"own"}},"$defs":{"X":{"type":"integer","description":"X"}}}`,
			`{"properties":{"a":{"description":"own","type":"integer"}},"type":"object"}`},
		{"optional", `{"type":"object","properties":{"a":{"anyOf":[{"type":"integer"},{"type":"null"}]}}}`,
			`{"properties":{"a":{"nullable":true,"type":"integer"}},"type":"object"}`},
		{"alternatives", `{"type":"object","properties":{"a":{"oneOf":[{"type":"integer"},{"type":"string"}]}}}`,
			`{"properties":{"a":{"anyOf":[{"type":"integer"},{"type":"string"}]}},"type":"object"}`},
		{"only null", `{"type":"object","properties":{"a":{"anyOf":[{"type":"null"}]},"b":{"type":"null"}}}`,
			`{"properties":{"a":{"nullable":true,"type":"string"},"b":{"nullable":true,"type":"string"}},"type":"object"}`},
		{"boolean schema", `{"type":"object","properties":{"a":true}}`, `{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{"const and enums", `{"type":"object","properties":{"a":{"const":"x"},"b":{"type":"integer","enum":[1,2]},"c":{"enum":["u",null]}}}`,
			`{"properties":{"a":{"enum":["x"],"type":"string"},"b":{"type":"integer"},"c":{"enum":["u"],"type":"string"}},"type":"object"}`},
		{"required without a property", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a","b"]}`,
			`{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"}`},
		{"allOf below", `{"type":"object","properties":{"p":{"allOf":[{"properties":{"a":{"type":"string"}}},{"properties":{"b":{"type":"string"}}}]}}}`,
			`{"properties":{"p":{"properties":{"a":{"type":"string"},"b":{"type":"string"}},"type":"object"}},"type":"object"}`},
		{"unknown keywords", `{"type":"object","properties":{"a":{"type":"string","format":"uri","pattern":"x","default":"y"}},"additionalProperties":false,"$schema":"s"}`,
			`{"properties":{"a":{"type":"string"}},"type":"object"}`},
		{"reference inside itself", `{"type":"object","properties":{"n":{"$ref":"#/$defs/N"}},"$defs":{"N":{"type":"object","properties":{"next":{"$ref":"#/$defs/N"}}}}}`,
			`{"properties":{"n":{"properties":{"next":{"properties":{"next":{"type":"object"}},"type":"object"}},"type":"object"}},"type":"object"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tool.RepairStrict(json.RawMessage(tt.in))
			if string(got) != tt.want {
				t.Errorf("\n got %s\nwant %s", got, tt.want)
			}
			accepted(t, got, modeltest.Limits{Gemini: true})
		})
	}
}

func TestT12HugeAndDeepSchemasAreBounded(t *testing.T) {
	deep := strings.Repeat(`{"type":"object","properties":{"a":`, 60) + `{}` + strings.Repeat(`}}`, 60)
	deepest := strings.Repeat(`{"not":`, 50_000) + `{}` + strings.Repeat(`}`, 50_000)
	huge := `{"type":"object","properties":{"a":{"description":"` + strings.Repeat("x", 300<<10) + `"}}}`
	escapes := `{"type":"object","title":"` + strings.Repeat("\xff", 100<<10) + `"}`
	// Twenty definitions of which each refers ten times to each other one.
	var defs []string
	for i := range 20 {
		var props []string
		for j := range 200 {
			props = append(props, fmt.Sprintf(`"p%d":{"$ref":"#/$defs/D%d"}`, j, (i+j+1)%20))
		}
		defs = append(defs, fmt.Sprintf(`"D%d":{"type":"object","properties":{%s}}`, i, strings.Join(props, ",")))
	}
	bomb := `{"$ref":"#/$defs/D0","$defs":{` + strings.Join(defs, ",") + `}}`
	for name, in := range map[string]string{"deep": deep, "deepest": deepest, "huge": huge, "escapes": escapes, "bomb": bomb} {
		got, notes := tool.Repair(json.RawMessage(in))
		if len(notes) == 0 || len(got) > 256<<10 {
			t.Errorf("%s: %d bytes, notes %v", name, len(got), notes)
		}
		accepted(t, got, modeltest.Limits{})
		strict := tool.RepairStrict(json.RawMessage(in))
		if len(strict) > 256<<10 {
			t.Errorf("%s: strict is %d bytes", name, len(strict))
		}
		accepted(t, strict, modeltest.Limits{Gemini: true})
	}
}

// anySchema draws JSON that looks like a schema, with what careless servers write in it.
func anySchema() *rapid.Generator[any] {
	scalar := rapid.SampledFrom([]any{nil, true, false, 1, -2.5, "", "x", "object", "array", "string", "null", "any",
		"#/$defs/a", "#/properties/b", "#", "#/$defs", []any{}, []any{"a"}, []any{"string", "null"}, []any{1}, map[string]any{}})
	keys := rapid.SampledFrom([]string{"type", "properties", "required", "items", "anyOf", "oneOf", "allOf", "not", "enum", "const", "$ref",
		"$defs", "definitions", "additionalProperties", "prefixItems", "patternProperties", "description", "nullable", "minimum", "a", "b"})
	var at func(depth int) *rapid.Generator[any]
	at = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return scalar
		}
		below := rapid.Deferred(func() *rapid.Generator[any] { return at(depth - 1) })
		object := rapid.Map(rapid.MapOfN(keys, below, 0, 6), func(m map[string]any) any { return m })
		list := rapid.Map(rapid.SliceOfN(below, 0, 3), func(l []any) any { return l })
		return rapid.OneOf(object, object, object, list, scalar)
	}
	return at(5)
}

func TestRepairProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in, err := json.Marshal(anySchema().Draw(t, "schema"))
		if err != nil {
			t.Fatal(err)
		}
		checkRepair(t, in)
	})
}

// checkRepair checks what holds for every input.
func checkRepair(t rapid.TB, in []byte) {
	t.Helper()
	before := bytes.Clone(in)
	once, notes := tool.Repair(in)
	twice, more := tool.Repair(once)
	if !bytes.Equal(once, twice) || len(more) != 0 {
		t.Fatalf("Repair is not idempotent: %s\nthen %s\nthen %s (%v)", in, once, twice, more)
	}
	if again, _ := tool.Repair(in); !bytes.Equal(once, again) {
		t.Fatalf("Repair(%s) is once %s and once %s", in, once, again)
	}
	strict := tool.RepairStrict(in)
	if again := tool.RepairStrict(strict); !bytes.Equal(strict, again) {
		t.Fatalf("RepairStrict is not idempotent: %s\nthen %s\nthen %s", in, strict, again)
	}
	if !bytes.Equal(in, before) {
		t.Fatalf("the input was changed: %s", before)
	}
	if len(notes) == 0 && !bytes.Equal(in, once) {
		t.Fatalf("changed without a note: %s to %s", in, once)
	}
	for _, c := range []struct {
		parameters json.RawMessage
		limits     modeltest.Limits
	}{{once, modeltest.Limits{}}, {strict, modeltest.Limits{Gemini: true}}, {strict, modeltest.Limits{}}} {
		if !utf8.Valid(c.parameters) {
			t.Fatalf("not UTF-8: %q", c.parameters)
		}
		body := fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}],"tools":[{"type":"function","function":{"name":"t","parameters":%s}}]}`, c.parameters)
		if _, refusal := modeltest.Check([]byte(body), c.limits); refusal != nil {
			t.Fatalf("refused: %s\nof %s\nas %s", refusal.Message, in, c.parameters)
		}
	}
}

func FuzzRepair(f *testing.F) {
	for _, seed := range []string{``, `{}`, `{"type":"object"}`, `{"$ref":"#/$defs/a","$defs":{"a":{"type":["array"],"items":[{}]}}}`,
		`{"anyOf":[{"$ref":"#/$defs"},{"properties":{"a":{"enum":[]}}}]}`, "{\"title\":\"\xff\"}", `{"type":"object","properties":{"a":{"allOf":[true]}}}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) { checkRepair(t, in) })
}
