package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"patchbay/backend/session"
)

// changeRig is the window's backend over real files, with no server started.
type changeRig struct {
	*Local
	t      *testing.T
	store  string
	folder string // of the workspaces
}

func newChangeRig(t *testing.T) *changeRig {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "")
	}
	t.Setenv("HOME", filepath.Join(base, "home"))
	t.Setenv("SHELL", "/bin/sh")
	r := &changeRig{t: t, store: filepath.Join(base, "home", ".ai4j", "mcp.json"), folder: base}
	r.write(r.store, "{\n  \"mcpServers\": {\n    \"fetch\": { \"command\": \"false\" }, // a comment\n    \"memory\": { \"command\": \"false\" }\n  }\n}\n")
	m, err := session.Open(session.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	r.Local = NewLocal(m, "test")
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func (r *changeRig) write(path, text string) {
	r.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *changeRig) read(path string) string {
	r.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		r.t.Fatal(err)
	}
	return string(data)
}

// open shows a new session in the workspace of that name.
func (r *changeRig) open(name string) {
	r.t.Helper()
	dir := ""
	if name != "" {
		dir = filepath.Join(r.folder, name)
		if err := os.MkdirAll(dir, 0o700); err != nil {
			r.t.Fatal(err)
		}
	}
	if _, err := r.NewSession(r.ctx(), dir); err != nil {
		r.t.Fatal(err)
	}
}

func (r *changeRig) ctx() context.Context { return r.t.Context() }

func (r *changeRig) enabled(workspace string) string {
	return r.read(filepath.Join(r.folder, workspace, ".ai4j", "workspace.json"))
}

