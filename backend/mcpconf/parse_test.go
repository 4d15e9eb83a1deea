package mcpconf

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

func TestParseDefinition(t *testing.T) {
	stdio := func(change func(*Definition)) Definition {
		d := Definition{Name: "s", Type: Stdio, Command: "x", Line: 1}
		if change != nil {
			change(&d)
		}
		return d
	}
	web := func(tr Transport) Definition {
		return Definition{Name: "s", Type: tr, URL: "http://h/mcp", Line: 1}
	}
	bad := func(d Definition, text string) Definition { d.Invalid = text; return d }
	tests := []struct {
		name, in string
		want     Definition
	}{
		{"command only", `{"command":" x "}`, stdio(nil)},
		{"args byte for byte, never made unique", `{"command":"x","args":["-e","A=1","-e"," ","","é\n"]}`,
			stdio(func(d *Definition) { d.Args = []string{"-e", "A=1", "-e", " ", "", "é\n"} })},
		{"an empty env value stays, a blank key goes", `{"command":"x","env":{"A":""," B ":" v "," ":"x"}}`,
			stdio(func(d *Definition) { d.Env = map[string]string{"A": "", "B": " v "} })},
		{"cwd", `{"command":"x","cwd":" /w "}`, stdio(func(d *Definition) { d.CWD = "/w" })},
		{"process", `{"type":"Process","command":"x"}`, stdio(nil)},
		{"local", `{"type":"local","command":"x"}`, stdio(nil)},
		{"url only", `{"url":"http://h/mcp"}`, web(StreamableHTTP)},
		{"http", `{"type":" HTTP ","url":"http://h/mcp"}`, web(StreamableHTTP)},
		{"streamable-http", `{"type":"streamable-http","url":"http://h/mcp"}`, web(StreamableHTTP)},
		{"streamableHttp", `{"type":"streamableHttp","url":"http://h/mcp"}`, web(StreamableHTTP)},
		{"http-streamable", `{"type":"http-streamable","url":"http://h/mcp"}`, web(StreamableHTTP)},
		{"mcp", `{"type":"mcp","url":"http://h/mcp"}`, web(StreamableHTTP)},
		{"sse", `{"type":"sse","url":"http://h/mcp"}`, web(SSE)},
		{"server-sent-events", `{"type":"server-sent-events","url":"http://h/mcp"}`, web(SSE)},
		{"event-stream", `{"type":"event-stream","url":"http://h/mcp"}`, web(SSE)},
		{"null", `null`, bad(Definition{Name: "s", Line: 1}, "missing MCP server definition")},
		{"no object", `"npx x"`, bad(Definition{Name: "s", Line: 1}, "the definition must be an object")},
		{"nothing", `{}`, bad(Definition{Name: "s", Line: 1}, "missing MCP transport type")},
		{"stdio without command", `{"type":"stdio","url":"http://h/mcp"}`, bad(web(Stdio), "stdio transport requires command")},
		{"sse without url", `{"type":"sse"}`, bad(Definition{Name: "s", Type: SSE, Line: 1}, "sse transport requires url")},
		{"http without url", `{"type":"http"}`, bad(Definition{Name: "s", Type: StreamableHTTP, Line: 1}, "streamable_http transport requires url")},
		{"another word", `{"type":"WS","command":"x"}`, bad(stdio(func(d *Definition) { d.Type = "ws" }), "unsupported MCP transport: ws")},
		{"args of the wrong type", `{"command":"x","args":"-y"}`, bad(stdio(nil), `"args" must be a list of strings`)},
		{"an arg of the wrong type", `{"command":"x","args":["-p",8080]}`, bad(stdio(func(d *Definition) { d.Args = []string{"-p"} }), `"args": entry 2 must be a string`)},
		{"an env value of the wrong type", `{"command":"x","env":{"PORT":3000}}`, bad(stdio(nil), `"env": the value of "PORT" must be a string in quotes`)},
		{"a command of the wrong type", `{"command":["x"]}`, bad(Definition{Name: "s", Line: 1}, `"command" must be a string`)},
		{"own fields", `{"command":"x","timeoutMs":5,"callTimeoutMs":6,"protocol":"auto","auth":{"a": /* c */ 1},"tools":{"exclude":["e"],"rename":{"a":"b"}}}`,
			stdio(func(d *Definition) {
				d.TimeoutMs, d.CallTimeoutMs, d.Protocol, d.Auth = 5, 6, "auto", []byte(`{"a":1}`)
				d.Tools = ToolRules{Exclude: []string{"e"}, Rename: map[string]string{"a": "b"}}
			})},
		{"own fields of another shape", `{"command":"x","timeoutMs":"5s","callTimeoutMs":-1,"protocol":7,"auth":"oauth","tools":["*"]}`,
			stdio(func(d *Definition) {
				d.Warnings = []string{
					`"timeoutMs" is not a whole number of milliseconds above 0, so it is left alone`,
					`"callTimeoutMs" is not a whole number of milliseconds above 0, so it is left alone`,
					`"tools" is not {"exclude": [names], "rename": {"from": "to"}}, so it is left alone`,
					`"protocol" is not "auto" or a revision such as "2025-06-18", so it is left alone`,
					`"auth" is not an object, so it is left alone`,
				}
			})},
		{"a pinned revision", `{"command":"x","protocol":" 2024-11-05 "}`, stdio(func(d *Definition) { d.Protocol = "2024-11-05" })},
		{"an unknown revision", `{"command":"x","protocol":"2025-06-19"}`,
			bad(stdio(func(d *Definition) { d.Protocol = "2025-06-19" }), `unsupported protocol: 2025-06-19. Use "auto" or one of 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28`)},
		{"a protocol of another program", `{"command":"x","protocol":"http"}`,
			stdio(func(d *Definition) {
				d.Warnings = []string{`"protocol" is not "auto" or a revision such as "2025-06-18", so it is left alone`}
			})},
		{"unknown fields", `{"command":"x","disabled":true,"autoApprove":[1]}`, stdio(nil)},
		{"comments and trailing commas", `{/* c */"command":"x",}`, stdio(nil)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defs, fe := ParseDefinitions("mcp.json", []byte(`{"mcpServers":{"s":`+tt.in+`}}`))
			if fe != nil || len(defs) != 1 {
				t.Fatalf("got %d definitions, %v", len(defs), fe)
			}
			if !reflect.DeepEqual(defs[0], tt.want) {
				t.Errorf("\n got %+v\nwant %+v", defs[0], tt.want)
			}
		})
	}
}

