package mcpconf

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const two = `{
  // mine
  "mcpServers": {
    "fetch": {
      "command": "uvx", // runner
      "args": ["mcp-server-fetch"],
      "env": {"B": "2", /* keep */ "A": "1"},
      "disabled": false,
      "tools": {"exclude": ["x"], "rename": {"a": "b"}}
    },
    "web": {"type": "http", "url": "http://h/mcp"}
  },
  "other": [1, 2]
}
`

func def(t *testing.T, s *Store, name string) Definition {
	t.Helper()
	defs, _ := s.Value().Get()
	i := indexOf(defs.Servers, name)
	if i < 0 {
		t.Fatalf("no %s in %q", name, names(defs))
	}
	return defs.Servers[i]
}

func TestStoreReplaceKeepsTheTextOfWhatDoesNotChange(t *testing.T) {
	tests := []struct {
		name, server string
		change       func(*Definition)
		want         string // edits of two: pairs of old and new
	}{
		{"nothing", "fetch", func(*Definition) {}, ""},
		{"one argument more", "fetch", func(d *Definition) { d.Args = append(d.Args, "-v") }, `["mcp-server-fetch"]|["mcp-server-fetch", "-v"]`},
		{"env: one changed, one gone, one new", "fetch", func(d *Definition) { d.Env = map[string]string{"A": "9", "C": ""} },
			`{"B": "2", /* keep */ "A": "1"}|{ /* keep */ "A": "9", "C": ""}`},
		{"another name", "fetch", func(d *Definition) { d.Name = "get" }, `"fetch": {|"get": {`},
		{"no tools", "fetch", func(d *Definition) { d.Tools = ToolRules{} }, "false,\n      \"tools\": {\"exclude\": [\"x\"], \"rename\": {\"a\": \"b\"}}|false"},
		{"a time limit in one line", "web", func(d *Definition) { d.TimeoutMs = 9 }, `"http://h/mcp"}|"http://h/mcp", "timeoutMs": 9}`},
		{"another transport", "web", func(d *Definition) { *d = Definition{Name: "web", Type: Stdio, Command: "w"} }, `{"type": "http", "url": "http://h/mcp"}|{"type": "stdio", "command": "w"}`},
		{"cwd in several lines", "fetch", func(d *Definition) { d.CWD = "~/x" }, "\"b\"}}|\"b\"}},\n      \"cwd\": \"~/x\""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t)
			s := r.store(t, two)
			d := def(t, s, tt.server)
			tt.change(&d)
			if err := s.Replace(tt.server, d); err != nil {
				t.Fatal(err)
			}
			want := two
			if old, now, ok := strings.Cut(tt.want, "|"); ok {
				if !strings.Contains(two, old) {
					t.Fatalf("the test's old text %q is not in the file", old)
				}
				want = strings.Replace(two, old, now, 1)
			}
			wantFile(t, r.path(), want)
			if got := def(t, s, d.Name); !sameMeaning(got, d) {
				t.Errorf("published %+v, want %+v", got, d)
			}
		})
	}
}

func TestStoreReplacePutsAWrongTypeRight(t *testing.T) {
	r := newRig(t)
	s := r.store(t, `{"mcpServers": {"a": {"command": "x", "env": "K=v", "z": 1}, "b": null}}`)
	d := def(t, s, "a")
	if d.Invalid == "" {
		t.Fatal("the definition counts as valid before")
	}
	if err := s.Replace("a", d); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace("b", Definition{Name: "b", URL: "http://h"}); err != nil {
		t.Fatal(err)
	}
	wantFile(t, r.path(), `{"mcpServers": {"a": {"command": "x", "z": 1, "type": "stdio"}, "b": {"type": "streamable_http", "url": "http://h"}}}`)
}

