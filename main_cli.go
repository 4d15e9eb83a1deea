//go:build !production && !dev && !bindings

package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// openWindow starts patchbay-window, which stands beside this program, with the same
// arguments.
func openWindow(args []string) int {
	window, err := windowProgram()
	if err == nil {
		var code int
		if code, err = become(window, args); err == nil {
			return code
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// windowProgram is the path of the window's program, links of this one resolved.
func windowProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the folder of patchbay: %w", err)
	}
	if resolved, err := filepath.EvalSymlinks(self); err == nil {
		self = resolved
	}
	name := "patchbay-window"
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	window := filepath.Join(filepath.Dir(self), name)
	if _, err := os.Stat(window); errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("the window's program is not there: %s. Build or install it beside patchbay (make build), or use a command: patchbay --help", window)
	}
	return window, nil
}