func TestParseKeepsFileOrderAndTellsLines(t *testing.T) {
	defs, fe := ParseDefinitions("mcp.json", []byte("\xEF\xBB\xBF{ // c\r\n \"other\": 1,\r\n \"mcpServers\": {\r\n  \"time\": {\"command\":\"a\"},\r\n\r\n  \"fetch\": {\"command\":\"b\"},\r\n  \" time \": {\"command\":\"c\"},\r\n  \" \": {},\r\n }\r\n}"))
	if fe != nil || len(defs) != 2 {
		t.Fatalf("got %v, %v", defs, fe)
	}
	if defs[0].Name != "time" || defs[0].Command != "c" || defs[0].Line != 7 || defs[1].Name != "fetch" || defs[1].Line != 6 {
		t.Errorf("got %+v", defs)
	}
	if len(defs[0].Warnings) != 1 || defs[0].Warnings[0] != "the name is defined twice, in lines 4 and 7; the later one counts" {
		t.Errorf("warnings of the name that is defined twice: %q", defs[0].Warnings)
	}
}

func TestParseFileErrorsNameThePlace(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"a missing brace", "{\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}", `f: line 2, column 39: parsing object after value: the file ends too early`},
		{"columns count characters", "{\"é\": x}", `f: line 1, column 7: invalid literal: x`},
		{"empty", " \n", "f: line 1, column 1: the file is empty: write {} into it, or delete it"},
		{"UTF-16 little endian", "\xFF\xFE{\x00}\x00", "f: line 1, column 1: the file is UTF-16 text: save it as UTF-8"},
		{"UTF-16 without a mark", "{\x00}\x00", "f: line 1, column 1: the file is UTF-16 text: save it as UTF-8"},
		{"not UTF-8", "{\n \"\xE9\": 1}", "f: line 2, column 3: the file is not valid UTF-8 text here: save it as UTF-8"},
		{"a list", " []", `f: line 1, column 2: the file must hold one JSON object, as in {"mcpServers": {}}`},
		{"servers as a list", "{\n\"mcpServers\": []}", `f: line 2, column 15: "mcpServers" must be an object of server definitions`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, fe := ParseDefinitions("f", []byte(tt.in)); fe == nil || fe.Error() != tt.want {
				t.Errorf("got %v\nwant %s", fe, tt.want)
			}
		})
	}
	for in, want := range map[string]string{
		"{\"enabledMcpServers\": {}}":        `f: line 1, column 23: "enabledMcpServers" must be a list of server names`,
		"{\"enabledMcpServers\": [\"a\",1]}": `f: line 1, column 28: "enabledMcpServers" must hold server names in quotes`,
	} {
		if _, fe := ParseEnablement("f", []byte(in)); fe == nil || fe.Error() != want {
			t.Errorf("got %v\nwant %s", fe, want)
		}
	}
}

func TestParseEnablementNamesOnceWithLines(t *testing.T) {
	names, fe := ParseEnablement("f", []byte("{\"enabledMcpServers\": [\"b\",\n \" a \", \"b\",\n \"\", \"A\"]}"))
	want := []EnabledName{{"b", 1}, {"a", 2}, {"A", 3}}
	if fe != nil || !reflect.DeepEqual(names, want) {
		t.Errorf("got %v, %v; want %v", names, fe, want)
	}
}

func TestUnreadableFilesAreErrorsNotEmptyConfigurations(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                             "it is not a regular file",
		filepath.Join(file, "mcp.json"): "not a directory",
	} {
		c := readContent(path)
		if c.err == nil || !strings.Contains(c.err.Message, want) {
			t.Errorf("readContent(%s) = %v, want an error with %q", path, c.err, want)
		}
	}
	if c := readContent(filepath.Join(dir, "none")); c.exists || c.err != nil {
		t.Errorf("a missing file reads as %+v", c)
	}
}
