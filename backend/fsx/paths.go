package fsx

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sensitive are folders that hold keys of the user: no tool writes into one.
var sensitive = []string{".ssh", ".aws", ".gnupg"}

// Canonical is the identity of a folder: absolute, every symbolic link resolved. It fails
// when dir does not exist or is not a folder.
func Canonical(dir string) (string, error) {
	real, err := RealPath(dir)
	if err != nil {
		return "", fmt.Errorf("open folder %s: %w", dir, err)
	}
	info, err := os.Stat(real)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("open folder %s: it does not exist", dir)
	}
	if err != nil {
		return "", fmt.Errorf("open folder %s: %w", dir, err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("open folder %s: it is not a folder", dir)
	}
	return real, nil
}

// PathError is a path that a tool may not use; nothing was read or written.
type PathError struct {
	Path string // as it was given
	Text string
}

// Error returns the text of the contract.
func (e *PathError) Error() string { return e.Text }

// Inside is the path jail: it returns the real path of path, which is relative to root or
// absolute and need not exist, or a *PathError "Path escapes workspace root: <path>" when
// that lies outside root after every symbolic link is resolved.
func Inside(root, path string) (string, error) {
	realRoot, err := RealPath(root)
	if err != nil {
		return "", fmt.Errorf("open workspace %s: %w", root, err)
	}
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(realRoot, full)
	}
	real, err := RealPath(full)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return "", fmt.Errorf("open %s: %w", path, err)
	}
	if err != nil || !Within(realRoot, real) {
		return "", &PathError{Path: path, Text: "Path escapes workspace root: " + path}
	}
	return real, nil
}

// InsideForWrite is Inside for a file that is to be written, deleted or moved: it also
// refuses git's hooks and the configuration that can name hooks, and folders with the
// user's keys.
func InsideForWrite(root, path string) (string, error) {
	real, err := Inside(root, path)
	if err != nil {
		return "", err
	}
	realRoot, err := RealPath(root)
	if err != nil {
		return "", fmt.Errorf("open workspace %s: %w", root, err)
	}
	rel, err := filepath.Rel(realRoot, real)
	if err != nil {
		return "", &PathError{Path: path, Text: "Path escapes workspace root: " + path}
	}
	if text := refusal(rel); text != "" {
		return "", &PathError{Path: path, Text: text + path}
	}
	return real, nil
}

// refusal is why rel (below a workspace) is not written to, "" when it may be. Names are
// compared as the most lenient file system does: without case, trailing dots and streams.
func refusal(rel string) string {
	git := false
	for _, part := range strings.Split(filepath.ToSlash(rel), "/") {
		name, _, _ := strings.Cut(strings.ToLower(part), ":")
		name = strings.TrimRight(name, ". ")
		switch {
		case slices.Contains(sensitive, name):
			return "Write to sensitive directory is blocked: "
		case name == ".git":
			git = true
		case git && name == "hooks":
			return "Write to .git/hooks is blocked (potential hook backdoor): "
		case git && name == "config":
			return "Write to .git/config is blocked (it can name hooks): "
		}
	}
	return ""
}

// Within reports whether path is root or lies below it. Both are real paths.
func Within(root, path string) bool {
	rel, err := filepath.Rel(root, path)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator))
}
