package builtin

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"patchbay/backend/tool"
)

// fileRig is the file tools in a workspace of their own.
type fileRig struct {
	t       *testing.T
	set     *Set
	root    string // the workspace
	output  string // OutputDir
	outside string // a folder that no tool may touch
}

func newFileRig(t *testing.T) *fileRig {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := &fileRig{t: t, root: filepath.Join(base, "ws"), output: filepath.Join(base, "output"), outside: filepath.Join(base, "outside")}
	for _, dir := range []string{r.root, r.output, r.outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	r.set = New(Options{Workspace: r.root, OutputDir: r.output})
	t.Cleanup(r.set.Close)
	return r
}

func (r *fileRig) call(name string, args map[string]any) tool.Result {
	r.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	return r.raw(name, string(raw))
}

func (r *fileRig) raw(name, args string) tool.Result {
	r.t.Helper()
	for _, e := range r.set.Entries() {
		if e.Name == name {
			return e.Invoke(context.Background(), tool.Call{Name: name, Arguments: json.RawMessage(args)}, nil)
		}
	}
	r.t.Fatalf("no tool %s", name)
	return tool.Result{}
}

// fails checks that a call is answered with exactly this error.
func (r *fileRig) fails(name string, args map[string]any, want string) {
	r.t.Helper()
	if got := r.call(name, args); got.OK || len(got.Content) != 1 || got.Content[0].Text != want {
		r.t.Errorf("%s %v\n got ok=%v %+v\nwant the error %q", name, args, got.OK, got.Content, want)
	}
}

func (r *fileRig) put(path, content string) {
	r.t.Helper()
	full := filepath.Join(r.root, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(content), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *fileRig) link(target, path string) {
	r.t.Helper()
	if err := os.Symlink(target, filepath.Join(r.root, path)); err != nil {
		r.t.Fatal(err)
	}
}

// holds checks the whole tree of the workspace: path to content.
func (r *fileRig) holds(want map[string]string) {
	r.t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(r.root, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(r.root, path) // both are absolute
		got[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	for path, content := range want {
		if have, ok := got[path]; !ok || have != content {
			r.t.Errorf("%s holds %q (exists: %v), want %q", path, have, ok, content)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			r.t.Errorf("%s was not expected in the workspace", path)
		}
	}
}

// decode reads the JSON of a result; want is whether it is to be OK.
func decode[T any](t *testing.T, result tool.Result, want bool) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(result.Content[0].Text), &v); err != nil || result.OK != want {
		t.Fatalf("ok %v, reason %q, text %q: %v", result.OK, result.Reason, result.Content[0].Text, err)
	}
	return v
}

// call is a call as a model writes it: markup is not escaped.
func call(name string, args map[string]any) tool.Call {
	return tool.Call{Name: name, Arguments: json.RawMessage(jsonText(args))}
}
