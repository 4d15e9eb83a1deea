package mcpconf

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The test binary plays the second process that edits the same files.
func TestMain(m *testing.M) {
	if mode := os.Getenv("MCPCONF_TEST_PEER"); mode != "" {
		if err := peer(mode, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// peer adds servers to the mcp.json at args[0] with folders below args[1]: "add" fifty of
// them, "forever" until it is killed.
func peer(mode string, args []string) error {
	s, err := OpenStore(args[0], Options{State: filepath.Join(args[1], "state"), Runtime: filepath.Join(args[1], "run")})
	if err != nil {
		return err
	}
	defer s.Close()
	for i := 0; mode == "forever" || i < 50; i++ {
		name := fmt.Sprintf("%s-%d", args[2], i)
		if err := s.Add(Definition{Name: name, Type: Stdio, Command: "x", Args: []string{strings.Repeat("a", 400)}}); err != nil {
			return err
		}
		if mode == "forever" {
			if err := s.Remove(name); err != nil {
				return err
			}
		}
	}
	return nil
}

// rig is a home of its own with what stores need.
type rig struct {
	dir  string
	opts Options
}

func newRig(t *testing.T) rig {
	t.Helper()
	dir := t.TempDir()
	return rig{dir, Options{
		State: filepath.Join(dir, "state"), Runtime: filepath.Join(dir, "run"),
		Debounce: 10 * time.Millisecond, Poll: 20 * time.Millisecond,
	}}
}

func (r rig) path() string { return StorePath(r.dir) }

// store opens the store over a file that holds text; "" makes no file.
func (r rig) store(t *testing.T, text string) *Store {
	t.Helper()
	if text != "" {
		r.write(t, text)
	}
	s, err := OpenStore(r.path(), r.opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// write saves text as another program does.
func (r rig) write(t *testing.T, text string) {
	t.Helper()
	put(t, r.path(), text)
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Fatalf("%s holds\n%q\nwant\n%q", path, got, want)
	}
}

func names(defs Definitions) string {
	var list []string
	for _, d := range defs.Servers {
		list = append(list, d.Name)
	}
	return strings.Join(list, " ")
}

func wantNames(t *testing.T, s *Store, want string) {
	t.Helper()
	if defs, _ := s.Value().Get(); names(defs) != want || defs.Err != nil {
		t.Fatalf("the store has %q, %v; want %q", names(defs), defs.Err, want)
	}
}

// await waits until what is published is as wanted.
func await[T any](t *testing.T, v interface{ Get() (T, uint64) }, want func(T) bool) T {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Millisecond) {
		latest, _ := v.Get()
		if want(latest) {
			return latest
		}
		if time.Now().After(deadline) {
			t.Fatalf("not published within 30 s; the last value is %+v", latest)
		}
	}
}
