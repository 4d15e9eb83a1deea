//go:build linux

package e2e

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// npm is the definition of an official server that make test installs.
func npm(t *testing.T, name, server string, env map[string]string, args ...string) definition {
	t.Helper()
	script, err := filepath.Abs(filepath.Join("servers", "node_modules", "@modelcontextprotocol", "server-"+server, "dist", "index.js"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(script); err != nil {
		t.Fatalf("the npm servers are not installed: run npm ci in app/e2e/servers (make test does): %v", err)
	}
	data, err := json.Marshal(map[string]any{"command": "node", "args": append([]string{script}, args...), "env": env})
	if err != nil {
		t.Fatal(err)
	}
	return definition{name, string(data)}
}

func enablement(names ...string) string {
	data, _ := json.Marshal(map[string]any{"enabledMcpServers": names}) // strings always marshal
	return string(data) + "\n"
}

// The main job from a repository that brings five names: trust them, see the clash and the
// failure, put both right, call a tool of every server, lose one and have it again.
func TestMainJobWithTheFourNpmServers(t *testing.T) {
	dir := t.TempDir()
	names := []string{"everything", "filesystem", "memory", "thinking", "broken"}
	script := filepath.Join(dir, "later.sh")
	a := start(t, options{files: map[string]string{
		"~/.ai4j/mcp.json": store(t,
			npm(t, "everything", "everything", nil, "stdio"),
			// The server serves the client's roots, which are the workspace, instead of this folder.
			npm(t, "filesystem", "filesystem", nil, dir),
			npm(t, "memory", "memory", map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.json")}),
			npm(t, "thinking", "sequential-thinking", nil),
			stdio("broken", "sh", script)),
		".ai4j/workspace.json": enablement(names...),
	}})
	a.trustAll(names)
	a.reaches("connected", "everything", "memory", "thinking")
	a.reaches("error", "filesystem", "broken")
	a.because("broken", "later.sh", "No such file")
	a.because("filesystem", "read_file", "write_file")
	a.shot("main-1-states")
	before := a.serverPIDs()
	a.resolveByRename(t)
	a.same(before, "everything", "filesystem", "memory", "thinking")
	a.shot("main-3-resolved")
	a.callEach()
	a.loseOne(t)
	a.same(before, "everything", "filesystem", "thinking")
	a.repair(t, script)
	a.same(before, "everything", "filesystem", "thinking")
	a.shot("main-6-all-connected")
}

// The main job from nothing, by the window alone: paste three servers, test and add a fourth,
// settle its clash, use all four in the chat, lose one and try it again.
func TestMainJobEntirelyThroughTheWindow(t *testing.T) {
	dir := t.TempDir()
	a := start(t, options{})
	a.by("button", "Add the demo server").appears()
	a.shot("job-01-nothing")
	a.pastesThree(t, dir)
	a.testsAndAdds(t, dir)
	a.reaches("error", "filesystem")
	a.because("filesystem", "read_file", "write_file")
	a.shot("job-05-clash")
	before := a.serverPIDs()
	a.resolveByRename(t)
	a.same(before, "everything", "filesystem", "memory", "thinking")
	a.shot("job-07-resolved")
	a.callEach()
	a.shot("job-08-used")
	a.retriesAfterKill(t)
	a.same(before, "everything", "filesystem", "thinking")
}

// pastesThree adds three servers by the JSON that another client would hold.
func (a *app) pastesThree(t *testing.T, dir string) {
	t.Helper()
	a.by("button", "Add server").click()
	dialog := a.by("dialog", "Add server")
	dialog.by("textbox", "Paste a definition").fill(store(t,
		npm(t, "everything", "everything", nil, "stdio"),
		npm(t, "memory", "memory", map[string]string{"MEMORY_FILE_PATH": filepath.Join(dir, "memory.json")}),
		npm(t, "thinking", "sequential-thinking", nil)))
	dialog.by("button", "Add 3 servers").appears()
	a.shot("job-02-paste")
	dialog.by("button", "Add 3 servers").click()
	dialog.goes()
	a.reaches("connected", "everything", "memory", "thinking")
	a.shot("job-03-three")
}

// testsAndAdds pastes a command line, lets the window try it, and adds it.
func (a *app) testsAndAdds(t *testing.T, dir string) {
	t.Helper()
	var command struct{ Args []string }
	if err := json.Unmarshal([]byte(npm(t, "filesystem", "filesystem", nil, dir).json), &command); err != nil {
		t.Fatal(err)
	}
	a.by("button", "Add server").click()
	dialog := a.by("dialog", "Add server")
	dialog.by("textbox", "Paste a definition").fill("node " + strings.Join(command.Args, " "))
	dialog.by("textbox", "Arguments, one per line").says("the pasted command", func(string) bool {
		return strings.HasSuffix(a.value(dialog.by("textbox", "Arguments, one per line")), dir)
	})
	if name := a.value(dialog.by("textbox", "Name")); name != "filesystem" {
		t.Errorf("the name taken from the command line is %q", name)
	}
	dialog.by("button", "Test").click()
	dialog.by("region", "Test").says("that names are taken", has("read_file", "built-in"))
	a.shot("job-04-tested")
	dialog.by("button", "Add").click()
	dialog.goes()
}

// retriesAfterKill ends a server's process and tries it again by its row's button.
func (a *app) retriesAfterKill(t *testing.T) {
	t.Helper()
	pid := a.serverPIDs()["memory"]
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill memory, process %d: %v", pid, err)
	}
	a.reaches("error", "memory")
	a.shot("job-09-killed")
	a.by("row", "memory").by("button", "Retry memory").click()
	a.reaches("connected", "memory")
	if now := a.serverPIDs()["memory"]; now == pid || now == 0 {
		t.Errorf("memory came back as process %d, it was %d", now, pid)
	}
	a.say("call read_graph with {}")
	a.answer("read_graph", "Allow once")
	a.idle()
	a.shot("job-10-again")
}

// trustAll answers the banner that a repository with servers of its own brings up. Until
// then nothing of it runs.
func (a *app) trustAll(names []string) {
	a.t.Helper()
	a.by("group", "Trust servers").appears()
	a.reaches("disabled", names...)
	if pids := a.serverPIDs(); len(pids) > 0 {
		a.t.Fatalf("servers run untrusted: %v", pids)
	}
	a.shot("main-0-untrusted")
	a.by("button", "Trust selected").click()
	a.by("group", "Trust servers").goes()
}

// resolveByRename settles the clash of the filesystem server with the built-in tools.
func (a *app) resolveByRename(t *testing.T) {
	t.Helper()
	a.by("row", "filesystem").by("button", "Resolve filesystem").click()
	dialog := a.by("dialog", "Resolve filesystem")
	dialog.by("textbox", "New name of read_file").fill("fs_read_file")
	dialog.by("textbox", "New name of write_file").fill("fs_write_file")
	dialog.says("what the model will see", has("fs_read_file, fs_write_file"))
	a.shot("main-2-resolve")
	dialog.by("button", "Apply").click()
	dialog.goes()
	a.reaches("connected", "filesystem")
	if text := a.read("~/.ai4j/mcp.json"); !strings.Contains(text, "fs_write_file") {
		t.Errorf("mcp.json does not hold the new name:\n%s", text)
	}
}

// callEach calls a tool of every server through the practice model.
func (a *app) callEach() {
	a.t.Helper()
	a.write("note.txt", "a line from the note")
	calls := []struct{ server, tool, arguments, decision, want string }{
		{"everything", "echo", `{"message": "over stdio"}`, "Allow once", "over stdio"},
		{"filesystem", "fs_read_file", fmt.Sprintf(`{"path": %q}`, a.path("note.txt")), "Allow for session", "a line from the note"},
		{"memory", "read_graph", `{}`, "Allow once", "entities"},
		{"thinking", "sequentialthinking", `{"thought": "one", "nextThoughtNeeded": false, "thoughtNumber": 1, "totalThoughts": 1}`, "Allow for session", "thoughtHistoryLength"},
	}
	for _, call := range calls {
		a.say("call " + call.tool + " with " + call.arguments)
		a.by("group", "Approve "+call.tool).appears()
		a.shot("main-4-asks-" + call.server)
		a.answer(call.tool, call.decision)
		card := a.by("article", "Tool call "+call.server+" · "+call.tool)
		card.says("that it went well", has("ok", call.want))
		a.idle()
	}
	a.shot("main-4-called")
	a.say("call sequentialthinking with " + calls[3].arguments)
	a.conversation("a second thought without a question", func(text string) bool { return strings.Count(text, "thoughtHistoryLength") >= 2 })
	a.idle()
}

// loseOne kills a server's process: its row says so and it comes back by itself.
func (a *app) loseOne(t *testing.T) {
	t.Helper()
	pid := a.serverPIDs()["memory"]
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatalf("kill memory, process %d: %v", pid, err)
	}
	a.leaves("connected", "memory")
	a.shot("main-5-lost")
	a.reaches("connected", "memory")
	if now := a.serverPIDs()["memory"]; now == pid || now == 0 {
		t.Errorf("memory came back as process %d, it was %d", now, pid)
	}
}

// repair removes the reason for which broken failed and lets Retry failed find out.
func (a *app) repair(t *testing.T, script string) {
	t.Helper()
	a.reaches("error", "broken")
	if err := os.WriteFile(script, []byte("exec "+binary(t, "CLI_BIN")+" demo-server\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.by("button", "Retry failed").click()
	a.reaches("connected", "broken")
}

// The first minute, without a key or a configuration: the demo server by one button, and the
// practice model calls its tool.
func TestFirstMinute(t *testing.T) {
	a := start(t, options{})
	a.by("button", "Add the demo server").click()
	dialog := a.by("dialog", "Add server")
	dialog.by("button", "Add").click()
	dialog.goes()
	a.reaches("connected", "demo")
	a.say("call demo_add with a=2 b=3")
	a.answer("demo_add", "Allow once")
	a.by("article", "Tool call demo · demo_add").says("the sum", has("ok", "5"))
	a.conversation("that a practice model answers", has("Practice model"))
	a.idle()
	a.shot("first-minute")
}
