package builtin

import (
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// patch wraps the lines of a patch in its envelope.
func patch(lines ...string) map[string]any {
	return map[string]any{"patch": "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch"}
}

func TestApplyPatchUpdates(t *testing.T) {
	const go3 = "func A() {\n\treturn\n}\n\nfunc B() {\n\treturn\n}\n"
	tests := []struct {
		name, file string
		lines      []string
		want       string
	}{
		{"one line", "a\nb\nc\n", []string{"@@", " a", "-b", "+B", " c"}, "a\nB\nc\n"},
		{"no @@ at all", "a\nb\nc\n", []string{" a", "-b", "+B"}, "a\nB\nc\n"},
		{"no final newline, last line changed", "a\nb", []string{"@@", " a", "-b", "+B"}, "a\nB"},
		{"no final newline, first line changed", "a\nb", []string{"@@", "-a", "+A"}, "A\nb"},
		{"no final newline, line added at the end", "a\nb", []string{"@@", " b", "+c"}, "a\nb\nc"},
		{"CRLF", "a\r\nb\r\nc\r\n", []string{"@@", " a", "-b", "+B", "+BB"}, "a\r\nB\r\nBB\r\nc\r\n"},
		{"mixed endings stay", "a\r\nb\nc\r\nd\n", []string{"@@", " b", "-c", "+C"}, "a\r\nb\nC\r\nd\n"},
		{"CRLF, the second line open", "a\r\nb", []string{"@@", " b", "+c"}, "a\r\nb\r\nc"},
		{"BOM, first line changed", "\ufeffa\nb\n", []string{"@@", "-a", "+A"}, "\ufeffA\nb\n"},
		{"insertion after an anchor", go3, []string{"@@ func B() {", "+\tlog()"}, "func A() {\n\treturn\n}\n\nfunc B() {\n\tlog()\n\treturn\n}\n"},
		{"insertion without an anchor goes to the end", "a\nb\n", []string{"@@", "+c"}, "a\nb\nc\n"},
		{"insertion at the end of the file", "a\nb\n", []string{"@@ a", "+c", "*** End of File"}, "a\nb\nc\n"},
		{"insertion into an empty file", "", []string{"@@", "+c"}, "c\n"},
		{"context honoured by @@", go3, []string{"@@ func B() {", "-\treturn", "+\tgo A()"}, "func A() {\n\treturn\n}\n\nfunc B() {\n\tgo A()\n}\n"},
		{"the @@ line repeated in the hunk", go3, []string{"@@ func B() {", " func B() {", "-\treturn"}, "func A() {\n\treturn\n}\n\nfunc B() {\n}\n"},
		{"two @@ in a row", "x:\n k: 1\ny:\n x:\n k: 1\n", []string{"@@ y:", "@@ x:", "- k: 1", "+ k: 2"}, "x:\n k: 1\ny:\n x:\n k: 2\n"},
		{"two hunks under the same @@", "f {\n1\n2\n3\n}\n", []string{"@@ f {", "-1", "+one", "@@ f {", "-3", "+three"}, "f {\none\n2\nthree\n}\n"},
		{"git's line numbers say nothing", "a\nb\n", []string{"@@ -7,1 +7,1 @@", "-b", "+B"}, "a\nB\n"},
		{"git's heading is an anchor", go3, []string{"@@ -1,2 +9,9 @@ func B() {", "-\treturn", "+\tgo A()"}, "func A() {\n\treturn\n}\n\nfunc B() {\n\tgo A()\n}\n"},
		{"git's metadata", "a\n", []string{"diff --git a/f b/f", "index 1..2 100644", "--- a/f", "+++ b/f", "@@ -1 +1 @@", "-a", "+A"}, "A\n"},
		{"a removed line that looks like metadata", "-- old\nx\n", []string{"--- old", "+-- new"}, "-- new\nx\n"},
		{"the end of the file wins over an earlier place", "x\ny\nx\n", []string{"@@", "-x", "+z", "*** End of File"}, "x\ny\nz\n"},
		{"several hunks", "1\n2\n3\n4\n5\n6\n", []string{"@@", "-1", "@@", " 3", "+3.5", "@@", "-6", "+six"}, "2\n3\n3.5\n4\n5\nsix\n"},
		{"hunks look forward only", "x\na\nx\n", []string{"@@", " a", "@@", "-x", "+X"}, "x\na\nX\n"},
		{"an empty kept line without its space", "a\n\nb\n", []string{"@@", " a", "", "-b", "+B"}, "a\n\nB\n"},
		{"blank lines behind a hunk", "a\nb\n", []string{"@@", "-a", "+A", "", ""}, "A\nb\n"},
		{"trailing space in the file stays", "a  \nb\n", []string{"@@", " a", "-b", "+B"}, "a  \nB\n"},
		{"indentation of the file stays", "\tif x {\n\t\ty()\n", []string{"@@", " if x {", "-y()", "+\t\tz()"}, "\tif x {\n\t\tz()\n"},
		{"typographic punctuation", "say \u201chi\u201d \u2014 it\u2019s\u00a0on\u2026\nb\n", []string{"@@", ` say "hi" - it's on...`, "-b", "+B"}, "say \u201chi\u201d \u2014 it\u2019s\u00a0on\u2026\nB\n"},
		{"an exact place wins over a tolerant one", " x\nx\n", []string{"@@", "-x", "+y"}, " x\ny\n"},
		{"everything removed", "a\nb\n", []string{"@@", "-a", "-b"}, ""},
		{"other encodings outside the hunk stay", "gr\xfcn\na\n", []string{"@@", "-a", "+A"}, "gr\xfcn\nA\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newFileRig(t)
			r.put("f", tt.file)
			result := r.call("apply_patch", patch(append([]string{"*** Update File: f"}, tt.lines...)...))
			if !result.OK {
				t.Fatal(result.Content[0].Text)
			}
			r.holds(map[string]string{"f": tt.want})
		})
	}
}

