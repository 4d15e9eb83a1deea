package fsx

import (
	"os"
	"path/filepath"
	"strings"
)

// CommandLine is the path of the program to start for one of the command line's own words
// (watchdog, demo-server): patchbay where it stands beside this program, since it needs no
// web view and half the memory, else this one.
func CommandLine() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	dir, name := filepath.Split(self)
	beside := dir + strings.Replace(name, "patchbay-window", "patchbay", 1)
	if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
		return beside, nil
	}
	return self, nil
}
