package mcpconf

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// told is a definition on one line: name type, command and args in quotes or the URL, then
// what it has of env, headers and cwd.
func told(d Definition) string {
	parts := []string{d.Name, string(d.Type)}
	if d.Command != "" {
		for _, w := range append([]string{d.Command}, d.Args...) {
			if strings.ContainsAny(w, " \"\\") || w == "" {
				w = fmt.Sprintf("%q", w)
			}
			parts = append(parts, w)
		}
	}
	if d.URL != "" {
		parts = append(parts, d.URL)
	}
	for _, set := range []struct {
		name   string
		values map[string]string
	}{{"env", d.Env}, {"header", d.Headers}} {
		for _, k := range slices.Sorted(maps.Keys(set.values)) {
			parts = append(parts, fmt.Sprintf("%s[%s=%s]", set.name, k, set.values[k]))
		}
	}
	if d.CWD != "" {
		parts = append(parts, "in "+d.CWD)
	}
	if d.TimeoutMs+d.CallTimeoutMs > 0 {
		parts = append(parts, fmt.Sprintf("limits %d %d", d.TimeoutMs, d.CallTimeoutMs))
	}
	return strings.Join(parts, " ")
}

// pasteCase is a text, its definitions one a line, and its warnings one a line.
type pasteCase struct{ name, in, want, warns string }

