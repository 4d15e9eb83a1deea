package mcpconf

import (
	"strings"
	"testing"
)

// apply runs one command of the table on a text.
func apply(t *testing.T, in, command string) (string, error) {
	t.Helper()
	doc, fe := parseDocument("mcp.json", []byte(in))
	if fe != nil {
		t.Fatal(fe)
	}
	e := &edit{doc: doc}
	f := strings.Fields(command)
	var err error
	switch f[0] {
	case "add":
		d := Definition{Name: f[1], Type: Stdio, Command: "npx", Args: []string{"-y", "x"}, Env: map[string]string{"K": "v"}}
		err = e.set(d.entry(), "mcpServers", f[1])
	case "remove":
		err = e.remove("mcpServers", f[1])
	case "rename":
		err = e.rename(f[2], "mcpServers", f[1])
	case "set":
		err = e.set(f[len(f)-1], f[1:len(f)-1]...)
	case "enable":
		err = e.appendTo(f[1], "enabledMcpServers")
	case "disable":
		err = e.removeFrom(func(n string) bool { return n == f[1] }, "enabledMcpServers")
	default:
		t.Fatalf("unknown command %q", command)
	}
	return string(e.text()), err
}

func TestEditsChangeOneEntryAndNothingElse(t *testing.T) {
	tests := []struct{ name, in, command, want string }{
		{"first server of a new file", "{}\n", "add a",
			"{\n  \"mcpServers\": {\n    \"a\": {\n      \"type\": \"stdio\",\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"x\"],\n      \"env\": {\n        \"K\": \"v\"\n      }\n    }\n  }\n}\n"},
		{"like its siblings: tabs, one line, CRLF, BOM", "\xEF\xBB\xBF{\r\n\t\"mcpServers\": {\r\n\t\t\"b\": {\"command\": \"y\"}\r\n\t}\r\n}", "add a",
			"\xEF\xBB\xBF{\r\n\t\"mcpServers\": {\r\n\t\t\"b\": {\"command\": \"y\"},\r\n\t\t\"a\": {\"type\": \"stdio\", \"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": {\"K\": \"v\"}}\r\n\t}\r\n}"},
		{"like its siblings: lists one per line, trailing comma", "{\n    \"mcpServers\": {\n        \"b\": {\n            \"args\": [\n                \"q\"\n            ],\n        },\n    },\n}\n", "add a",
			"{\n    \"mcpServers\": {\n        \"b\": {\n            \"args\": [\n                \"q\"\n            ],\n        },\n        \"a\": {\n            \"type\": \"stdio\",\n            \"command\": \"npx\",\n            \"args\": [\n                \"-y\",\n                \"x\"\n            ],\n            \"env\": {\n                \"K\": \"v\"\n            }\n        },\n    },\n}\n"},
		{"minified", `{"x":1,"mcpServers":{"b":{"command":"y"}}}`, "add a",
			`{"x":1,"mcpServers":{"b":{"command":"y"},"a":{"type":"stdio","command":"npx","args":["-y","x"],"env":{"K":"v"}}}}`},
		{"after a comment at the end", "{\n  \"mcpServers\": {\n    \"b\": {\"command\": \"y\"} // bee\n    // \"old\": {}\n  }\n}\n", "add a",
			"{\n  \"mcpServers\": {\n    \"b\": {\"command\": \"y\"}, // bee\n    // \"old\": {}\n    \"a\": {\"type\": \"stdio\", \"command\": \"npx\", \"args\": [\"-y\", \"x\"], \"env\": {\"K\": \"v\"}}\n  }\n}\n"},
		{"into an empty object with a comment", "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n", "set mcpServers a command x",
			"{\n  \"mcpServers\": {\n    // none yet\n    \"a\": {\n      \"command\": \"x\"\n    }\n  }\n}\n"},
		{"null becomes an object", "{\"mcpServers\": null}\n", "set mcpServers a command x",
			"{\"mcpServers\": {\"a\": {\"command\": \"x\"}}}\n"},
		{"remove the first", "{\"mcpServers\": {\n  \"a\": 1, // about a\n  // about b\n  \"b\": 2\n}}", "remove a",
			"{\"mcpServers\": { // about a\n  // about b\n  \"b\": 2\n}}"},
		{"remove the middle", "{\"mcpServers\": {\n  \"a\": 1, // about a\n  // about b\n  \"b\": 2,\n  \"c\": 3\n}}", "remove b",
			"{\"mcpServers\": {\n  \"a\": 1, // about a\n  // about b\n  \"c\": 3\n}}"},
		{"remove the last", "{\"mcpServers\": {\n  \"a\": 1,\n  \"b\": 2\n}}", "remove b", "{\"mcpServers\": {\n  \"a\": 1\n}}"},
		{"remove the last with a trailing comma", "{\"mcpServers\": {\n  \"a\": 1,\n  \"b\": 2,\n}}", "remove b", "{\"mcpServers\": {\n  \"a\": 1,\n}}"},
		{"remove the only one", "{\"mcpServers\": {\n  \"a\": 1\n}}", "remove a", "{\"mcpServers\": {\n}}"},
		{"remove what is defined twice", "{\"mcpServers\": {\"a\": 1, \"b\": 2, \" a \": 3}}", "remove a", "{\"mcpServers\": {\"b\": 2}}"},
		{"remove beside a block comment", "{\"mcpServers\": {\"a\": 1 /* x */ , /* y */ \"b\": 2 /* z */}}", "remove b", "{\"mcpServers\": {\"a\": 1 /* x */  /* y */ /* z */}}"},
		{"rename", "{\"mcpServers\": {\"a\": 1, \"a\" : 2 }}", "rename a z", "{\"mcpServers\": {\"z\" : 2 }}"},
		{"set a field that is there", "{\"mcpServers\": {\"a\": {\"command\" : \"x\" , \"z\": [1]}}}", "set mcpServers a command y",
			"{\"mcpServers\": {\"a\": {\"command\" : \"y\" , \"z\": [1]}}}"},
		{"a name that needs escapes only in HTML", "{\"mcpServers\": {}}", "set mcpServers <a&b> command x", "{\"mcpServers\": {\"<a&b>\": {\"command\": \"x\"}}}"},
		{"enable in a new file", "{}\n", "enable a", "{\n  \"enabledMcpServers\": [\n    \"a\"\n  ]\n}\n"},
		{"enable beside others in one line", "{\"enabledMcpServers\": [\"b\"], \"hooks\": {}}", "enable a", "{\"enabledMcpServers\": [\"b\", \"a\"], \"hooks\": {}}"},
		{"enable beside others, one per line", "{\n  \"enabledMcpServers\": [\n    \"b\" // bee\n  ]\n}", "enable a", "{\n  \"enabledMcpServers\": [\n    \"b\", // bee\n    \"a\"\n  ]\n}"},
		{"enable in an empty list", "{\n  \"enabledMcpServers\": []\n}", "enable a", "{\n  \"enabledMcpServers\": [\n    \"a\"\n  ]\n}"},
		{"disable", "{\n  \"enabledMcpServers\": [\n    \"a\",\n    \"b\"\n  ]\n}", "disable b", "{\n  \"enabledMcpServers\": [\n    \"a\"\n  ]\n}"},
		{"disable the first in one line", "{\"enabledMcpServers\": [\"a\", \"b\", \"a\"]}", "disable a", "{\"enabledMcpServers\": [\"b\"]}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := apply(t, tt.in, tt.command)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("%s\n got %q\nwant %q", tt.command, got, tt.want)
			}
		})
	}
}
