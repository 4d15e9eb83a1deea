package fsx

import (
	"os"
	"path/filepath"
	"runtime"
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
	return commandLine(self), nil
}

func commandLine(self string) string {
	dir, name := filepath.Split(self)
	beside := dir + strings.Replace(name, "patchbay-window", "patchbay", 1)
	info, err := os.Stat(beside)
	if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return self
	}
	return beside
}