func runPaste(t *testing.T, cases []pasteCase) {
	t.Helper()
	for _, tt := range cases {
		t.Run(tt.name, func(t *testing.T) {
			defs, warnings, err := ParsePaste(tt.in)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range defs {
				got = append(got, told(d))
			}
			if strings.Join(got, "\n") != tt.want {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
			if w := strings.Join(warnings, "\n"); w != tt.warns {
				t.Errorf("warnings\n%s\nwant\n%s", w, tt.warns)
			}
		})
	}
}

func TestPasteOfCommandLines(t *testing.T) {
	runPaste(t, []pasteCase{
		{"npx", `npx -y @modelcontextprotocol/server-filesystem /dir --flag "a b"`, `filesystem stdio npx -y @modelcontextprotocol/server-filesystem /dir --flag "a b"`, ""},
		{"uvx", "uvx mcp-server-fetch", "fetch stdio uvx mcp-server-fetch", ""},
		{"docker", "docker run -i --rm -e KEY=v mcp/brave-search:1.2", "brave-search stdio docker run -i --rm -e KEY=v mcp/brave-search:1.2", ""},
		{"assignments", `API_KEY="x y" MODE=a npx -y foo-mcp`, "foo stdio npx -y foo-mcp env[API_KEY=x y] env[MODE=a]", ""},
		{"env", "env TOKEN=t npx -y foo-mcp", "foo stdio npx -y foo-mcp env[TOKEN=t]", ""},
		{"prompt", "$ npx -y foo-mcp", "foo stdio npx -y foo-mcp", ""},
		{"continued", "docker run -i --rm \\\n  -e \"A=b c\" \\  \n  ghcr.io/github/github-mcp-server", `github stdio docker run -i --rm -e "A=b c" ghcr.io/github/github-mcp-server`, ""},
		{"continued on Windows", "npx -y ^\n foo-mcp `\n --x", "foo stdio npx -y foo-mcp --x", ""},
		{"quotes", `python3 'it'"'"'s.py' "a\"b" c\ d "e\f" ''`, `it-s stdio python3 it's.py "a\"b" "c d" "e\\f" ""`, ""},
		{"cmd", `cmd /c npx -y @upstash/context7-mcp`, "context7 stdio npx -y @upstash/context7-mcp", ""},
		{"cmd, all in one", `cmd.exe /s /C "npx -y foo-mcp"`, "foo stdio npx -y foo-mcp", ""},
		{"a Windows path", `C:\Users\me\servers\weather.exe --dir "D:\a b"`, `weather stdio "C:\\Users\\me\\servers\\weather.exe" --dir "D:\\a b"`, ""},
		{"prompts of Windows", "PS C:\\Users\\me> npx -y foo-mcp\nC:\\> npx -y bar-mcp", "foo stdio npx -y foo-mcp\nbar stdio npx -y bar-mcp", ""},
		{"references", `TOKEN=$SECRET npx -y foo-mcp "$HOME/x" '$HOME' "$(pwd)" ${A} $1`, "foo stdio npx -y foo-mcp ${HOME}/x $HOME ${workspace} ${A} $1 env[TOKEN=${SECRET}]", ""},
		{"cd and export", "cd /srv/weather/app && export A=1 && uv run server.py", "weather stdio uv run server.py env[A=1] in /srv/weather/app", ""},
		{"installed before", "npm install -g foo-mcp && foo-mcp --stdio", "foo stdio foo-mcp --stdio", "left out npm install: it starts no server"},
		{"a pipe", "npx -y foo-mcp | tee log\nnpx -y bar-mcp", "foo stdio npx -y foo-mcp\nbar stdio npx -y bar-mcp", "what stands after | was left out"},
		{"comments and several", "# first\nnpx -y foo-mcp # here\n\nuvx bar-mcp\nnpx -y @other/foo-mcp", "foo stdio npx -y foo-mcp\nbar stdio uvx bar-mcp\nfoo-2 stdio npx -y @other/foo-mcp", ""},
		{"in backticks", "`npx -y foo-mcp`", "foo stdio npx -y foo-mcp", ""},
		{"in a fence", "Run this:\n```bash\nnpx -y foo-mcp\n```\nand it works", "foo stdio npx -y foo-mcp", ""},
		{"curly quotes of a web page", "npx -y “@x/files” --dir ‘a b’ it’s", `files stdio npx -y @x/files --dir "a b" it’s`, ""},
		{"a secret of docker", "docker run -i --rm -e GITHUB_TOKEN=s3cret --env API_KEY=k --env=DB_PASSWORD=p -e HOME=/x -e MODE=a ghcr.io/github/github-mcp-server -e X_TOKEN=own",
			"github stdio docker run -i --rm -e GITHUB_TOKEN --env API_KEY --env=DB_PASSWORD -e HOME=/x -e MODE=a ghcr.io/github/github-mcp-server -e X_TOKEN=own env[API_KEY=k] env[DB_PASSWORD=p] env[GITHUB_TOKEN=s3cret]", ""},
		{"a program of its own", "github-mcp-server stdio", "github stdio github-mcp-server stdio", ""},
	})
}

func TestPasteOfURLs(t *testing.T) {
	runPaste(t, []pasteCase{
		{"a URL", " https://mcp.linear.app/mcp\n", "linear streamable_http https://mcp.linear.app/mcp", ""},
		{"an older one", "https://mcp.asana.com/sse/", "asana sse https://mcp.asana.com/sse/", ""},
		{"with a query", "https://example.com/mcp?a=1&b=$2", "example streamable_http https://example.com/mcp?a=1&b=$2", ""},
		{"local", "localhost:3000/mcp", "localhost-3000 streamable_http http://localhost:3000/mcp", ""},
		{"several", "https://mcp.linear.app/mcp\nhttps://linear.app/sse", "linear streamable_http https://mcp.linear.app/mcp\nlinear-2 sse https://linear.app/sse", ""},
		{"curl", `curl -sS -N -X POST https://api.example.co.uk/mcp -H "Authorization: Bearer a:b" -H 'Content-Type: application/json' \
  -HX-Team:t -d '{"jsonrpc":"2.0"}'`, "example streamable_http https://api.example.co.uk/mcp header[Authorization=Bearer a:b] header[X-Team=t]", ""},
		{"curl with a user", `curl --url https://x.dev/sse -u me:pw`, "x sse https://x.dev/sse header[Authorization=Basic bWU6cHc=]", ""},
		{"a URL with headers", `https://x.dev/mcp --header "A: b"`, "x streamable_http https://x.dev/mcp header[A=b]", ""},
		{"a bridge", "npx -y mcp-remote https://mcp.notion.com/mcp", "notion stdio npx -y mcp-remote https://mcp.notion.com/mcp", ""},
	})
}

func TestPasteOfAddCommands(t *testing.T) {
	runPaste(t, []pasteCase{
		{"claude", "claude mcp add airtable --env KEY=k -- npx -y airtable-mcp-server --x", "airtable stdio npx -y airtable-mcp-server --x env[KEY=k]", ""},
		{"claude, env before", "claude mcp add -s user -e A=1 B=2 --transport stdio files -- npx -y srv -e C=3", "files stdio npx -y srv -e C=3 env[A=1] env[B=2]", ""},
		{"claude, http", `claude mcp add --transport http stripe https://mcp.stripe.com/ --header "A: b" -H "C: d"`, "stripe streamable_http https://mcp.stripe.com/ header[A=b] header[C=d]", ""},
		{"claude, sse", `claude mcp add -t sse s https://x.dev/events`, "s sse https://x.dev/events", ""},
		{"claude, json", `claude mcp add-json -s user weather '{"type":"http","url":"https://w.dev/mcp","headers":{"A":"b"}}'`, "weather streamable_http https://w.dev/mcp header[A=b]", ""},
		{"code", `code --add-mcp '{"name":"play","command":"npx","args":["@playwright/mcp@latest"]}'`, "play stdio npx @playwright/mcp@latest", ""},
		{"codex", "codex mcp add docs --url https://d.dev/mcp --bearer-token-env-var TOK", "docs streamable_http https://d.dev/mcp header[Authorization=Bearer ${env:TOK}]", ""},
		{"gemini", "gemini mcp add --timeout 5000 --trust x python server.py --flag", "x stdio python server.py --flag", "left out --timeout"},
		{"patchbay", "patchbay mcp add --transport stdio fetch uvx mcp-server-fetch", "fetch stdio uvx mcp-server-fetch", ""},
		{"patchbay, http", "./patchbay mcp add --transport http web https://w.dev/mcp", "web streamable_http https://w.dev/mcp", ""},
		{"no name", "claude mcp add https://mcp.sentry.dev/mcp", "sentry streamable_http https://mcp.sentry.dev/mcp", ""},
		{"several", "claude mcp add a -- npx a-mcp\nclaude mcp add a -- npx b-mcp", "a stdio npx a-mcp\na-2 stdio npx b-mcp", ""},
	})
}

func TestPasteOfJSON(t *testing.T) {
	runPaste(t, []pasteCase{
		{"mcpServers", `{"mcpServers": {"b": {"command": "npx", "args": ["x", 3], "env": {"N": 1, "T": true, "Z": null}}, "a": {"url": "https://x.dev/sse"}}}`,
			"b stdio npx x 3 env[N=1] env[T=true]\na sse https://x.dev/sse", ""},
		{"VS Code", `{"inputs": [{"type": "promptString", "id": "api-key"}], "servers": {"p": {"type": "stdio", "command": "npx", "env": {"K": "${input:api-key}", "W": "${workspaceFolder}/x"}}}}`,
			"p stdio npx env[K=${input:api-key}] env[W=${workspace}/x]", "p: ${input:api-key} is known to VS Code alone: put a value in its place, or ${env:API_KEY}"},
		{"VS Code settings", `{"editor.fontSize": 12, "mcp": {"inputs": [], "servers": {"p": {"type": "http", "url": "https://x.dev/mcp"}}}}`, "p streamable_http https://x.dev/mcp", ""},
		{"opencode", `{"$schema": "x", "mcp": {"l": {"type": "local", "command": ["bun", "x", "srv"], "environment": {"A": "{env:B}"}, "enabled": false}, "r": {"type": "remote", "url": "https://r.dev/mcp", "enabled": true}}}`,
			"l stdio bun x srv env[A=${env:B}]\nr streamable_http https://r.dev/mcp", "l: it is switched off in the pasted text"},
		{"Zed", `{"context_servers": {"z": {"source": "custom", "command": {"path": "uvx", "args": ["zed"], "env": {"A": "b"}}, "settings": {}}}}`, "z stdio uvx zed env[A=b]", `z: left out "settings"`},
		{"Zed, newer", `{"theme": "x", "context_servers": {"z": {"command": "uvx", "args": ["zed"]}}}`, "z stdio uvx zed", ""},
		{"a map", `{"m": {"command": "x"}, "other": {"a": 1}}`, "m stdio x", `left out "other": it is no definition of a server`},
		{"one definition", `{"command": "npx", "args": ["-y", "foo-mcp"]}`, "foo stdio npx -y foo-mcp", ""},
		{"one with its name", `{"name": "n", "url": "https://x.dev/mcp"}`, "n streamable_http https://x.dev/mcp", ""},
		{"a fragment", `"n": {"command": "x"},`, "n stdio x", ""},
		{"a fragment with too many brackets", "\"n\": {\n  \"command\": \"x\"\n}\n}\n}", "n stdio x", ""},
		{"a fragment of several", `"mcpServers": {"n": {"command": "x"}, "m": {"url": "https://x.dev/mcp"}}`, "n stdio x\nm streamable_http https://x.dev/mcp", ""},
		{"the end is missing", `{"mcpServers": {"n": {"command": "x", "args": ["a"]`, "n stdio x a", "the text ends too early: the brackets that are missing were added"},
		{"comments and commas", "// mine\n{ /* all */ \"mcpServers\": { // it\n\"n\": {\"command\": \"x\",},},}", "n stdio x", ""},
		{"in a fence", "Add:\n\n```json\n{\"mcpServers\": {\"n\": {\"command\": \"x\"}}}\n```\n\nor\n\n```\nclaude mcp add m -- y\n```", "n stdio x\nm stdio y", ""},
		{"after a sentence", "Put this into your file:\n{\"mcpServers\": {\"n\": {\"command\": \"x\"}}}\n", "n stdio x", ""},
		{"Windsurf", `{"mcpServers": {"n": {"serverUrl": "https://x.dev/sse", "disabled": true}}}`, "n sse https://x.dev/sse", "n: it is switched off in the pasted text"},
		{"Gemini", `{"mcpServers": {"n": {"httpUrl": "https://x.dev/sse", "timeout": 5, "trust": true}}}`, "n streamable_http https://x.dev/sse", `n: left out "timeout", "trust"`},
		{"requestInit", `{"n": {"url": "https://x.dev/mcp", "requestInit": {"headers": {"A": "b"}, "cache": "x"}}}`, "n streamable_http https://x.dev/mcp header[A=b]", `n: left out "requestInit.cache"`},
		{"a list", `[{"name": "a", "command": "x"}, {"command": "uvx", "args": ["b-mcp"]}]`, "a stdio x\nb stdio uvx b-mcp", ""},
		{"a command with its arguments", `{"n": {"command": "npx -y foo"}, "p": {"command": "/my files/x"}}`, "n stdio npx -y foo\np stdio \"/my files/x\"", ""},
		{"cmd", `{"n": {"command": "cmd", "args": ["/c", "npx", "-y", "foo"]}}`, "n stdio npx -y foo", ""},
		{"fields of ours", `{"n": {"command": "x", "timeoutMs": 5, "callTimeoutMs": 6, "tools": ["*"]}}`, "n stdio x limits 5 6", `n: left out "tools"`},
		{"Claude's file", `{"numStartups": 3, "projects": {"/w": {"mcpServers": {"n": {"command": "x"}}}}, "mcpServers": {"n": {"type": "http", "url": "https://x.dev/mcp"}}}`,
			"n stdio x\nn-2 streamable_http https://x.dev/mcp", ""},
		{"not complete", `{"mcpServers": {"a": {"type": "stdio"}, "b": {"type": "ws", "url": "ws://x"}, "c": null, "d": 3, "e": "https://e.dev/mcp", "f": "npx -y foo"}}`,
			"a stdio\nb ws ws://x\ne streamable_http https://e.dev/mcp\nf stdio npx -y foo",
			"a: stdio transport requires command\nb: unsupported MCP transport: ws\nleft out \"c\": it is no definition of a server\nleft out \"d\": it is no definition of a server"},
	})
}

func TestPasteOfTOML(t *testing.T) {
	runPaste(t, []pasteCase{
		{"Codex", `model = "x"
# servers
[mcp_servers.zed]
command = "npx"
args = ["-y", "foo"]
env = { A = "b" }
startup_timeout_sec = 20
tool_timeout_sec = 1.5

[mcp_servers.zed.tools.x]
approval = "never"

[mcp_servers.figma]
url = "https://mcp.figma.com/mcp"
bearer_token_env_var = "FIGMA"
http_headers = { "X-R" = "us" }
env_http_headers = { "x-key" = "KEY" }
enabled = false
`, "zed stdio npx -y foo env[A=b] limits 20000 1500\nfigma streamable_http https://mcp.figma.com/mcp header[Authorization=Bearer ${env:FIGMA}] header[X-Key=${env:KEY}] header[X-R=us]",
			"figma: it is switched off in the pasted text\nzed: left out \"tools\""},
		{"in a fence", "```toml\n[mcp_servers.a]\ncommand = 'C:\\x\\a.exe'\n```", `a stdio "C:\\x\\a.exe"`, ""},
		{"a list", "[[mcp_servers]]\nname = \"v\"\ntransport = \"http\"\nurl = \"https://v.dev/mcp\"\n", "v streamable_http https://v.dev/mcp", ""},
	})
}

func TestPasteThatSaysNothing(t *testing.T) {
	for _, tt := range []struct{ name, in, says string }{
		{"nothing", "  \n", "no MCP server was recognised"},
		{"a sentence", "hello world how are you", "Paste a command line"},
		{"a sentence that ends", "Please add this server:", "no MCP server was recognised"},
		{"a word", "hello", "no MCP server was recognised"},
		{"an open quote", `npx "foo`, "a quote is not closed"},
		{"only preparations", "npm install -g foo", "no MCP server was recognised"},
		{"other JSON", `{"editor": {"fontSize": 3}}`, "no MCP server was recognised"},
		{"no servers", `{"mcpServers": {}}`, "the list of servers is empty"},
		{"bad JSON", "{\"mcpServers\": {\n\"a\": {\"command\": x}}}", "the JSON is wrong in line 2, column 18"},
		{"bad fragment", `"a": {"command": x}`, "the JSON is wrong in line 1, column 18"},
		{"bad TOML", "[mcp_servers.a]\ncommand = x", "the TOML is wrong in line 2"},
		{"an add command without a server", "claude mcp add", "no MCP server was recognised"},
		{"binary", "npx \xff\xfe", "this is no text"},
		{"far too long", strings.Repeat("x", maxPaste+1), "longer than 256 KiB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			defs, warnings, err := ParsePaste(tt.in)
			if err == nil || !strings.Contains(err.Error(), tt.says) || defs != nil || warnings != nil {
				t.Errorf("got %v, %v, %v; want an error with %q", defs, warnings, err, tt.says)
			}
		})
	}
	if _, _, err := ParsePaste("To install, run npx -y foo and restart."); !errors.Is(err, ErrNotPasted) {
		t.Errorf("a sentence: %v", err)
	}
	if _, _, err := ParsePaste("hello"); !errors.Is(err, ErrNotPasted) {
		t.Errorf("the error is %v", err)
	}
}

