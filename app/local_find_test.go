package app

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"patchbay/backend/fsx"
	"patchbay/backend/history"
	"patchbay/backend/model"
)

func TestParsePasteFillsForms(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"a command line", `B=2 A="x y" npx -y foo-mcp`,
			`{"forms":[{"name":"foo","type":"stdio","command":"npx","args":["-y","foo-mcp"],"cwd":"","url":"","env":[{"name":"A","value":"x y","hasValue":false},{"name":"B","value":"2","hasValue":false}],"headers":[],"enable":true,"timeoutMs":0,"callTimeoutMs":0,"protocol":""}],"warnings":[]}`},
		{"a URL", "https://mcp.linear.app/sse",
			`{"forms":[{"name":"linear","type":"sse","command":"","args":[],"cwd":"","url":"https://mcp.linear.app/sse","env":[],"headers":[],"enable":true,"timeoutMs":0,"callTimeoutMs":0,"protocol":""}],"warnings":[]}`},
		{"what no form holds", `{"a": {"url": "https://x.dev", "headers": {"H": "v"}, "timeoutMs": 5, "protocol": "2025-06-18", "tools": {"exclude": ["x"]}}}`,
			`{"forms":[{"name":"a","type":"streamable_http","command":"","args":[],"cwd":"","url":"https://x.dev","env":[],"headers":[{"name":"H","value":"v","hasValue":false}],"enable":true,"timeoutMs":5,"callTimeoutMs":0,"protocol":"2025-06-18"}],"warnings":["a: the form has no place for tools. Write it into mcp.json when the server is saved"]}`},
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

func TestSearchSessionsTellsWhereAndWhat(t *testing.T) {
	r := newChangeRig(t)
	saved, err := history.Open(filepath.Join(fsx.AppDirs().Data, "sessions.db")) // as another process writes it
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = saved.Close() }()
	if err := saved.Create(r.ctx(), history.Info{ID: "s", Title: "Fix the parser", Workspace: "/w"}); err != nil {
		t.Fatal(err)
	}
	if err := saved.Append(r.ctx(), "s", history.Entry{AtMs: 5, Message: model.Message{Role: model.Assistant, Text: "It loops at 解析器 line 3"}}); err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"解析 line": `[{"sessionId":"s","title":"Fix the parser","workspace":"/w","atMs":5,"role":"assistant","before":"It loops at ","match":"解析","after":"器 line 3"}]`,
		"absent":  `[]`,
		"":        `[]`,
	} {
		hits, err := r.SearchSessions(r.ctx(), query)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(hits); err != nil || string(got) != want {
			t.Errorf("%q finds %s, %v; want %s", query, got, err, want)
		}
	}
}
