package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// asProgram makes the test binary be the program, so that every test runs a real process
// with its own HOME, watchdog and servers.
const asProgram = "PATCHBAY_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" || len(os.Args) > 1 && os.Args[1] == Watchdog {
		os.Exit(Main(Program{Version: "test", Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}))
	}
	os.Exit(m.Run())
}

// place is a HOME and a workspace of a test's own.
type place struct {
	t         *testing.T
	home      string
	workspace string
	env       []string
}

func newPlace(t *testing.T) *place {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &place{t: t, home: filepath.Join(root, "home"), workspace: filepath.Join(root, "ws")}
	for _, dir := range []string{p.home, p.workspace} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// define writes mcp.json and enables the names in workspace.json.
func (p *place) define(servers string, enabled ...string) {
	p.t.Helper()
	p.write(filepath.Join(p.home, ".ai4j", "mcp.json"), `{"mcpServers": {`+servers+`}}`)
	names, _ := json.Marshal(append([]string{}, enabled...))
	p.write(filepath.Join(p.workspace, ".ai4j", "workspace.json"), `{"enabledMcpServers": `+string(names)+`}`)
}

func (p *place) write(path, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// demoServer is a definition of the demo server: this program.
func demoServer() string {
	self, _ := os.Executable()
	text, _ := json.Marshal(map[string]any{"command": self, "args": []string{"demo-server"}, "env": map[string]string{asProgram: "1"}})
	return string(text)
}

// outcome is what a run of the program left.
type outcome struct {
	stdout, stderr string
	code           int
}

func (p *place) run(args ...string) outcome {
	p.t.Helper()
	self, err := os.Executable()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir = p.workspace
	cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "SHELL=/bin/sh", asProgram + "=1",
		"XDG_CONFIG_HOME=" + p.home + "/.config", "XDG_STATE_HOME=" + p.home + "/.state",
		"XDG_DATA_HOME=" + p.home + "/.data", "XDG_CACHE_HOME=" + p.home + "/.cache",
	}, p.env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		p.t.Fatalf("run %v: %v", args, err)
	}
	return outcome{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

func (p *place) list(args ...string) (jsonView, outcome) {
	p.t.Helper()
	out := p.run(append([]string{"mcp", "list", "--json"}, args...)...)
	var v jsonView
	if err := json.Unmarshal([]byte(out.stdout), &v); err != nil {
		p.t.Fatalf("mcp list --json printed %q (stderr %q): %v", out.stdout, out.stderr, err)
	}
	return v, out
}

func (v jsonView) row(t *testing.T, name string) jsonRow {
	t.Helper()
	for _, r := range v.Servers {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no row %s among %d", name, len(v.Servers))
	return jsonRow{}
}

func TestGrammar(t *testing.T) {
	tests := []struct {
		name     string
		args     []string
		wantCode int
		want     string // on stderr
	}{
		{"an unknown command", []string{"frobnicate"}, 2, "Unknown command: frobnicate"},
		{"an unknown action", []string{"mcp", "frob"}, 2, "Unknown /mcp action: frob. Use /mcp, /mcp list, /mcp add --transport <stdio|sse|http> <name> <target>,"},
		{"an unknown flag", []string{"mcp", "list", "--frob"}, 2, "unknown flag: --frob"},
		{"a flag without its value", []string{"mcp", "list", "--workspace"}, 2, "--workspace needs a value"},
		{"add without anything", []string{"mcp", "add"}, 2, addUsage},
		{"add without a target", []string{"mcp", "add", "--transport", "stdio", "x"}, 2, addUsage},
		{"add of an unknown transport", []string{"mcp", "add", "--transport", "soap", "x", "y"}, 2, "Unsupported MCP transport: soap. Use stdio, sse, or http."},
		{"add of a url with more", []string{"mcp", "add", "--transport", "http", "x", "http://h", "z"}, 2, "Usage: /mcp add --transport http <name> <url>"},
		{"enable without a name", []string{"mcp", "enable"}, 2, "Usage: /mcp enable <name>"},
		{"enable of an unknown name", []string{"mcp", "enable", "x"}, 1, "Unknown MCP server: x"},
		{"disable of what is not enabled", []string{"mcp", "disable", "x"}, 1, "MCP server is not enabled in this workspace: x"},
		{"retry of an unknown name", []string{"mcp", "retry", "x"}, 1, "Unknown MCP server: x"},
		{"remove of an unknown name", []string{"mcp", "remove", "x"}, 1, "Unknown MCP server: x"},
		{"pause points elsewhere", []string{"mcp", "pause", "x"}, 2, "--pause"},
		{"resume points elsewhere", []string{"mcp", "resume", "x"}, 2, "--pause"},
		{"--pause of what is not enabled", []string{"mcp", "list", "--pause", "x"}, 1, "MCP server is not enabled in this workspace: x"},
		{"a workspace that is not there", []string{"mcp", "list", "--workspace", "/nowhere/at/all"}, 2, "/nowhere/at/all"},
		{"run without a prompt", []string{"run"}, 2, "Usage: patchbay run"},
		{"run with a wrong mode", []string{"run", "--approve", "manual", "hi"}, 2, "Unsupported approval mode: manual"},
	}
	p := newPlace(t)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := p.run(tt.args...)
			if out.code != tt.wantCode || !strings.Contains(out.stderr, tt.want) {
				t.Fatalf("exit %d, stderr %q; want %d and %q", out.code, out.stderr, tt.wantCode, tt.want)
			}
		})
	}
}