func TestStoreRefusesByNameAndWritesNothing(t *testing.T) {
	r := newRig(t)
	s := r.store(t, two)
	ok := Definition{Name: "web", URL: "http://h"}
	tests := []struct {
		name string
		do   func() error
		want string
	}{
		{"add a name that is taken", func() error { return s.Add(ok) }, "MCP server already exists: web"},
		{"rename to a name that is taken", func() error { return s.Replace("fetch", ok) }, "MCP server already exists: web"},
		{"replace an unknown one", func() error { return s.Replace("no", Definition{Name: "no", Command: "x"}) }, "Unknown MCP server: no"},
		{"remove another case", func() error { return s.Remove("FETCH") }, "Unknown MCP server: FETCH. Did you mean fetch?"},
		{"tools of an unknown one", func() error { return s.SetTools("Web", ToolRules{Exclude: []string{"x"}}) }, "Unknown MCP server: Web. Did you mean web?"},
		{"add without a command", func() error { return s.Add(Definition{Name: "n", Type: Stdio}) }, "n: stdio transport requires command"},
		{"add without a name", func() error { return s.Add(Definition{Name: " ", Command: "x"}) }, "a server needs a name"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.do(); err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
			wantFile(t, r.path(), two)
		})
	}
	if v, err := s.Versions(); err != nil || len(v) != 0 {
		t.Errorf("versions after refusals: %v, %v", v, err)
	}
}

func TestStoreSetTools(t *testing.T) {
	r := newRig(t)
	s := r.store(t, two)
	if err := s.SetTools("fetch", ToolRules{Exclude: []string{"y", "x"}, Rename: map[string]string{"c": "d"}}); err != nil {
		t.Fatal(err)
	}
	if err := s.SetTools("web", ToolRules{Exclude: []string{"q"}}); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(two, `{"exclude": ["x"], "rename": {"a": "b"}}`, `{"exclude": ["x", "y"], "rename": {"c": "d"}}`, 1)
	want = strings.Replace(want, `h/mcp"}`, `h/mcp", "tools": {"exclude": ["q"]}}`, 1)
	wantFile(t, r.path(), want)
	if err := s.SetTools("web", ToolRules{}); err != nil {
		t.Fatal(err)
	}
	wantFile(t, r.path(), strings.Replace(want, `, "tools": {"exclude": ["q"]}`, "", 1))

	const foreign = "{\"mcpServers\": {\n\"a\": {\"command\": \"x\", \"tools\": [\"*\"]}}}"
	r.write(t, foreign)
	err := s.SetTools("a", ToolRules{Exclude: []string{"q"}})
	var fe *FileError
	if !errors.As(err, &fe) || fe.Line != 2 {
		t.Errorf("tools of another program: %v", err)
	}
	wantFile(t, r.path(), foreign)
}

func TestC01BOMAndCRLFLoadAndStay(t *testing.T) {
	r := newRig(t)
	const in = "\xEF\xBB\xBF{\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"x\"},\r\n    \"b\": {\"command\": \"y\"}\r\n  }\r\n}\r\n"
	s := r.store(t, in)
	wantNames(t, s, "a b")
	if err := s.Remove("b"); err != nil {
		t.Fatal(err)
	}
	wantFile(t, r.path(), "\xEF\xBB\xBF{\r\n  \"mcpServers\": {\r\n    \"a\": {\"command\": \"x\"}\r\n  }\r\n}\r\n")

	ws := filepath.Join(r.dir, "ws")
	path := filepath.Join(ws, ".ai4j", "workspace.json")
	put(t, path, "\xEF\xBB\xBF{\r\n  \"enabledMcpServers\": [\"a\"]\r\n}")
	w := r.workspace(t, ws)
	if err := w.Enable("b"); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "\xEF\xBB\xBF{\r\n  \"enabledMcpServers\": [\"a\", \"b\"]\r\n}")

	const utf16 = "\xFF\xFE{\x00}\x00"
	r.write(t, utf16)
	if err := s.Add(Definition{Name: "c", Command: "z"}); err == nil || !strings.Contains(err.Error(), "UTF-16") {
		t.Errorf("add to a UTF-16 file: %v", err)
	}
	wantFile(t, r.path(), utf16)
}

