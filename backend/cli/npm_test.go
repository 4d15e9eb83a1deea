package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// npmServers is where `make test` installs the npm servers of the main job.
const npmServers = "../../app/e2e/servers/node_modules"

// npm returns the entry script of an official server and fails when it is not installed.
func npm(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(npmServers, "@modelcontextprotocol", "server-"+name, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("the npm servers are not installed: run npm ci in app/e2e/servers (make test does): %v", err)
	}
	return path
}

func node(script string, args ...string) string {
	text, _ := json.Marshal(map[string]any{"command": "node", "args": append([]string{script}, args...)})
	return string(text)
}

func TestTheFourNpmServersConnectAndTheFilesystemClashIsResolved(t *testing.T) {
	p := newPlace(t)
	memory := fmt.Sprintf(`{"command": "node", "args": [%q], "env": {"MEMORY_FILE_PATH": %q}}`, npm(t, "memory"), filepath.Join(p.home, "memory.json"))
	servers := `"everything": ` + node(npm(t, "everything"), "stdio") + `,
		"filesystem": ` + node(npm(t, "filesystem"), p.workspace) + `,
		"memory": ` + memory + `,
		"thinking": ` + node(npm(t, "sequential-thinking"))
	names := []string{"everything", "filesystem", "memory", "thinking"}
	p.define(servers, names...)

	v, out := p.list("--trust")
	for _, name := range []string{"everything", "memory", "thinking"} {
		if r := v.row(t, name); r.State != "connected" || len(r.Tools) == 0 {
			t.Fatalf("%s: %+v", name, r)
		}
	}
	clash := v.row(t, "filesystem")
	if clash.State != "error" || clash.Cause != "tool_builtin" || clash.Action != "resolve" || out.code != 1 ||
		clash.Error != "MCP tool name conflicts with built-in tool: read_file" || len(clash.Conflicts) != 2 {
		t.Fatalf("filesystem beside the built-ins: %+v, exit %d", clash, out.code)
	}

	renamed := strings.Replace(servers, `"filesystem": {`, `"filesystem": {"tools": {"rename": {"read_file": "fs_read_file", "write_file": "fs_write_file"}}, `, 1)
	p.define(renamed, names...)
	v, out = p.list("--trust")
	fs := v.row(t, "filesystem")
	if fs.State != "connected" || !slices.Contains(fs.Tools, "fs_read_file") || slices.Contains(fs.Tools, "read_file") || out.code != 0 {
		t.Fatalf("filesystem after tools.rename: %+v, exit %d", fs, out.code)
	}

	p.write(filepath.Join(p.workspace, "hello.txt"), "hello from the filesystem server")
	turns := []struct{ server, prompt, want string }{
		{"everything", `call echo with {"message": "over stdio"}`, "over stdio"},
		{"filesystem", fmt.Sprintf(`call fs_read_file with {"path": %q}`, filepath.Join(p.workspace, "hello.txt")), "hello from the filesystem server"},
		{"memory", `call read_graph with {}`, "entities"},
		{"thinking", `call sequentialthinking with {"thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}`, "thoughtNumber"},
	}
	for _, turn := range turns {
		t.Run(turn.server, func(t *testing.T) { p.wantCall(t, turn.server, turn.prompt, turn.want) })
	}
}

// wantCall runs a turn that calls one tool of a server and looks for want in its result.
func (p *place) wantCall(t *testing.T, server, prompt, want string) {
	t.Helper()
	out := p.run("run", "--trust", "--approve", "auto", "--json", "--servers", server, prompt)
	events := parseEvents(t, out)
	if out.code != 0 || events[len(events)-1].Kind != "done" || !events[len(events)-1].Practice {
		t.Fatalf("run: exit %d, stdout %s, stderr %s", out.code, out.stdout, out.stderr)
	}
	for i, e := range events {
		if e.Seq != uint64(i+1) {
			t.Fatalf("event %d has seq %d", i+1, e.Seq)
		}
		if e.Kind == "tool_result" && e.OK != nil && *e.OK && strings.Contains(*e.Content, want) {
			return
		}
	}
	t.Fatalf("no tool_result of %s holds %q: %s", server, want, out.stdout)
}

func parseEvents(t *testing.T, out outcome) []jsonEvent {
	t.Helper()
	var events []jsonEvent
	for line := range strings.SplitSeq(strings.TrimSpace(out.stdout), "\n") {
		var e jsonEvent
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("line %q: %v (stderr %s)", line, err, out.stderr)
		}
		events = append(events, e)
	}
	return events
}

func TestEverythingOverEachTransportAndTwiceBesideItself(t *testing.T) {
	p := newPlace(t)
	http := serveEverything(t, "streamableHttp")
	sse := serveEverything(t, "sse")
	servers := fmt.Sprintf(`"a": {"type": "http", "url": "http://127.0.0.1:%d/mcp"},
		"b": {"type": "sse", "url": "http://127.0.0.1:%d/sse"},
		"c": %s`, http, sse, node(npm(t, "everything"), "stdio"))
	for _, name := range []string{"a", "b", "c"} {
		p.define(servers, name)
		t.Run(name, func(t *testing.T) { p.wantCall(t, name, `call echo with {"message": "hello"}`, "hello") })
	}
	p.define(servers, "a", "b", "c")
	v, out := p.list("--trust", "--pause", "b")
	a, b, c := v.row(t, "a"), v.row(t, "b"), v.row(t, "c")
	if a.State != "connected" || a.Type != "streamable_http" || b.State != "paused" || out.code != 1 {
		t.Fatalf("rows %+v %+v, exit %d", a, b, out.code)
	}
	if c.State != "error" || c.Cause != "tool_taken" || len(c.Conflicts) < 2 || c.Conflicts[0].Owner != "a" ||
		c.Error != "MCP tool name conflict: "+c.Conflicts[0].Tool+" already provided by a" {
		t.Fatalf("the second everything beside the first: %+v", c)
	}
}

// serveEverything starts the everything server on a free loopback port.
func serveEverything(t *testing.T, mode string) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := exec.Command("node", npm(t, "everything"), mode)
	cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		for s := bufio.NewScanner(stderr); s.Scan(); {
		}
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-drained
		_ = cmd.Wait()
	})
	for range 300 {
		if conn, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			conn.Close()
			return port
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("the %s server does not listen", mode)
	return 0
}