func TestVersionAndHelp(t *testing.T) {
	p := newPlace(t)
	if out := p.run("--version"); out.code != 0 || out.stdout != "patchbay test\n" {
		t.Fatalf("--version = %+v", out)
	}
	if out := p.run("--help"); out.code != 0 || !strings.Contains(out.stdout, "patchbay mcp add --transport") {
		t.Fatalf("--help = %+v", out)
	}
}

func TestNothingIsDefined(t *testing.T) {
	p := newPlace(t)
	if out := p.run("mcp"); out.code != 0 || out.stdout != "mcp: (none)\n" {
		t.Fatalf("mcp = %+v", out)
	}
	v, out := p.list()
	if out.code != 0 || v.Servers == nil || v.Warnings == nil || len(v.Servers) != 0 {
		t.Fatalf("mcp list --json = %+v", out)
	}
	entries, err := os.ReadDir(filepath.Join(p.home, ".ai4j"))
	if err == nil && len(entries) > 0 {
		t.Fatalf("reading wrote %v", entries)
	}
}

func TestAddEnableDisableRemove(t *testing.T) {
	p := newPlace(t)
	self, _ := os.Executable()
	store := filepath.Join(p.home, ".ai4j", "mcp.json")
	out := p.run("mcp", "add", "--transport", "stdio", "demo", self, "demo-server", "-e", "A=1", "-e", "B=2", "--json")
	if out.code != 0 || out.stdout != "mcp added: demo -> "+store+"\n" {
		t.Fatalf("add = %+v", out)
	}
	if data, _ := os.ReadFile(store); !strings.Contains(string(data), `"-e"`) || strings.Count(string(data), `"-e"`) != 2 {
		t.Fatalf("the repeated argument is not kept: %s", data)
	}
	if out = p.run("mcp", "add", "--transport", "stdio", "demo", "x"); out.code != 1 || !strings.Contains(out.stderr, "MCP server already exists: demo") {
		t.Fatalf("add again = %+v", out)
	}
	if out = p.run("mcp", "enable", "DEMO"); out.code != 1 || !strings.Contains(out.stderr, "Unknown MCP server: DEMO. Did you mean demo?") {
		t.Fatalf("enable in another case = %+v", out)
	}
	out = p.run("mcp", "list")
	if want := "- demo | type=stdio | state=disabled | workspace=disabled | paused=no | tools=0\n"; out.code != 0 || !strings.Contains(out.stdout, want) {
		t.Fatalf("list = %+v, want the line %q", out, want)
	}
	if want := "- store=" + store + "\n- workspaceConfig=" + filepath.Join(p.workspace, ".ai4j", "workspace.json") + "\n"; !strings.HasSuffix(out.stdout, want) {
		t.Fatalf("list = %q, want it to end in %q", out.stdout, want)
	}
	p.define(`"demo": `+demoServer(), "demo")
	if out = p.run("mcp", "enable", "demo"); out.code != 0 || !strings.Contains(out.stdout, "- demo | type=stdio | state=connected | workspace=enabled | paused=no | tools=") {
		t.Fatalf("enable = %+v", out)
	}
	if out = p.run("mcp", "list", "--pause", "demo"); out.code != 0 || !strings.Contains(out.stdout, "state=paused | workspace=enabled | paused=yes") {
		t.Fatalf("list --pause = %+v", out)
	}
	if out = p.run("mcp", "disable", "demo"); out.code != 0 || !strings.Contains(out.stdout, "state=disabled") {
		t.Fatalf("disable = %+v", out)
	}
	if out = p.run("mcp", "remove", "demo"); out.code != 0 || out.stdout != "mcp removed: demo\nmcp: (none)\n" {
		t.Fatalf("remove = %+v", out)
	}
}

