package fsx

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func TestCommandLineIsTheProgramBesideTheWindow(t *testing.T) {
	dir := t.TempDir()
	window, beside := filepath.Join(dir, "patchbay-window"), filepath.Join(dir, "patchbay")
	expect := func(when, self, want string) {
		t.Helper()
		if got := commandLine(self); got != want {
			t.Errorf("%s: %q, want %q", when, got, want)
		}
	}
	expect("alone", window, window)
	if err := os.WriteFile(beside, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" { // where any file may be a program
		expect("beside a file that is no program", window, window)
	}
	if err := os.Chmod(beside, 0o755); err != nil {
		t.Fatal(err)
	}
	expect("beside it", window, beside)
	expect("the command line itself", beside, beside)
	expect("another program", filepath.Join(dir, "app.test"), filepath.Join(dir, "app.test"))
}
