package session

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
)

func TestReproductionsAreQuotedAndHoldNoStoredValue(t *testing.T) {
	stdio := mcpconf.Definition{
		Type: mcpconf.Stdio, Command: "/opt/my tools/run", Env: map[string]string{"API_KEY": "s3cret-env", "my-var": "x"},
		Args: []string{"-y", "it's", "", "--api-key", "s3cret-arg", "--url=https://u:s3cret-pw@h/p?key=s3cret-q", placeholder("REF"), "a" + placeholder("REF") + "$b", "sk-s3cret", "-H", "Authorization: Bearer s3cret"},
	}
	web := mcpconf.Definition{Type: mcpconf.StreamableHTTP, URL: "https://u:s3cret-pw@h/mcp?token=s3cret-q", Headers: map[string]string{"X-Api-Key": "s3cret"}}
	sse := mcpconf.Definition{Type: mcpconf.SSE, URL: "http://127.0.0.1:1/sse"}
	hello := `{"id":1,"jsonrpc":"2.0","method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"terminal","version":"1"},"protocolVersion":"2025-11-25"}}`
	tests := []struct {
		name, goos string
		def        mcpconf.Definition
		folder     string
		line       string
		set        string
	}{
		{"stdio", "linux", stdio, "/w/a b", `cd '/w/a b' && { printf '%s\n' '` + hello + `'; sleep 10; } | env API_KEY="$API_KEY" my-var="$my_var" '/opt/my tools/run' -y 'it'\''s' '' --api-key "$API_KEY_2" '--url=https://h/p?key='"$KEY" "$REF" a"$REF"'$b' "$SECRET" -H 'Authorization: '"$AUTHORIZATION"`, "API_KEY my_var API_KEY_2 KEY REF SECRET AUTHORIZATION"},
		{"stdio", "windows", stdio, `C:\a b`, `Set-Location -LiteralPath 'C:\a b'; & { '` + hello + `'; Start-Sleep 10 } | & '/opt/my tools/run' '-y' 'it''s' '' '--api-key' "${env:API_KEY_2}" "--url=https://h/p?key=${env:KEY}" "${env:REF}" "a${env:REF}` + "`" + `$b" "${env:SECRET}" '-H' "Authorization: ${env:AUTHORIZATION}"`, "API_KEY my_var API_KEY_2 KEY REF SECRET AUTHORIZATION"},
		{"streamable http", "linux", web, "", `curl -sS -i -N -X POST 'https://h/mcp?token='"$TOKEN" -H 'Accept: application/json, text/event-stream' -H 'X-Api-Key: '"$X_API_KEY" -H 'Content-Type: application/json' --data '` + hello + `'`, "TOKEN X_API_KEY"},
		{"sse", "darwin", sse, "", `curl -sS -i -N http://127.0.0.1:1/sse -H 'Accept: text/event-stream'`, ""},
	}
	for _, tt := range tests {
		got := reproduce(tt.goos, tt.def, tt.folder)
		if got.Line != tt.line {
			t.Errorf("%s on %s:\n got %s\nwant %s", tt.name, tt.goos, got.Line, tt.line)
		}
		if set := strings.Join(got.Set, " "); set != tt.set {
			t.Errorf("%s on %s sets %q, want %q", tt.name, tt.goos, set, tt.set)
		}
		if strings.Contains(got.Line, "s3cret") {
			t.Errorf("%s on %s shows a stored value: %s", tt.name, tt.goos, got.Line)
		}
	}
	modern := reproduce("linux", mcpconf.Definition{Type: mcpconf.Stdio, Command: "x", Protocol: "2026-07-28"}, "")
	if !strings.Contains(modern.Line, "server/discover") || !strings.Contains(modern.Line, `"io.modelcontextprotocol/protocolVersion":"2026-07-28"`) {
		t.Errorf("the stateless revision: %s", modern.Line)
	}
}