// done is the Done of a command that must succeed.
func done(t *testing.T) func(Done, error) Done {
	return func(d Done, err error) Done {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

func (r *changeRig) undo(id string) string {
	r.t.Helper()
	what, err := r.UndoChange(r.ctx(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return what
}

func (r *changeRig) refuses(id, code, text string) {
	r.t.Helper()
	_, err := r.UndoChange(r.ctx(), id)
	if err == nil {
		r.t.Errorf("undo of %q was made", id)
	} else if got := commandError(err); got.Code != code || !strings.Contains(got.Message, text) {
		r.t.Errorf("undo of %q: %s %q; want %s with %q", id, got.Code, got.Message, code, text)
	}
}

func TestEveryChangeOfTheFilesCanBeTakenBack(t *testing.T) {
	form := func(name string, enable bool) ServerForm {
		return ServerForm{Name: name, Type: "stdio", Command: "true", Enable: enable}
	}
	for _, tt := range []struct {
		name, want string
		files      int // how many changes of files it is
		run        func(*changeRig) (Done, error)
	}{
		{"enable", "Enabled memory", 1, func(r *changeRig) (Done, error) { return r.EnableServer(r.ctx(), "memory") }},
		{"disable", "Disabled fetch", 1, func(r *changeRig) (Done, error) { return r.DisableServer(r.ctx(), "fetch") }},
		{"remove", "Removed fetch", 2, func(r *changeRig) (Done, error) { return r.RemoveServer(r.ctx(), "fetch") }},
		{"remove what is not enabled", "Removed memory", 1, func(r *changeRig) (Done, error) { return r.RemoveServer(r.ctx(), "memory") }},
		{"add", "Added web", 1, func(r *changeRig) (Done, error) { return r.AddServer(r.ctx(), form("web", false)) }},
		{"add and enable", "Added web", 2, func(r *changeRig) (Done, error) { return r.AddServer(r.ctx(), form("web", true)) }},
		{"edit", "Edited fetch", 1, func(r *changeRig) (Done, error) { return r.EditServer(r.ctx(), "fetch", form("fetch", true)) }},
		{"rename", "Renamed fetch to web", 3, func(r *changeRig) (Done, error) { return r.EditServer(r.ctx(), "fetch", form("web", true)) }},
		{"tools", "Changed the tools of fetch", 1, func(r *changeRig) (Done, error) {
			return r.SetToolRules(r.ctx(), "fetch", ToolRules{Exclude: []string{"x"}})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newChangeRig(t)
			r.open("one")
			done(t)(r.EnableServer(r.ctx(), "fetch"))
			store, enabled := r.read(r.store), r.enabled("one")
			d := done(t)(tt.run(r))
			if d.What != tt.want || strings.Count(d.ID, ",")+1 != tt.files {
				t.Errorf("done %+v; want %q and %d changes", d, tt.want, tt.files)
			}
			if r.read(r.store) == store && r.enabled("one") == enabled {
				t.Fatal("it changed nothing")
			}
			if what := r.undo(d.ID); what != tt.want {
				t.Errorf("undo says %q", what)
			}
			if r.read(r.store) != store || r.enabled("one") != enabled {
				t.Errorf("after undo:\n%s\n%s\nwant\n%s\n%s", r.read(r.store), r.enabled("one"), store, enabled)
			}
			r.refuses(d.ID, CodeNotFound, "taken back already")
		})
	}
}

func TestACommandThatChangesNoFileIsNotUndone(t *testing.T) {
	r := newChangeRig(t)
	r.open("one")
	done(t)(r.EnableServer(r.ctx(), "fetch"))
	if d := done(t)(r.EnableServer(r.ctx(), "fetch")); d != (Done{}) {
		t.Errorf("enable twice: %+v", d)
	}
	r.open("")
	if d := done(t)(r.EnableServer(r.ctx(), "fetch")); d != (Done{}) {
		t.Errorf("enable in a plain chat: %+v", d)
	}
	if _, err := r.RemoveServer(r.ctx(), "none"); err == nil {
		t.Error("an unknown server was removed")
	}
	r.refuses("", CodeInvalid, "names no change")
	for _, bad := range []string{"c1", "store", "store:x@1", "store:1", "workspace:1@1", "workspace:1@1:", "workspace:1@1:%%", "trust:1@1", "store:1@1:L3c"} {
		r.refuses(bad, CodeInvalid, "names no change")
	}
}

func TestUndoGoesToTheWorkspaceOfTheChange(t *testing.T) {
	r := newChangeRig(t)
	r.open("one")
	d := done(t)(r.EnableServer(r.ctx(), "fetch"))
	r.open("two")
	done(t)(r.EnableServer(r.ctx(), "fetch"))
	two := r.enabled("two")
	if what := r.undo(d.ID); what != "Enabled fetch" {
		t.Errorf("undo says %q", what)
	}
	if got := r.enabled("one"); got != "" {
		t.Errorf("workspace.json of the first is still there: %s", got)
	}
	if r.enabled("two") != two {
		t.Errorf("the shown workspace changed: %s", r.enabled("two"))
	}
}

func TestWhatStandsInTheWayOfAnUndoIsNamedAndNothingIsHalfUndone(t *testing.T) {
	r := newChangeRig(t)
	r.open("one")
	done(t)(r.EnableServer(r.ctx(), "fetch"))
	removed := done(t)(r.RemoveServer(r.ctx(), "fetch"))
	later := done(t)(r.EnableServer(r.ctx(), "memory"))
	store, enabled := r.read(r.store), r.enabled("one")
	r.refuses(removed.ID, CodeConflict, "a later change, “enable memory”, comes first: undo that before")
	if r.read(r.store) != store || r.enabled("one") != enabled {
		t.Error("half of it was undone")
	}
	r.undo(later.ID)
	r.write(r.store, strings.Replace(store, "a comment", "another comment", 1))
	enabled = r.enabled("one")
	r.refuses(removed.ID, CodeConflict, "changed by another program since")
	if r.enabled("one") != enabled {
		t.Error("half of it was undone")
	}
	r.write(r.store, store)
	r.undo(removed.ID)
	if !strings.Contains(r.read(r.store), "fetch") || !strings.Contains(r.enabled("one"), "fetch") {
		t.Error("the removed server did not come back enabled")
	}
}

func TestChangesListsBothFilesNewestFirst(t *testing.T) {
	r := newChangeRig(t)
	if list, err := r.Changes(r.ctx()); err != nil || len(list) != 0 {
		t.Fatalf("before any: %+v, %v", list, err)
	}
	r.open("one")
	done(t)(r.EnableServer(r.ctx(), "memory"))
	done(t)(r.EnableServer(r.ctx(), "fetch"))
	done(t)(r.RemoveServer(r.ctx(), "fetch"))
	told := func() (list []string) {
		changes, err := r.Changes(r.ctx())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(changes, func(a, b Change) int { return int(b.AtMs - a.AtMs) }) {
			t.Errorf("not the newest first: %+v", changes)
		}
		for _, c := range changes {
			line := string(c.File) + " " + c.What
			if c.Blocked != "" {
				line += ": " + c.Blocked
			}
			list = append(list, line)
		}
		slices.Sort(list) // two of one millisecond have no order
		return list
	}
	const later = ": a later change, “disable fetch”, comes first: undo that before"
	if got, want := told(), []string{"store Removed fetch", "workspace Disabled fetch", "workspace Enabled fetch" + later, "workspace Enabled memory" + later}; !slices.Equal(got, want) {
		t.Errorf("changes\n%q, want\n%q", got, want)
	}
	changes, err := r.Changes(r.ctx())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range changes {
		if c.What == "Disabled fetch" {
			r.undo(c.ID)
		}
	}
	r.open("two")
	if got, want := told(), []string{"store Removed fetch"}; !slices.Equal(got, want) {
		t.Errorf("changes in another workspace %q, want %q", got, want)
	}
}
