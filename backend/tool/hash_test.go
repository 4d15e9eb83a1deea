package tool_test

import (
	"encoding/json"
	"testing"

	"patchbay/backend/tool"
)

func TestHash(t *testing.T) {
	raw := func(s string) json.RawMessage { return json.RawMessage(s) }
	in := raw(`{"type":"object","properties":{"a":{"type":"string"},"b":{"minimum":1.50}}}`)
	base := tool.Hash("n", "d", in, nil)
	if len(base) != 32 {
		t.Fatalf("hash %q is not 128 bits in hexadecimal", base)
	}
	same := raw(" {\"properties\" : {\"b\":{\"minimum\":1.50},\n\"a\":{\"type\":\"str\\u0069ng\"}}, \"type\":\"object\"}")
	if got := tool.Hash("n", "d", same, nil); got != base {
		t.Error("another spelling of the same JSON changes the hash")
	}
	others := map[string]string{
		"name":                tool.Hash("m", "d", in, nil),
		"description":         tool.Hash("n", "e", in, nil),
		"input":               tool.Hash("n", "d", raw(`{"type":"object","properties":{"a":{"type":"string"},"b":{"minimum":1.51}}}`), nil),
		"large number":        tool.Hash("n", "d", raw(`{"maximum":9007199254740993}`), nil),
		"other large number":  tool.Hash("n", "d", raw(`{"maximum":9007199254740992}`), nil),
		"output":              tool.Hash("n", "d", in, raw(`{"type":"object"}`)),
		"moved border":        tool.Hash("nd", "", in, nil),
		"input as output":     tool.Hash("n", "d", nil, in),
		"more behind":         tool.Hash("n", "d", raw(`{} {}`), nil),
		"nothing more behind": tool.Hash("n", "d", raw(`{}`), nil),
		"order of a list":     tool.Hash("n", "d", raw(`{"enum":[1,2]}`), nil),
		"other order":         tool.Hash("n", "d", raw(`{"enum":[2,1]}`), nil),
	}
	seen := map[string]string{base: "base"}
	for name, hash := range others {
		if other, taken := seen[hash]; taken {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[hash] = name
	}
}

// Workspace grants outlive a program version: the hash of a tool must not change with it.
func TestHashIsStable(t *testing.T) {
	got := tool.Hash("echo", "Echoes.", json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`), nil)
	if want := "42ab23bf139c26c6f036c205599d39c6"; got != want {
		t.Errorf("Hash = %s, want %s", got, want)
	}
}
