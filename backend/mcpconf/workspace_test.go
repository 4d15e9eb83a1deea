package mcpconf

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func (r rig) workspace(t *testing.T, dir string) *Workspace {
	t.Helper()
	w, err := OpenWorkspace(dir, r.opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

func enabled(e Enablement) string {
	var list []string
	for _, n := range e.Names {
		list = append(list, n.Name)
	}
	return strings.Join(list, " ")
}

func TestWorkspaceEnableAndDisable(t *testing.T) {
	r := newRig(t)
	ws := filepath.Join(r.dir, "ws")
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	w := r.workspace(t, ws)
	for _, name := range []string{"fetch", "Time", "fetch", "time"} {
		if err := w.Enable(name); err != nil {
			t.Fatal(err)
		}
	}
	e, _ := w.Value().Get()
	if enabled(e) != "fetch Time time" || e.Names[1].Line != 4 {
		t.Fatalf("enabled %+v", e.Names)
	}
	wantFile(t, w.Path(), "{\n  \"enabledMcpServers\": [\n    \"fetch\",\n    \"Time\",\n    \"time\"\n  ]\n}\n")
	for _, name := range []string{"time", "TIME"} { // the exact one first, then without case
		if err := w.Disable(name); err != nil {
			t.Fatal(err)
		}
	}
	if e, _ = w.Value().Get(); enabled(e) != "fetch" {
		t.Errorf("after disable: %q", enabled(e))
	}
	var refused *NotEnabledError
	if err := w.Disable("time"); !errors.As(err, &refused) || err.Error() != "MCP server is not enabled in this workspace: time" {
		t.Errorf("disable twice: %v", err)
	}
	if v, err := w.Undo(); err != nil || v.What != "disable TIME" {
		t.Errorf("undo: %+v, %v", v, err)
	}
	if e, _ = w.Value().Get(); enabled(e) != "fetch Time" {
		t.Errorf("after undo: %q", enabled(e))
	}
	if entries, _ := os.ReadDir(filepath.Dir(w.Path())); len(entries) != 1 {
		t.Errorf("the repository got more than workspace.json: %v", entries)
	}
}

func TestWorkspaceKeepsTheLastGoodValueAndShowsOutsideEdits(t *testing.T) {
	r := newRig(t)
	ws := filepath.Join(r.dir, "ws")
	path := filepath.Join(ws, ".ai4j", "workspace.json")
	put(t, path, `{"enabledMcpServers": ["a"], "hooks": {}}`+"\n")
	w := r.workspace(t, ws)
	put(t, path, `{"enabledMcpServers": "a"}`)
	e := await(t, w.Value(), func(e Enablement) bool { return e.Err != nil })
	if enabled(e) != "a" {
		t.Errorf("the last good value is gone: %q", enabled(e))
	}
	var fe *FileError
	if err := w.Enable("b"); !errors.As(err, &fe) || fe.Column != 23 {
		t.Errorf("enable in a bad file: %v", err)
	}
	wantFile(t, path, `{"enabledMcpServers": "a"}`)
	put(t, path, `{"enabledMcpServers": ["a", "b"], "hooks": {}}`+"\n")
	e = await(t, w.Value(), func(e Enablement) bool { return e.Err == nil })
	if d := w.LastOutsideEdit(); enabled(e) != "a b" || d == nil || !strings.Contains(d.Diff, `+{"enabledMcpServers": ["a", "b"], "hooks": {}}`) {
		t.Errorf("enabled %q, outside edit %+v", enabled(e), d)
	}
	if _, err := OpenWorkspace(filepath.Join(r.dir, "none"), r.opts); err == nil {
		t.Error("a folder that does not exist was opened")
	}
}

func TestTrustIsPerWorkspaceAndSeenByOtherProcesses(t *testing.T) {
	r := newRig(t)
	open := func() *Trust {
		tr, err := OpenTrust(r.opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(tr.Close)
		return tr
	}
	mine, other := open(), open()
	ws, link := filepath.Join(r.dir, "ws"), filepath.Join(r.dir, "link")
	if err := errors.Join(os.Mkdir(ws, 0o700), os.Symlink(ws, link)); err != nil {
		t.Fatal(err)
	}
	if err := mine.Trust(link, "a", "b"); err != nil {
		t.Fatal(err)
	}
	if !mine.Trusted(ws).Has("a") || mine.Trusted(ws).Has("A") || mine.Trusted(r.dir).Has("a") || mine.Trusted("").Has("a") {
		t.Errorf("trusted here: %v, elsewhere: %v", mine.Trusted(ws).Names(), mine.Trusted(r.dir).Names())
	}
	await(t, other.Value(), func(all Trusts) bool { return all.Of(canonical(ws)).Len() == 2 })
	if err := other.Revoke(ws, "a"); err != nil {
		t.Fatal(err)
	}
	await(t, mine.Value(), func(all Trusts) bool { return slices.Equal(all.Of(canonical(ws)).Names(), []string{"b"}) })
	path := filepath.Join(r.opts.State, "trust.json")
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode of trust.json: %v, %v", info, err)
	}
	if err := mine.Trust("", "a"); err == nil {
		t.Error("a plain chat was given trust")
	}

	for _, bad := range []string{`{"workspaces": {`, `{"workspaces": []}`} {
		put(t, path, bad)
		if err := mine.Trust(ws, "c"); err == nil {
			t.Errorf("a bad trust.json was overwritten")
		}
		wantFile(t, path, bad)
		if got, _ := mine.Value().Get(); got.Err == nil || !mine.Trusted(ws).Has("b") || mine.Trusted(ws).Has("c") {
			t.Errorf("with a bad file: %v, %v", got.Err, mine.Trusted(ws).Names())
		}
	}
}

// A workspace that was deleted is not made again by a click: the change is refused, and the
// folder that comes back is used as it is.
func TestWorkspaceThatIsGoneIsNotMadeAgain(t *testing.T) {
	r := newRig(t)
	ws := filepath.Join(r.dir, "ws")
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	w := r.workspace(t, ws)
	if err := w.Enable("fetch"); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(ws); err != nil {
		t.Fatal(err)
	}
	if err := w.Enable("time"); err == nil || !strings.Contains(err.Error(), ws+" is gone") {
		t.Errorf("enable: %v", err)
	}
	if _, err := os.Stat(ws); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder was made again: %v", err)
	}
	if err := os.Mkdir(ws, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := w.Enable("time"); err != nil {
		t.Fatal(err)
	}
	wantFile(t, w.Path(), "{\n  \"enabledMcpServers\": [\n    \"time\"\n  ]\n}\n")
}
