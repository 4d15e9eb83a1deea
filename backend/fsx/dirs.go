package fsx

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// Dirs are the application's own folders. None is created here.
type Dirs struct {
	Config  string // settings
	State   string // trust, grants, backups
	Data    string // sessions
	Cache   string // what can be made again
	Runtime string // locks, and what each process started; shared by every process of the user
}

// AppDirs computes the folders from HOME and the XDG variables as they are now (XDG Base
// Directory Specification; its counterparts on macOS and Windows). It is called while a
// program starts, not by several goroutines at once.
//
// Runtime follows XDG_RUNTIME_DIR only when that folder exists, which it often does not in
// containers and under su; else it lies in State, so that it still follows HOME.
func AppDirs() Dirs {
	xdg.Reload()
	const app = "patchbay"
	d := Dirs{
		Config: filepath.Join(xdg.ConfigHome, app),
		State:  filepath.Join(xdg.StateHome, app),
		Data:   filepath.Join(xdg.DataHome, app),
		Cache:  filepath.Join(xdg.CacheHome, app),
	}
	d.Runtime = filepath.Join(d.State, "run")
	if dir := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(dir) {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			d.Runtime = filepath.Join(dir, app)
		}
	}
	return d
}

// Home is the user's home folder: $HOME where it is set (on every system, so that a test
// with its own HOME touches nothing else), else what the system says.
func Home() (string, error) {
	if home := os.Getenv("HOME"); filepath.IsAbs(home) {
		return home, nil
	}
	home, err := os.UserHomeDir()
	if err != nil || home == "" {
		return "", errors.New("user home directory is unavailable: set HOME")
	}
	return home, nil
}