// TestTheReproductionOfARealServerWorksInAShell runs the line as a person would.
func TestTheReproductionOfARealServerWorksInAShell(t *testing.T) {
	r := newRig(t)
	self, err := os.Executable()
	r.must(err)
	folder := filepath.Join(r.workspace, "it's a folder")
	r.must(os.MkdirAll(folder, 0o755))
	def, err := json.Marshal(map[string]any{"command": self, "args": []string{"demo-server"}, "cwd": folder, "env": map[string]string{"GREETING": "stored"}})
	r.must(err)
	r.write(r.storePath(), fmt.Sprintf(`{"mcpServers": {"demo": %s}}`, def))
	m := r.open(Options{})
	s := r.session(m)
	d, err := s.Doctor(t.Context(), "demo", false)
	r.must(err)
	if d.Resolved != self || d.Folder != folder || !slices.Equal(d.EnvNames, []string{"GREETING"}) || !slices.Equal(d.Set, []string{"GREETING"}) || len(d.Problems) > 0 {
		t.Errorf("doctor = %+v", d)
	}
	cmd := exec.Command("/bin/sh", "-c", d.Line)
	cmd.Env = append(os.Environ(), "GREETING=mine")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	r.must(err)
	r.must(cmd.Start())
	defer func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait() // killed: an error by design
	}()
	answer, err := bufio.NewReader(out).ReadString('\n')
	if err != nil || !strings.Contains(answer, `"serverInfo"`) {
		t.Errorf("%s\nanswered %q, %v", d.Line, answer, err)
	}
}

// program is a fake tool that tells its version.
func (r *rig) program(path, version string) {
	r.write(path, "#!/bin/sh\necho "+version+"\n")
	r.must(os.Chmod(path, 0o755))
}

func TestDoctorSaysWhatTheLoginShellHasAndThisProcessLacks(t *testing.T) {
	r := newRig(t)
	old, shell := filepath.Join(r.home, "old"), filepath.Join(r.home, "shell")
	r.program(filepath.Join(old, "node"), "v18.1.0")
	r.program(filepath.Join(shell, "node"), "v22.14.0")
	r.program(filepath.Join(shell, "lib", "npx-cli"), "10.9.2")
	r.must(os.Symlink(filepath.Join(shell, "lib", "npx-cli"), filepath.Join(shell, "npx")))
	r.write(filepath.Join(r.home, ".profile"), "export PATH="+shell+":$PATH NODE_EXTRA=1\n")
	t.Setenv("PATH", old)
	r.write(r.storePath(), `{"mcpServers": {
		"npx": {"command": "npx", "args": ["-y", "x"]},
		"gone": {"command": "no-such-command", "cwd": "/no/such/folder"},
		"unset": {"command": "sh", "env": {"A": "${env:NOT_SET_ANYWHERE}"}},
		"bad": {"type": "stdio"},
		"web": {"url": "https://example.test/mcp", "headers": {"Authorization": "Bearer s3cret"}}}}`)
	m := r.open(Options{})
	s := r.session(m)
	d, err := s.Doctor(t.Context(), "npx", false)
	r.must(err)
	if d.Resolved != filepath.Join(shell, "npx") || d.Target != filepath.Join(shell, "lib", "npx-cli") || d.Shell != "/bin/sh" || d.Folder != r.workspace {
		t.Errorf("doctor = %+v", d)
	}
	if !slices.Contains(d.Lacking, Lacking{Folder: shell, Added: true}) || !slices.Contains(d.Variables, "NODE_EXTRA") {
		t.Errorf("lacking %v, variables %v", d.Lacking, d.Variables)
	}
	want := []Program{
		{Name: "npx", Here: Found{Path: filepath.Join(shell, "npx"), Version: "10.9.2"}, There: Found{Path: filepath.Join(shell, "npx"), Version: "10.9.2"}},
		{Name: "node", Here: Found{Path: filepath.Join(old, "node"), Version: "v18.1.0"}, There: Found{Path: filepath.Join(shell, "node"), Version: "v22.14.0"}},
	}
	if !slices.Equal(d.Programs, want) {
		t.Errorf("programs = %+v", d.Programs)
	}
	text := strings.Join(d.Notes, "\n")
	for _, part := range []string{"Node is v18.1.0 here and v22.14.0 in the login shell.", "that Patchbay was not started with; the server gets them all the same."} {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(part)) {
			t.Errorf("%q is not said: %s", part, text)
		}
	}
	for name, parts := range map[string][]string{
		"gone":  {"/no/such/folder does not exist", "no-such-command"},
		"unset": {"NOT_SET_ANYWHERE"},
		"bad":   {"stdio transport requires command"},
	} {
		d, err := s.Doctor(t.Context(), name, false)
		r.must(err)
		for _, part := range parts {
			if text := strings.Join(d.Problems, "\n"); !strings.Contains(text, part) {
				t.Errorf("%s: %q is not said: %q", name, part, text)
			}
		}
	}
	d, err = s.Doctor(t.Context(), "web", false)
	r.must(err)
	if !strings.HasPrefix(d.Line, "curl ") || strings.Contains(d.Line, "s3cret") || len(d.Programs) > 0 {
		t.Errorf("web = %+v", d)
	}
	if _, err := s.Doctor(t.Context(), "nobody", false); err == nil {
		t.Error("a server that is defined nowhere was examined")
	}
	// What changed is seen when it is asked again, and only then.
	r.program(filepath.Join(old, "node"), "v20.0.0")
	if d, err := s.Doctor(t.Context(), "npx", false); err != nil || d.Programs[1].Here.Version != "v18.1.0" {
		t.Errorf("from what is kept: %+v, %v", d.Programs, err)
	}
	if d, err := s.Doctor(t.Context(), "npx", true); err != nil || d.Programs[1].Here.Version != "v20.0.0" {
		t.Errorf("asked again: %+v, %v", d.Programs, err)
	}
}

