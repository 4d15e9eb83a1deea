package fsx

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestInside(t *testing.T) {
	base := t.TempDir()
	root, outside := filepath.Join(base, "ws"), filepath.Join(base, "ws-other")
	mustMkdir(t, filepath.Join(root, "sub", ".git", "hooks"))
	mustMkdir(t, outside)
	real, err := Canonical(root)
	if err != nil {
		t.Fatal(err)
	}
	for link, target := range map[string]string{
		"out": outside, "dangling-out": filepath.Join(outside, "no", "where"), "in": filepath.Join(root, "sub"),
		"rel-out": filepath.Join("..", "ws-other"), "hook": filepath.Join("sub", ".git", "hooks"), "loop": "loop",
	} {
		if err := os.Symlink(target, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(root, filepath.Join(base, "alias")); err != nil {
		t.Fatal(err)
	}
	const escapes = "Path escapes workspace root: "
	tests := []struct {
		name, path, want, wantErr, wantWriteErr string
	}{
		{"a file below", "sub/a.txt", "sub/a.txt", "", ""},
		{"the root itself", ".", ".", "", ""},
		{"up and down again", "sub/../sub/./a", "sub/a", "", ""},
		{"absolute below", filepath.Join(root, "x"), "x", "", ""},
		{"absolute through an alias of the root", filepath.Join(base, "alias", "x"), "x", "", ""},
		{"a link that stays", "in/a", "sub/a", "", ""},
		{"names that only look like ..", "..a/..b", "..a/..b", "", ""},
		{"parent", "..", "", escapes + "..", escapes + ".."},
		{"sibling with the same prefix", "../ws-other/a", "", escapes + "../ws-other/a", escapes + "../ws-other/a"},
		{"absolute elsewhere", outside, "", escapes + outside, escapes + outside},
		{"a link out", "out/a", "", escapes + "out/a", escapes + "out/a"},
		{"a dangling link out", "dangling-out", "", escapes + "dangling-out", escapes + "dangling-out"},
		{"a relative link out", "rel-out/new/b", "", escapes + "rel-out/new/b", escapes + "rel-out/new/b"},
		{"git hooks", "sub/.git/hooks/pre-commit", "sub/.git/hooks/pre-commit", "",
			"Write to .git/hooks is blocked (potential hook backdoor): sub/.git/hooks/pre-commit"},
		{"git hooks through a link", "hook/x", "sub/.git/hooks/x", "",
			"Write to .git/hooks is blocked (potential hook backdoor): hook/x"},
		{"hooks of a submodule", ".GIT/modules/m/Hooks/x", ".GIT/modules/m/Hooks/x", "",
			"Write to .git/hooks is blocked (potential hook backdoor): .GIT/modules/m/Hooks/x"},
		{"git config", ".git/config", ".git/config", "", "Write to .git/config is blocked (it can name hooks): .git/config"},
		{"ssh", ".ssh/authorized_keys", ".ssh/authorized_keys", "",
			"Write to sensitive directory is blocked: .ssh/authorized_keys"},
		{"aws, odd spelling", "home/.AWS. /credentials", "home/.AWS. /credentials", "",
			"Write to sensitive directory is blocked: home/.AWS. /credentials"},
		{"a stream of ssh", ".ssh::$INDEX_ALLOCATION/k", ".ssh::$INDEX_ALLOCATION/k", "",
			"Write to sensitive directory is blocked: .ssh::$INDEX_ALLOCATION/k"},
		{"hooks elsewhere", "src/hooks/use.ts", "src/hooks/use.ts", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Inside(root, tt.path)
			check(t, "Inside", got, err, filepath.Join(real, tt.want), tt.wantErr)
			got, err = InsideForWrite(root, tt.path)
			check(t, "InsideForWrite", got, err, filepath.Join(real, tt.want), tt.wantWriteErr)
		})
	}
	if _, err := Inside(root, "loop/x"); err == nil {
		t.Error("a link to itself was resolved")
	}
}

func check(t *testing.T, what, got string, err error, want, wantErr string) {
	t.Helper()
	if wantErr == "" {
		if err != nil || got != want {
			t.Errorf("%s = %q, %v; want %q", what, got, err, want)
		}
		return
	}
	var refused *PathError
	if !errors.As(err, &refused) || err.Error() != wantErr {
		t.Errorf("%s = %q, %v; want the error %q", what, got, err, wantErr)
	}
}

func TestCanonicalIsOneNameForAllSpellings(t *testing.T) {
	base := t.TempDir()
	mustMkdir(t, filepath.Join(base, "ws"))
	if err := os.Symlink("ws", filepath.Join(base, "link")); err != nil {
		t.Fatal(err)
	}
	want, err := Canonical(filepath.Join(base, "ws"))
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(base)
	for _, dir := range []string{"link", "./ws/", filepath.Join(base, "ws", "..", "link"), filepath.Join(base, "link") + "/"} {
		if got, err := Canonical(dir); err != nil || got != want {
			t.Errorf("Canonical(%s) = %s, %v; want %s", dir, got, err, want)
		}
	}
	if err := os.WriteFile("file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{"none": "open folder none: it does not exist", "file": "open folder file: it is not a folder"} {
		if _, err := Canonical(dir); err == nil || err.Error() != want {
			t.Errorf("Canonical(%s) = %v, want %q", dir, err, want)
		}
	}
}

func TestAppDirsFollowTheEnvironmentAsItIsNow(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Log("the expected paths below are those of Linux; elsewhere only that they follow HOME is checked")
	}
	home, run := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"} {
		t.Setenv(name, "")
	}
	d := AppDirs()
	if got, err := Home(); got != home || err != nil {
		t.Errorf("Home = %s, %v; want %s", got, err, home)
	}
	if runtime.GOOS != "linux" {
		return
	}
	want := Dirs{
		Config: filepath.Join(home, ".config/patchbay"), State: filepath.Join(home, ".local/state/patchbay"),
		Data: filepath.Join(home, ".local/share/patchbay"), Cache: filepath.Join(home, ".cache/patchbay"),
		Runtime: filepath.Join(home, ".local/state/patchbay/run"),
	}
	if d != want {
		t.Errorf("AppDirs = %+v, want %+v", d, want)
	}
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "s"))
	t.Setenv("XDG_RUNTIME_DIR", run)
	if d = AppDirs(); d.State != filepath.Join(home, "s", "patchbay") || d.Runtime != filepath.Join(run, "patchbay") {
		t.Errorf("AppDirs after a change = %+v", d)
	}
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(run, "gone"))
	if d = AppDirs(); d.Runtime != filepath.Join(home, "s", "patchbay", "run") {
		t.Errorf("Runtime with a folder that does not exist = %s", d.Runtime)
	}
}