func TestGuessedNames(t *testing.T) {
	for in, want := range map[string]string{
		"npx -y @playwright/mcp@latest":                               "playwright",
		"npx @notionhq/notion-mcp-server":                             "notion",
		"npx -y -p @x/tools tools-mcp":                                "tools",
		"bunx github:owner/repo-mcp":                                  "repo",
		"uvx --from git+https://github.com/o/serena serena start-mcp": "serena",
		"uvx git+https://github.com/o/blender-mcp.git":                "blender",
		"uvx mcp-server-git==1.0":                                     "git",
		"uv --directory /srv/weather run server.py":                   "weather",
		"uv run --with mcp mcp run /a/time_server.py":                 "time",
		"python -m mcp_server_time":                                   "time",
		"python3 /home/me/notes/src/main.py":                          "notes",
		"node /home/me/jira-mcp/dist/index.js":                        "jira",
		"node build/index.js":                                         "node",
		"docker run -i --rm -v /a:/b --network host mcp/time":         "time",
		"podman run -i quay.io/o/srv-mcp@sha256:00":                   "srv",
		"go run github.com/o/go-mcp@latest":                           "go",
		"go run github.com/o/weather-mcp/cmd/server@v1.2.0":           "weather",
		"java -jar /opt/kafka-mcp.jar":                                "kafka",
		"deno run -A jsr:@s/notes-mcp":                                "notes",
		"dotnet run --project /src/Weather.csproj":                    "Weather",
		"bash -c 'npx -y foo-mcp'":                                    "foo",
		"/usr/local/bin/github-mcp-server stdio":                      "github",
		"https://api.githubcopilot.com/mcp/":                          "githubcopilot",
		"https://my-server.vercel.app/mcp":                            "my",
		"https://docs.mcp.cloudflare.com/sse":                         "cloudflare",
		"http://192.168.1.4:8080/mcp":                                 "192.168.1.4-8080",
		"https://mcp.dev/mcp":                                         "mcp",
		"npx -y 天气-mcp":                                               "天气",
	} {
		defs, _, err := ParsePaste(in)
		if err != nil || len(defs) != 1 || defs[0].Name != want {
			t.Errorf("%s: %+v, %v; want %s", in, defs, err, want)
		}
	}
}

