//go:build !windows

package fsx

import (
	"io/fs"
	"os"
	"syscall"
)

func replace(from, to string) error { return os.Rename(from, to) }

// syncDir makes a rename in dir survive a power cut.
func syncDir(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
}

// keepOwner gives f the owner of the file it replaces, where the process may do that: a run
// as root does not take the user's file away.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok && (int(st.Uid) != os.Geteuid() || int(st.Gid) != os.Getegid()) {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}