func TestApplyPatchResult(t *testing.T) {
	r := newFileRig(t)
	r.put("src/a.go", "package a\nvar x = 1\n")
	r.put("old/name.go", "package old\n\n// stays\n")
	r.put("gone.txt", "1\n2\n")
	r.put("moved.txt", "as it is")
	args := patch(
		"*** Update File: src/a.go", "@@ package a", "-var x = 1", "+var x = 2", "+var y = 3",
		"*** Add: notes/new.md", "+# Title", "+", "+text",
		"*** Update File: /old/name.go", "*** Move to: new/name.go", "@@", "-package old", "+package name",
		"*** Delete File: gone.txt", "", "*** Update: moved.txt", "*** Move to: there.txt")
	preview := r.set.Preview(call("apply_patch", args))
	got := decode[patchResult](t, r.call("apply_patch", args), true)
	want := patchResult{
		FilesChanged: 7, OperationsApplied: 5,
		ChangedFiles: []string{"src/a.go", "notes/new.md", "old/name.go", "new/name.go", "gone.txt", "moved.txt", "there.txt"},
		FileChanges: []fileChange{
			{Path: "src/a.go", Operation: "update", LinesAdded: 2, LinesRemoved: 1},
			{Path: "notes/new.md", Operation: "add", LinesAdded: 3},
			{Path: "old/name.go", Operation: "update", MovedTo: "new/name.go", LinesAdded: 1, LinesRemoved: 1},
			{Path: "gone.txt", Operation: "delete", LinesRemoved: 2},
			{Path: "moved.txt", Operation: "update", MovedTo: "there.txt"},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	r.holds(map[string]string{
		"src/a.go": "package a\nvar x = 2\nvar y = 3\n", "notes/new.md": "# Title\n\ntext\n",
		"new/name.go": "package name\n\n// stays\n", "there.txt": "as it is",
	})
	for _, part := range []string{"--- a/src/a.go", "-var x = 1\n+var x = 2\n+var y = 3\n", "+++ b/notes/new.md", "+++ b/new/name.go", "-2\n"} {
		if preview.Kind != "diff" || !strings.Contains(preview.Text, part) {
			t.Errorf("the preview is %s without %q:\n%s", preview.Kind, part, preview.Text)
		}
	}
}

func TestApplyPatchOperationsOnOneFile(t *testing.T) {
	r := newFileRig(t)
	r.put("f", "a\nb\n")
	got := r.call("apply_patch", patch(
		"*** Update File: f", "@@", "-a", "+A", "*** Update File: f", "@@", " A", "-b", "+B",
		"*** Add File: g", "+1", "*** Update File: g", "@@", "-1", "+2", "*** Delete File: g",
		"*** Delete File: f", "*** Add File: f", "+new"))
	if !got.OK {
		t.Fatal(got.Content[0].Text)
	}
	r.holds(map[string]string{"f": "new\n"})
}

func TestApplyPatchErrors(t *testing.T) {
	const envelope = `Invalid patch envelope: the first line must be "*** Begin Patch" and the last "*** End Patch"`
	tests := []struct {
		name string
		args map[string]any
		want string
	}{
		{"nothing", map[string]any{}, "patch is required"},
		{"blank", map[string]any{"patch": " \n"}, "patch is required"},
		{"no envelope", map[string]any{"patch": "*** Update File: f\n@@\n-a\n"}, envelope},
		{"no end", map[string]any{"patch": "*** Begin Patch\n*** Delete File: f\n"}, envelope},
		{"no operation", patch(""), "the patch holds no operation"},
		{"an unknown line", patch("*** Rename File: f"), "Unsupported patch line: *** Rename File: f"},
		{"no path", patch("*** Delete File: "), "Patch directive is missing a file path: *** Delete File: "},
		{"only slashes", patch("*** Delete File: //"), "Patch directive is missing a file path: *** Delete File: //"},
		{"an added line without +", patch("*** Add File: n", "+a", "b"), "Add file lines must start with '+': b"},
		{"add over a file", patch("*** Add File: f", "+a"), "File already exists: f"},
		{"delete nothing", patch("*** Delete File: n"), "File does not exist: n"},
		{"update nothing", patch("*** Update File: n", "@@", "+a"), "File does not exist: n"},
		{"update a folder", patch("*** Update File: dir", "@@", "+a"), "Path is a directory: dir"},
		{"no hunk", patch("*** Update File: f"), "Update file patch must contain at least one hunk: f"},
		{"an empty hunk", patch("*** Update File: f", "@@ a", "@@", "@@", "*** Delete File: dir/x"), "hunk 1 of f has no lines"},
		{"a strange body line", patch("*** Update File: f", "@@", "a"), "Unsupported update body line: a"},
		{"move onto a file", patch("*** Update File: f", "*** Move to: dir/x"), "File already exists: dir/x"},
		{"move out", patch("*** Update File: f", "*** Move to: ../outside/f"), "Path escapes workspace root: ../outside/f"},
		{"delete through a link out", patch("*** Delete File: out/secret"), "Path escapes workspace root: out/secret"},
		{"add a hook", patch("*** Add File: .git/hooks/pre-push", "+x"), "Write to .git/hooks is blocked (potential hook backdoor): .git/hooks/pre-push"},
		{"not there at all", patch("*** Update File: f", "@@", "-zzz", "+y"), `Failed to locate patch hunk in file: f: hunk 1 expects "zzz", which does not stand after line 0. Read the file again`},
		{"the second hunk is not there", patch("*** Update File: f", "@@", "-b", "+B", "@@", "-a", "+A"), `Failed to locate patch hunk in file: f: hunk 2 expects "a", which does not stand after line 2. Read the file again`},
		{"an anchor that is not there", patch("*** Update File: f", "@@ func Z()", "+x"), `Failed to locate patch hunk in file: f: hunk 1 is to follow the line "func Z()", which does not stand after line 0`},
		{"other context", patch("*** Update File: f", "@@", " a", "-x", "+y"), "Patch context mismatch for file f: hunk 1, line 2: expected 'x' but found 'b'"},
		{"beyond the end", patch("*** Update File: f", "@@", " b", " c", "+y"), `Patch exceeds file length: f: hunk 1 fits at line 2 but expects "c" after the last line`},
		{"not text", patch("*** Update File: bin", "@@", "+y"), "bin is not UTF-8 text (UTF-16 or binary): change it with bash"},
	}
	r := newFileRig(t)
	r.put("f", "a\nb\n")
	r.put("dir/x", "x")
	r.put("bin", "\xff\xfea\x00\n\x00")
	r.link(r.outside, "out")
	if err := os.WriteFile(filepath.Join(r.outside, "secret"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &fileRig{t: t, set: r.set, root: r.root}
			r.fails("apply_patch", tt.args, tt.want)
			r.holds(map[string]string{"f": "a\nb\n", "dir/x": "x", "bin": "\xff\xfea\x00\n\x00"})
			if p := r.set.Preview(call("apply_patch", tt.args)); p.Kind != "arguments" {
				t.Errorf("the preview of a patch that does not apply is a %s", p.Kind)
			}
		})
	}
}

func TestApplyPatchIsAllOrNothing(t *testing.T) {
	before := map[string]string{"1": "a\r\n", "2": "b", "3": "c\n"}
	first := []string{"*** Update File: 1", "@@", "-a", "+A", "*** Delete File: 2", "*** Add File: new/deep/4", "+d"}
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"the third file does not match", []string{"*** Update File: 3", "@@", "-zzz"}, "Failed to locate patch hunk in file: 3"},
		// At the check neither exists; in writing the first makes the second impossible.
		{"a write fails midway", []string{"*** Add File: f", "+x", "*** Add File: f/below", "+y"}, "nothing was changed"},
		{"a folder in the place of a deleted file", []string{"*** Add File: 2/below", "+x"}, "2/below"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newFileRig(t)
			for path, content := range before {
				r.put(path, content)
			}
			got := r.call("apply_patch", patch(append(first[:len(first):len(first)], tt.lines...)...))
			if text := got.Content[0].Text; got.OK || !strings.Contains(text, tt.want) || strings.Contains(text, "went wrong too") {
				t.Errorf("ok %v, %q; want the error %q", got.OK, text, tt.want)
			}
			r.holds(before)
			if left, err := os.ReadDir(r.root); err != nil || len(left) != len(before) {
				t.Errorf("folders were left behind: %v, %v", left, err)
			}
		})
	}
}

func TestApplyPatchKeepsModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Log("there are no modes to keep; moving is checked in TestApplyPatchResult")
		return
	}
	r := newFileRig(t)
	for _, name := range []string{"run.sh", "move.sh"} {
		r.put(name, "a\n")
		if err := os.Chmod(filepath.Join(r.root, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.call("apply_patch", patch("*** Update File: run.sh", "@@", "-a", "+b",
		"*** Update File: move.sh", "*** Move to: bin/move.sh", "@@", "-a", "+b")); !got.OK {
		t.Fatal(got.Content[0].Text)
	}
	for _, name := range []string{"run.sh", "bin/move.sh"} {
		if info, err := os.Stat(filepath.Join(r.root, name)); err != nil || info.Mode().Perm() != 0o755 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
}

func TestPreviews(t *testing.T) {
	r := newFileRig(t)
	r.put("f", "old\n")
	tests := []struct {
		name, tool string
		args       map[string]any
		kind, has  string
	}{
		{"a command", "bash", map[string]any{"command": "make <all>"}, "command", "make <all>"},
		{"a command in a folder", "bash", map[string]any{"action": "start", "command": "ls", "cwd": "sub"}, "command", "cd sub\nls"},
		{"no command", "bash", map[string]any{"action": "stop", "processId": "proc_1"}, "arguments", `"processId": "proc_1"`},
		{"an overwrite", "write_file", map[string]any{"path": "f", "content": "new\n"}, "diff", "-old\n+new\n"},
		{"an append", "write_file", map[string]any{"path": "f", "content": "new\n", "mode": "append"}, "diff", " old\n+new\n"},
		{"a new file", "write_file", map[string]any{"path": "n", "content": "x\n"}, "diff", "+x\n"},
		{"a write that will fail", "write_file", map[string]any{"path": "../n", "content": "x"}, "arguments", `"path": "../n"`},
		{"a patch", "apply_patch", patch("*** Update File: f", "@@", "-old", "+new"), "diff", "-old\n+new\n"},
		{"a read", "read_file", map[string]any{"path": "<f>", "n": 9007199254740993}, "arguments", "{\n  \"n\": 9007199254740993,\n  \"path\": \"<f>\"\n}"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := r.set.Preview(call(tt.tool, tt.args))
			if got.Kind != tt.kind || !strings.Contains(got.Text, tt.has) {
				t.Errorf("%s\n%s\nwant %s with %q", got.Kind, got.Text, tt.kind, tt.has)
			}
		})
	}
	r.holds(map[string]string{"f": "old\n"}) // looking changes nothing
}