func TestDoctorRunsNothingOfAnUntrustedRepositoryAndCanBeCancelled(t *testing.T) {
	r := newRig(t)
	count := filepath.Join(r.home, "count")
	for _, name := range []string{"node", "deno"} {
		r.write(filepath.Join(r.workspace, "bin", name), "#!/bin/sh\necho x >> "+count+"\necho v1\n")
		r.must(os.Chmod(filepath.Join(r.workspace, "bin", name), 0o755))
	}
	r.must(os.MkdirAll(filepath.Join(r.home, "tools"), 0o755))
	r.must(os.Symlink(filepath.Join(r.workspace, "bin", "deno"), filepath.Join(r.home, "tools", "deno")))
	r.write(filepath.Join(r.home, "hang", "bun"), "#!/bin/sh\nsleep 300\n")
	r.must(os.Chmod(filepath.Join(r.home, "hang", "bun"), 0o755))
	r.write(r.storePath(), fmt.Sprintf(`{"mcpServers": {"a": {"command": "./bin/node"}, "b": {"command": %q}, "c": {"command": %q}}}`,
		filepath.Join(r.home, "tools", "deno"), filepath.Join(r.home, "hang", "bun")))
	m := r.open(Options{})
	s := r.session(m)
	for _, name := range []string{"a", "b"} {
		d, err := s.Doctor(t.Context(), name, false)
		r.must(err)
		if len(d.Programs) == 0 || d.Programs[0].Here.Path == "" || d.Programs[0].Here.Version != "" {
			t.Errorf("%s: %+v", name, d.Programs)
		}
	}
	if _, err := os.Stat(count); err == nil {
		t.Error("a program of the untrusted workspace was run")
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(300*time.Millisecond, cancel)
	if _, err := s.Doctor(ctx, "c", false); err == nil {
		t.Error("a cancelled examination tells nothing of it")
	}
}
