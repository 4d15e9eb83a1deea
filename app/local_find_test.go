package app

import (
	"encoding/json"
	"testing"
)

func TestParsePasteFillsForms(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a command line", `B=2 A="x y" npx -y foo-mcp`,
			`{"forms":[{"name":"foo","type":"stdio","command":"npx","args":["-y","foo-mcp"],"cwd":"","url":"","env":[{"name":"A","value":"x y","hasValue":false},{"name":"B","value":"2","hasValue":false}],"headers":[],"enable":true}],"warnings":[]}`},
		{"a URL", "https://mcp.linear.app/sse",
			`{"forms":[{"name":"linear","type":"sse","command":"","args":[],"cwd":"","url":"https://mcp.linear.app/sse","env":[],"headers":[],"enable":true}],"warnings":[]}`},
		{"what no form holds", `{"a": {"url": "https://x.dev", "headers": {"H": "v"}, "timeoutMs": 5, "tools": {"exclude": ["x"]}}}`,
			`{"forms":[{"name":"a","type":"streamable_http","command":"","args":[],"cwd":"","url":"https://x.dev","env":[],"headers":[{"name":"H","value":"v","hasValue":false}],"enable":true}],"warnings":["a: the form has no place for timeoutMs, tools. Write it into mcp.json when the server is saved"]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			paste, err := (&Local{}).ParsePaste(t.Context(), tt.in)
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(paste)
			if err != nil || string(got) != tt.want {
				t.Errorf("got\n%s, %v\nwant\n%s", got, err, tt.want)
			}
		})
	}
	if _, err := (&Local{}).ParsePaste(t.Context(), "hello"); err == nil || commandError(err).Code != CodeInvalid {
		t.Errorf("a word: %v", err)
	}
}