func TestWarningsOfAPasteHoldNoValue(t *testing.T) {
	_, warnings, err := ParsePaste(`{"mcpServers": {"a": {"command": "x", "weird": "s3cret", "env": {"K": ["s3cret"]}, "env_file": "s3cret"}, "b": "s3cret s3cret"}}`)
	if err != nil || len(warnings) != 2 || strings.Contains(strings.Join(warnings, ""), "s3cret") {
		t.Errorf("warnings %q, %v", warnings, err)
	}
}

func TestAnEnormousPasteIsReadAtOnce(t *testing.T) {
	for _, in := range []string{
		strings.Repeat("a-b\n", maxPaste/4), "npx a " + strings.Repeat("$", maxPaste-10), strings.Repeat("\\", maxPaste-1),
		"[" + strings.Repeat(`{"command":"a-b"},`, maxPaste/20) + "]", "{" + strings.Repeat(`"x":`, 50) + strings.Repeat("[", 5000),
		`{"mcpServers":{` + strings.Repeat(`"a":{"command":"x","u":1},"b":2,`, maxPaste/40) + "}}",
	} {
		defs, warnings, _ := ParsePaste(in)
		if len(defs) > maxPasted || len(warnings) > maxWarnings+1 {
			t.Errorf("%d definitions, %d warnings of %.20q", len(defs), len(warnings), in)
		}
	}
}