func TestEveryRowExplainsItself(t *testing.T) {
	p := newPlace(t)
	p.define(`"good": `+demoServer()+`,
		"off": {"command": "true"},
		"dies": {"command": "sh", "args": ["-c", "echo \"Error: Cannot find module 'foo'\" >&2; exit 1"]},
		"gone": {"command": "no-such-command-anywhere"},
		"half": {"type": "stdio"},
		"needs": {"command": "sh", "env": {"TOKEN": "${env:PATCHBAY_TEST_NEVER_SET}"}}`,
		"good", "dies", "gone", "half", "needs", "ghost")
	v, out := p.list("--trust")
	if out.code != 1 {
		t.Fatalf("exit %d, want 1; stderr %s", out.code, out.stderr)
	}
	var order []string
	for _, r := range v.Servers {
		order = append(order, r.Name)
	}
	if want := []string{"good", "off", "dies", "gone", "half", "needs", "ghost"}; !slices.Equal(order, want) {
		t.Fatalf("order %v, want %v", order, want)
	}
	tests := []struct {
		name, state, layer, cause, action, text string
	}{
		{"good", "connected", "", "", "", ""},
		{"off", "disabled", "workspace", "not_enabled", "enable", ""},
		{"dies", "error", "runtime", "exited", "retry", "Cannot find module 'foo'"},
		{"gone", "error", "runtime", "not_found", "edit", "no-such-command-anywhere"},
		{"half", "error", "definition", "invalid", "edit", "stdio transport requires command"},
		{"needs", "error", "definition", "env_missing", "edit", "PATCHBAY_TEST_NEVER_SET"},
		{"ghost", "missing", "definition", "undefined", "define", "workspace references undefined MCP server"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := v.row(t, tt.name)
			if string(r.State) != tt.state || string(r.Cause) != tt.cause || string(r.Action) != tt.action || !strings.Contains(r.Error, tt.text) {
				t.Fatalf("row %+v, want %+v", r, tt)
			}
			if tt.state != "connected" && (r.Reason == "" || r.Layer == "") {
				t.Fatalf("row %+v has no reason or layer", r)
			}
			if (r.Error != "") != (tt.state == "error" || tt.state == "missing") {
				t.Fatalf("row %+v: error is for error and missing only", r)
			}
		})
	}
	if good := v.row(t, "good"); len(good.Tools) == 0 || good.PID == 0 || good.ConnectMs == 0 || good.Protocol == "" {
		t.Fatalf("row %+v lacks tools, pid, connect time or protocol", good)
	}
	if dies := v.row(t, "dies"); dies.Evidence == nil || dies.Evidence.ExitCode == nil || *dies.Evidence.ExitCode != 1 || len(dies.Evidence.Stderr) == 0 {
		t.Fatalf("row %+v lacks evidence", dies)
	}
}

func TestARepositoryCannotStartPrograms(t *testing.T) {
	p := newPlace(t)
	marker := filepath.Join(p.home, "started")
	p.define(`"x": {"command": "sh", "args": ["-c", "touch `+marker+`"]}`, "x")
	v, out := p.list()
	r := v.row(t, "x")
	if r.State != "disabled" || r.Cause != "untrusted" || r.Action != "trust" || out.code != 0 {
		t.Fatalf("row %+v, exit %d; want disabled, untrusted, trust, 0", r, out.code)
	}
	if !strings.Contains(out.stderr, "x") || !strings.Contains(out.stderr, "--trust") {
		t.Fatalf("stderr %q does not say what to do", out.stderr)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Fatal("an untrusted server was started")
	}
	if p.list("--trust"); !exists(marker) {
		t.Fatal("--trust did not start the server")
	}
	if err := os.Remove(marker); err != nil {
		t.Fatal(err)
	}
	if p.list(); exists(marker) {
		t.Fatal("--trust outlived its run")
	}
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestAnUnreadableFileIsExitTwoAndStaysAsItIs(t *testing.T) {
	p := newPlace(t)
	p.define(`"a": {"command": "x"}`, "a")
	store := filepath.Join(p.home, ".ai4j", "mcp.json")
	broken := "{\n  \"mcpServers\": {\"a\": {\"command\": \"x\"}\n"
	p.write(store, broken)
	for _, args := range [][]string{
		{"mcp", "list", "--json"},
		{"mcp", "add", "--json", "--transport", "stdio", "b", "y"},
		{"mcp", "remove", "--json", "a"},
		{"mcp", "enable", "--json", "a"},
	} {
		out := p.run(args...)
		var got struct {
			Error struct {
				Message, File string
				Line, Column  int
			}
		}
		if err := json.Unmarshal([]byte(out.stdout), &got); err != nil || out.code != 2 {
			t.Fatalf("%v: exit %d, stdout %q, stderr %q", args, out.code, out.stdout, out.stderr)
		}
		if got.Error.File != store || got.Error.Line == 0 || got.Error.Message == "" {
			t.Fatalf("%v: error %+v does not say where", args, got.Error)
		}
	}
	if data, _ := os.ReadFile(store); string(data) != broken {
		t.Fatalf("the file was changed to %q", data)
	}
}