func TestC02BrokenJSONIsNeverOverwritten(t *testing.T) {
	r := newRig(t)
	s := r.store(t, two)
	const broken = `{"mcpServers":{"a":{"command":"x"}`
	r.write(t, broken)
	d := def(t, s, "fetch")
	for name, do := range map[string]func() error{
		"add":       func() error { return s.Add(Definition{Name: "n", Command: "x"}) },
		"remove":    func() error { return s.Remove("fetch") },
		"replace":   func() error { return s.Replace("fetch", d) },
		"set tools": func() error { return s.SetTools("fetch", ToolRules{}) },
		"restore":   func() error { _, err := s.RestoreFields(); return err },
	} {
		err := do()
		var fe *FileError
		if !errors.As(err, &fe) || fe.Path != r.path() || fe.Line != 1 || fe.Column != 35 {
			t.Errorf("%s: %v (%+v), want file, line and column", name, err, fe)
		}
		wantFile(t, r.path(), broken)
	}
	defs := await(t, s.Value(), func(d Definitions) bool { return d.Err != nil })
	if names(defs) != "fetch web" {
		t.Errorf("the last good definitions are gone: %q", names(defs))
	}
	ws := filepath.Join(r.dir, "ws")
	put(t, filepath.Join(ws, "x"), "")
	w := r.workspace(t, ws)
	if err := errors.Join(w.Enable("fetch"), w.Disable("fetch")); err != nil {
		t.Errorf("the workspace cannot be changed while mcp.json is broken: %v", err)
	}
	s.Close()
	wantFile(t, r.path(), broken)
	r.write(t, two)
	s.Reload()
	wantNames(t, s, "fetch web")
}

func TestStoreNewFileIsPrivateAndReadingNeverWrites(t *testing.T) {
	r := newRig(t)
	s := r.store(t, "")
	wantNames(t, s, "")
	if _, err := os.Stat(filepath.Dir(r.path())); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("reading made a folder: %v", err)
	}
	if _, err := os.Stat(r.opts.State); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("reading made the state folder: %v", err)
	}
	if err := s.Add(Definition{Name: "a", Command: "x"}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(r.path())
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode of the new file: %v, %v; want 0600", info.Mode(), err)
	}
	wantFile(t, r.path(), "{\n  \"mcpServers\": {\n    \"a\": {\n      \"type\": \"stdio\",\n      \"command\": \"x\"\n    }\n  }\n}\n")
}

func TestStoreFollowsLinksAndLeavesNoLockBesideThem(t *testing.T) {
	r := newRig(t)
	real := filepath.Join(r.dir, "dotfiles", "mcp.json")
	put(t, real, two)
	if err := os.MkdirAll(filepath.Dir(r.path()), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, r.path()); err != nil {
		t.Fatal(err)
	}
	s := r.store(t, "")
	if err := s.Remove("web"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(r.path()); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode of the target: %v, %v; want the old 0644", info.Mode(), err)
	}
	for _, dir := range []string{filepath.Dir(real), filepath.Dir(r.path())} {
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("%s holds %v, want the file alone", dir, entries)
		}
	}
	put(t, real, `{"mcpServers":{"new":{"command":"x"}}}`) // a change behind the link is seen
	await(t, s.Value(), func(d Definitions) bool { return names(d) == "new" })
}

