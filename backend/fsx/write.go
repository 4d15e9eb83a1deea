// Package fsx holds the rules for paths and files: atomic writes, the identity of a folder,
// the path jail of a workspace, and the application's own folders.
package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// maxHops is how many symbolic links one path may lead through, as on Linux.
const maxHops = 40

// WriteAtomic replaces the file at path by data in one step: a reader, or a crash at any
// moment, sees the old bytes or the new ones, never a part. Symbolic links are followed and
// stay. A file that exists keeps its mode; a new one gets perm. The folder must exist. The
// caller says in its error what was being written.
func WriteAtomic(path string, data []byte, perm fs.FileMode) error {
	return WriteAtomicIf(path, data, perm, func() error { return nil })
}

// WriteAtomicIf is WriteAtomic that asks check at the last moment, when the new bytes are
// safe on disk beside the old file: an error of check is returned as it is, and the file
// stays untouched.
func WriteAtomicIf(path string, data []byte, perm fs.FileMode, check func() error) error {
	target, err := RealPath(path)
	if err != nil {
		return err
	}
	tmp, err := writeTemp(target, data, perm)
	if err != nil {
		return err
	}
	if err := check(); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	if err := replace(tmp, target); err != nil {
		_ = os.Remove(tmp)
		return err
	}
	// The new file is in place: a folder that cannot be synced (some network file systems)
	// is no reason to tell the caller that nothing was written.
	syncDir(filepath.Dir(target))
	return nil
}

// writeTemp writes data to a new file beside target. It is readable by the owner alone
// until it is complete, since data may hold secrets.
func writeTemp(target string, data []byte, perm fs.FileMode) (_ string, err error) {
	f, err := os.CreateTemp(filepath.Dir(target), tempPattern(target))
	if err != nil {
		return "", err
	}
	defer func() {
		if err != nil {
			_ = f.Close()
			_ = os.Remove(f.Name())
		}
	}()
	if _, err = f.Write(data); err != nil {
		return "", err
	}
	if old, statErr := os.Stat(target); statErr == nil {
		if !old.Mode().IsRegular() {
			return "", fmt.Errorf("%s is not a regular file", target)
		}
		keepOwner(f, old)
		perm = old.Mode().Perm()
	}
	if err = f.Chmod(perm); err != nil {
		return "", err
	}
	if err = f.Sync(); err != nil {
		return "", err
	}
	return f.Name(), f.Close()
}

func tempPattern(target string) string { return "." + filepath.Base(target) + ".*.tmp" }

// RemoveStrays deletes what writers of path that were killed in mid-write left beside it,
// once it is older than age. The caller holds whatever lock the writers of path hold.
func RemoveStrays(path string, age time.Duration) {
	target, err := RealPath(path)
	if err != nil {
		return
	}
	entries, err := os.ReadDir(filepath.Dir(target))
	if err != nil {
		return
	}
	for _, e := range entries {
		if ours, err := filepath.Match(tempPattern(target), e.Name()); err != nil || !ours {
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > age {
			_ = os.Remove(filepath.Join(filepath.Dir(target), e.Name()))
		}
	}
}

// RealPath is the absolute path with every symbolic link resolved. Unlike
// filepath.EvalSymlinks it accepts a path that does not exist (yet): what exists of it is
// resolved, a dangling link included.
func RealPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return realPath(abs, maxHops)
}

func realPath(path string, hops int) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	if target, linkErr := os.Readlink(path); linkErr == nil {
		if hops == 0 {
			return "", fmt.Errorf("%s leads through too many symbolic links", path)
		}
		if !filepath.IsAbs(target) {
			// The link's own folder may be reached through links, and ".." counts from there.
			dir, err := realPath(filepath.Dir(path), hops-1)
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		return realPath(filepath.Clean(target), hops-1)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path, nil
	}
	if parent, err = realPath(parent, hops); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}
