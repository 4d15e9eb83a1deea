package builtin

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestWriteFileModes(t *testing.T) {
	r := newFileRig(t)
	write := func(args map[string]any) writeResult {
		t.Helper()
		return decode[writeResult](t, r.call("write_file", args), true)
	}
	at := func(path string) string { return filepath.Join(r.root, filepath.FromSlash(path)) }
	steps := []struct {
		name string
		args map[string]any
		want writeResult
		file string
	}{
		{"create, parents included", map[string]any{"path": "a/b/c.txt", "content": "one\n", "mode": "create"},
			writeResult{Path: "a/b/c.txt", ResolvedPath: at("a/b/c.txt"), Mode: "create", Created: true, BytesWritten: 4}, "one\n"},
		{"append", map[string]any{"path": "a/b/c.txt", "content": "zwölf", "mode": " Append "},
			writeResult{Path: "a/b/c.txt", ResolvedPath: at("a/b/c.txt"), Mode: "append", Appended: true, BytesWritten: 6}, "one\nzwölf"},
		{"overwrite is the default", map[string]any{"path": "./a/../a/b/c.txt", "content": "<new> & \r\n"},
			writeResult{Path: "a/b/c.txt", ResolvedPath: at("a/b/c.txt"), Mode: "overwrite", BytesWritten: 10}, "<new> & \r\n"},
		{"empty content", map[string]any{"path": "a/b/c.txt", "content": "", "mode": ""},
			writeResult{Path: "a/b/c.txt", ResolvedPath: at("a/b/c.txt"), Mode: "overwrite"}, ""},
		{"append to nothing creates", map[string]any{"path": "n", "content": "x", "mode": "append"},
			writeResult{Path: "n", ResolvedPath: at("n"), Mode: "append", Created: true, BytesWritten: 1}, "x"},
	}
	for _, tt := range steps {
		if got := write(tt.args); got != tt.want {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, got, tt.want)
		}
		if data, err := os.ReadFile(at(tt.want.Path)); err != nil || string(data) != tt.file {
			t.Errorf("%s: the file holds %q, %v; want %q", tt.name, data, err, tt.file)
		}
	}
	r.holds(map[string]string{"a/b/c.txt": "", "n": "x"}) // nothing temporary stays
}

func TestWriteFileRefuses(t *testing.T) {
	r := newFileRig(t)
	r.put("there", "old")
	r.put("dir/x", "x")
	r.put(".git/hooks/sample", "s")
	r.link(r.outside, "out")
	r.link(filepath.Join(r.outside, "dangling"), "dangling")
	r.link(".git/hooks", "innocent")
	tests := []struct {
		name string
		args map[string]any
		want string
	}{
		{"no path", map[string]any{"content": "x"}, "path is required"},
		{"a blank path", map[string]any{"path": "\t", "content": "x"}, "path is required"},
		{"no content", map[string]any{"path": "new"}, "content is required"},
		{"null content", map[string]any{"path": "new", "content": nil}, "content is required"},
		{"content of another type", map[string]any{"path": "new", "content": 3}, `argument "content" must be of type string, not number`},
		{"an unknown mode", map[string]any{"path": "new", "content": "x", "mode": "truncate"}, "Unsupported write mode: truncate"},
		{"a directory", map[string]any{"path": "dir", "content": "x"}, "Target is a directory: dir"},
		{"the workspace", map[string]any{"path": ".", "content": "x"}, "Target is a directory: ."},
		{"create over a file", map[string]any{"path": "there", "content": "x", "mode": "create"}, "File already exists: there"},
		{"parent", map[string]any{"path": "../outside/x", "content": "x"}, "Path escapes workspace root: ../outside/x"},
		{"a folder link", map[string]any{"path": "out/x", "content": "x"}, "Path escapes workspace root: out/x"},
		{"a folder below a folder link", map[string]any{"path": "out/new/x", "content": "x"}, "Path escapes workspace root: out/new/x"},
		{"a dangling link out", map[string]any{"path": "dangling", "content": "x"}, "Path escapes workspace root: dangling"},
		{"a hook", map[string]any{"path": ".git/hooks/pre-commit", "content": "x"}, "Write to .git/hooks is blocked (potential hook backdoor): .git/hooks/pre-commit"},
		{"a hook through a link", map[string]any{"path": "innocent/pre-commit", "content": "x"}, "Write to .git/hooks is blocked (potential hook backdoor): innocent/pre-commit"},
		{"keys", map[string]any{"path": ".ssh/config", "content": "x"}, "Write to sensitive directory is blocked: .ssh/config"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			(&fileRig{t: t, set: r.set}).fails("write_file", tt.args, tt.want)
		})
	}
	if got := r.call("write_file", map[string]any{"path": "there/below", "content": "x"}); got.OK {
		t.Error("a file was written below a file")
	}
	r.holds(map[string]string{"there": "old", "dir/x": "x", ".git/hooks/sample": "s"})
	if left, err := os.ReadDir(r.outside); err != nil || len(left) > 0 {
		t.Errorf("outside: %v, %v", left, err)
	}
}

// TestWriteFileReplaces: the file is replaced in one step, keeps its mode, and a link to it
// stays a link.
func TestWriteFileReplaces(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("modes and open files behave otherwise there; only the content is checked")
	}
	r := newFileRig(t)
	r.put("tool.sh", "#!/bin/sh\n")
	r.link("tool.sh", "alias")
	path := filepath.Join(r.root, "tool.sh")
	if err := os.Chmod(path, 0o750); err != nil {
		t.Fatal(err)
	}
	reader, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	got := decode[writeResult](t, r.call("write_file", map[string]any{"path": "alias", "content": "new\n"}), true)
	if got.Path != "tool.sh" || got.ResolvedPath != path || got.Created {
		t.Errorf("got %+v", got)
	}
	r.holds(map[string]string{"tool.sh": "new\n"})
	if runtime.GOOS == "windows" {
		return
	}
	old := make([]byte, 32)
	if n, _ := reader.Read(old); string(old[:n]) != "#!/bin/sh\n" {
		t.Errorf("a reader of the old file sees %q: it was written in place", old[:n])
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if info, err := os.Lstat(filepath.Join(r.root, "alias")); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
}

func TestNamesAreTheFourTools(t *testing.T) {
	if got := strings.Join(Names(), " "); got != "bash read_file write_file apply_patch" {
		t.Errorf("names %s", got)
	}
	for _, e := range newFileRig(t).set.Entries() {
		if e.Description == "" || e.Title == "" || e.Hash == "" || e.Server != "" || e.Original != e.Name {
			t.Errorf("entry %+v", e.Spec)
		}
		if read := e.Name == "read_file"; e.Annotations.SaysReadOnly() != read || e.Parallel != read {
			t.Errorf("%s: read-only %v, parallel %v", e.Name, e.Annotations.SaysReadOnly(), e.Parallel)
		}
	}
}

func TestBadArguments(t *testing.T) {
	r := newFileRig(t)
	for _, name := range []string{"read_file", "write_file", "apply_patch"} {
		for _, raw := range []string{"[]", "{", `"x"`, "null,"} {
			if got := r.raw(name, raw); got.OK || got.Content[0].Text == "" {
				t.Errorf("%s %s: %+v", name, raw, got)
			}
		}
	}
	// A05: blank arguments are an empty object.
	if got := r.raw("apply_patch", ""); got.OK || got.Content[0].Text != "patch is required" {
		t.Errorf("blank arguments: %+v", got)
	}
}
