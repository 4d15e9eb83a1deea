package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"patchbay/backend/fsx"
)

func TestSecondStartHandsItsWorkspaceOver(t *testing.T) {
	// Longer than a socket's address may be.
	dir := filepath.Join(t.TempDir(), strings.Repeat("d", 120))
	first, handed, err := TakeInstance(t.Context(), dir, "/first")
	if err != nil || handed {
		t.Fatalf("the first start: handed %v, %v", handed, err)
	}
	got := make(chan string, 8)
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan struct{})
	go func() {
		defer close(served)
		first.serve(ctx, func(workspace string) error {
			got <- workspace
			if workspace == "/bad" {
				return errors.New("no such folder")
			}
			return nil
		})
	}()
	for _, workspace := range []string{"/second", ""} {
		if _, handed, err := TakeInstance(t.Context(), dir, workspace); err != nil || !handed {
			t.Fatalf("a second start with %q: handed %v, %v", workspace, handed, err)
		}
		if w := <-got; w != workspace {
			t.Errorf("the window got %q, want %q", w, workspace)
		}
	}
	if _, _, err := TakeInstance(t.Context(), dir, "/bad"); err == nil || !strings.Contains(err.Error(), "no such folder") {
		t.Errorf("a refused workspace = %v", err)
	}
	cancel()
	select {
	case <-served:
	case <-time.After(30 * time.Second):
		t.Fatal("serve did not end")
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	next, handed, err := TakeInstance(t.Context(), dir, "")
	if err != nil || handed {
		t.Fatalf("after the window was closed: handed %v, %v", handed, err)
	}
	next.Close()
}

func TestALeftSocketOfAKilledWindowIsReplaced(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, socketName), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	i, handed, err := TakeInstance(t.Context(), dir, "")
	if err != nil || handed {
		t.Fatalf("TakeInstance = handed %v, %v", handed, err)
	}
	i.Close()
}

func TestParseArgs(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := fsx.Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(here)
	tests := []struct {
		name    string
		args    []string
		want    string
		wantErr string
	}{
		{"nothing: the current folder", nil, here, ""},
		{"two words", []string{"--workspace", dir}, dir, ""},
		{"one word", []string{"--workspace=" + dir}, dir, ""},
		{"no value", []string{"--workspace"}, "", "usage"},
		{"an empty value", []string{"--workspace="}, "", "usage"},
		{"more", []string{"--workspace", dir, "x"}, "", "usage"},
		{"another flag", []string{"--nope", dir}, "", "usage"},
		{"missing", []string{"--workspace", dir + "/none"}, "", "does not exist: " + dir + "/none"},
		{"a file", []string{"--workspace", file}, "", "no folder: " + file},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseArgs(tt.args)
			if got != tt.want || (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("parseArgs = %q, %v; want %q, %q", got, err, tt.want, tt.wantErr)
			}
		})
	}
}

func TestALaunchersFolderIsNoWorkspace(t *testing.T) {
	home, err := fsx.Canonical(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	for _, dir := range []string{home, "/"} {
		t.Chdir(dir)
		if got, err := parseArgs(nil); got != "" || err != nil {
			t.Errorf("started in %s: workspace %q, %v; want none", dir, got, err)
		}
	}
}

func TestEditorCommand(t *testing.T) {
	have := func(names ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			for _, n := range names {
				if n == name {
					return "/bin/" + n, nil
				}
			}
			return "", errors.New("not found")
		}
	}
	tests := []struct {
		name string
		goos string
		have []string
		line int
		want string
	}{
		{"an editor that takes a line", "linux", []string{"code", "xdg-open"}, 12, "/bin/code -g /f:12"},
		{"no line", "linux", []string{"code", "xdg-open"}, 0, "/bin/xdg-open /f"},
		{"no editor", "darwin", []string{"open"}, 3, "/bin/open /f"},
		{"nothing", "linux", nil, 3, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			argv, err := editorCommand(tt.goos, have(tt.have...), "/f", tt.line)
			if got := strings.Join(argv, " "); got != tt.want || (err == nil) != (tt.want != "") {
				t.Errorf("editorCommand = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}