func TestStoreUndoAndVersions(t *testing.T) {
	r := newRig(t)
	s := r.store(t, "")
	for _, name := range []string{"a", "b"} {
		if err := s.Add(Definition{Name: name, Command: "secret-" + name}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Remove("a"); err != nil {
		t.Fatal(err)
	}
	list, err := s.Versions()
	if err != nil || len(list) != 3 || list[0].What != "remove a" || list[2].What != "add a" || list[2].Copy != "" {
		t.Fatalf("versions %+v, %v", list, err)
	}
	if info, err := os.Stat(list[0].Copy); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode of a copy: %v, %v", info, err)
	}
	for _, want := range []string{"a b", "a", ""} {
		if _, err := s.Undo(); err != nil {
			t.Fatal(err)
		}
		wantNames(t, s, want)
	}
	if _, err := os.Stat(r.path()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("undo of the first change left a file: %v", err)
	}
	if _, err := s.Undo(); !errors.Is(err, ErrNothingToUndo) {
		t.Errorf("a fourth undo: %v", err)
	}
}

func TestStoreUndoRefusesWhenAnotherProgramChangedTheFile(t *testing.T) {
	r := newRig(t)
	s := r.store(t, two)
	if err := s.Remove("web"); err != nil {
		t.Fatal(err)
	}
	const other = `{"mcpServers":{"o":{"command":"x"}}}`
	r.write(t, other)
	if _, err := s.Undo(); !errors.Is(err, ErrChangedSince) || !strings.Contains(err.Error(), `"remove web"`) {
		t.Errorf("undo: %v", err)
	}
	wantFile(t, r.path(), other)
	list, err := s.Versions()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	wantFile(t, list[0].Copy, two)
}

func TestStoreKeepsTwentyVersionsAndForgetsAChangeThatWasNeverMade(t *testing.T) {
	r := newRig(t)
	s := r.store(t, two)
	for i := range 13 {
		d := Definition{Name: "n", Command: strings.Repeat("x", i+1)}
		if err := errors.Join(s.Add(d), s.Remove("n")); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.Versions()
	copies, _ := filepath.Glob(filepath.Join(s.source.backups.dir, "0*.json"))
	if err != nil || len(list) != 20 || len(copies) != 20 || list[0].Seq != 26 {
		t.Fatalf("%d versions, %d copies, %v; want 20", len(list), len(copies), err)
	}
	now := readContent(r.path())
	if err := s.source.backups.push("never made", now, content{raw: []byte("{}"), exists: true}); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Undo(); err != nil || v.What != "remove n" {
		t.Errorf("undo after a crash between copy and write: %+v, %v", v, err)
	}
	wantNames(t, s, "fetch web n")
}

func TestStoreShowsOutsideEditsAndRestoresLostFields(t *testing.T) {
	r := newRig(t)
	s := r.store(t, `{"mcpServers": {"a": {"command": "x", "timeoutMs": 5, "tools": {"exclude": ["t"]}, "env": {"K": "topsecret", "R": "${env:R}"}}}}`+"\n")
	r.write(t, `{"mcpServers": {"a": {"command": "y", "env": {"K": "othersecret", "R": "${env:R}"}}, "b": {"command": "z"}}}`+"\n")
	defs := await(t, s.Value(), func(d Definitions) bool { return d.Outside != nil })
	e := defs.Outside
	if e.Path != r.path() || e.AtMs == 0 || strings.Join(e.LostFields, ",") != "a: timeoutMs,a: tools" || s.LastOutsideEdit() != e {
		t.Errorf("outside edit %+v", e)
	}
	for _, want := range []string{"-{", "+{", `"command": "y"`, "${env:R}", "••••"} {
		if !strings.Contains(e.Diff, want) {
			t.Errorf("no %q in the diff\n%s", want, e.Diff)
		}
	}
	if strings.Contains(e.Diff, "secret") {
		t.Errorf("a secret in the diff\n%s", e.Diff)
	}
	restored, err := s.RestoreFields()
	if err != nil || strings.Join(restored, ",") != "a: timeoutMs,a: tools" {
		t.Fatal(restored, err)
	}
	wantFile(t, r.path(), `{"mcpServers": {"a": {"command": "y", "env": {"K": "othersecret", "R": "${env:R}"}, "timeoutMs": 5, "tools": {"exclude":["t"]}}, "b": {"command": "z"}}}`+"\n")
	if e := s.LastOutsideEdit(); len(e.LostFields) != 0 {
		t.Errorf("still lost after the restore: %v", e.LostFields)
	}
	if _, err := s.Undo(); err != nil { // takes the fields away, but that was us
		t.Fatal(err)
	}
	if e := s.LastOutsideEdit(); len(e.LostFields) != 0 {
		t.Errorf("our own undo counts as a loss: %v", e.LostFields)
	}
}

func TestStoreSeesAFolderThatComesLaterAndAtomicReplacements(t *testing.T) {
	r := newRig(t)
	s := r.store(t, "")
	r.write(t, `{"mcpServers":{"a":{"command":"x"}}}`)
	await(t, s.Value(), func(d Definitions) bool { return names(d) == "a" })
	for _, name := range []string{"b", "c"} { // the first replacement ends a watch on the file itself
		tmp := r.path() + ".tmp"
		put(t, tmp, `{"mcpServers":{"`+name+`":{"command":"x"}}}`)
		if err := os.Rename(tmp, r.path()); err != nil {
			t.Fatal(err)
		}
		await(t, s.Value(), func(d Definitions) bool { return names(d) == name })
	}
	if err := os.RemoveAll(filepath.Dir(r.path())); err != nil {
		t.Fatal(err)
	}
	await(t, s.Value(), func(d Definitions) bool { return names(d) == "" })
	r.write(t, `{"mcpServers":{"d":{"command":"x"}}}`)
	await(t, s.Value(), func(d Definitions) bool { return names(d) == "d" })
}

func TestStoreWriteErrorsLeaveTheFileAndNoVersion(t *testing.T) {
	r := newRig(t)
	put(t, filepath.Join(r.dir, "file"), "x")
	s, err := OpenStore(filepath.Join(r.dir, "file", "mcp.json"), r.opts) // its parent is a file
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var fe *FileError
	if err := s.Add(Definition{Name: "a", Command: "x"}); !errors.As(err, &fe) {
		t.Errorf("add below a file: %v", err)
	}

	put(t, filepath.Join(r.dir, "state-is-a-file"), "x")
	o := r.opts
	o.State = filepath.Join(r.dir, "state-is-a-file")
	r.write(t, two)
	if s, err = OpenStore(r.path(), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.Remove("web"); err == nil || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("remove without room for a copy: %v", err)
	}
	wantFile(t, r.path(), two)
}

func TestStoreWorksWhereNothingCanBeWritten(t *testing.T) {
	if os.Geteuid() == 0 && runtime.GOOS == "linux" {
		t.Log("root may write everywhere: the reading half is what counts here")
	}
	r := newRig(t)
	r.write(t, two)
	dir := filepath.Dir(r.path())
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	s := r.store(t, "")
	wantNames(t, s, "fetch web")
	if err := s.Remove("web"); err != nil {
		wantFile(t, r.path(), two)
		if list, _ := s.Versions(); len(list) != 0 {
			t.Errorf("a change that was not made is listed: %v", list)
		}
	}
}

// Another program saves between our look and our replacement: its change stays and ours
// goes on top. One that never rests is left alone.
func TestStoreComparesJustBeforeItReplaces(t *testing.T) {
	r := newRig(t)
	s := r.store(t, two)
	const theirs = `{"mcpServers":{"theirs":{"command":"x"}}}`
	calls := 0
	err := s.change("add ours", func(e *edit, _ []Definition) error {
		if calls++; calls == 1 {
			put(t, r.path(), theirs)
		}
		return e.set(Definition{Type: Stdio, Command: "y"}.entry(), "mcpServers", "ours")
	}, Definition{Name: "ours"})
	if err != nil || calls != 2 {
		t.Fatalf("%d calls, %v; want a second one on the new text", calls, err)
	}
	wantFile(t, r.path(), `{"mcpServers":{"theirs":{"command":"x"},"ours":{"type":"stdio","command":"y"}}}`)
	if list, err := s.Versions(); err != nil || len(list) != 1 {
		t.Errorf("versions %v, %v; want the one change that was made", list, err)
	}
	if e := s.LastOutsideEdit(); e == nil || !strings.Contains(e.Diff, "theirs") {
		t.Errorf("their change is not shown: %+v", e)
	}

	last := ""
	err = s.change("add more", func(e *edit, _ []Definition) error {
		last = theirs + strings.Repeat("\n", calls)
		calls++
		put(t, r.path(), last)
		return e.set(Definition{Type: Stdio, Command: "y"}.entry(), "mcpServers", "more")
	}, Definition{Name: "more"})
	if err == nil || !strings.Contains(err.Error(), "another program keeps changing it") {
		t.Errorf("a file that never rests: %v", err)
	}
	wantFile(t, r.path(), last)
}

func TestStoreOpenNeedsItsFolders(t *testing.T) {
	if _, err := OpenStore("/x/mcp.json", Options{}); err == nil {
		t.Error("a store without a state folder was opened")
	}
	if _, err := OpenStore("mcp.json", newRig(t).opts); err == nil {
		t.Error("a store with a relative path was opened")
	}
}