func FuzzParsePaste(f *testing.F) {
	for _, seed := range []string{
		`{"mcpServers": {"b": {"command": "npx", "args": ["x", 3], "env": {"N": 1}}}}`, `"n": {"command": {"path": "x"}},`, "[mcp_servers.a]\ncommand = \"x\"",
		`A=b npx -y @s/server-x "a b" 'c' \d $(pwd) $X | y && z`, "```json\n{}\n```", `claude mcp add -e A=1 --transport http n https://x/sse -H "A: b" -- y`,
		`curl https://x.dev/mcp -H "A: b"`, `code --add-mcp '{"name":"x"}'`, `cmd /c "npx -y foo"`, `{"servers": {"x": [`, "docker run -e", `[{"name": "a"}]`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		defs, _, err := ParsePaste(text)
		if err != nil {
			if defs != nil || err.Error() == "" {
				t.Errorf("%v with %v", defs, err)
			}
			return
		}
		seen := map[string]bool{}
		for _, d := range defs {
			if d.Name == "" || d.Name != strings.TrimSpace(d.Name) || seen[d.Name] {
				t.Errorf("the name %q is empty, padded or taken", d.Name)
			}
			seen[d.Name] = true
			if again := d.Normalized(); !sameMeaning(d, again) {
				t.Errorf("%+v is not normalised: %+v", d, again)
			}
		}
		if len(defs) == 0 {
			t.Error("neither a definition nor an error")
		}
	})
}
