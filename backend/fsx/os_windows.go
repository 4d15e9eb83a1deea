package fsx

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

// replace retries while another program (a virus scanner, an editor, a reader) holds the
// old file open without sharing its deletion: at most about two seconds.
func replace(from, to string) error {
	src, err := windows.UTF16PtrFromString(from)
	if err != nil {
		return err
	}
	dst, err := windows.UTF16PtrFromString(to)
	if err != nil {
		return err
	}
	wait := 5 * time.Millisecond
	for deadline := time.Now().Add(2 * time.Second); ; wait = min(2*wait, 100*time.Millisecond) {
		err = windows.MoveFileEx(src, dst, windows.MOVEFILE_REPLACE_EXISTING|windows.MOVEFILE_WRITE_THROUGH)
		busy := errors.Is(err, windows.ERROR_SHARING_VIOLATION) || errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_ACCESS_DENIED)
		if err == nil || !busy || time.Now().After(deadline) {
			return err
		}
		time.Sleep(wait)
	}
}

// syncDir does nothing: MOVEFILE_WRITE_THROUGH has flushed the rename.
func syncDir(string) {}

// keepOwner does nothing: a new file inherits the folder's access list.
func keepOwner(*os.File, fs.FileInfo) {}
