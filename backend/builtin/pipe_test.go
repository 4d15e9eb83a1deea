//go:build unix

package builtin

import (
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipesAreNotOpened would hang if one were: a pipe has no writer here.
func TestPipesAreNotOpened(t *testing.T) {
	r := newFileRig(t)
	if err := syscall.Mkfifo(filepath.Join(r.root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	const want = "pipe is not a regular file (a pipe, a socket or a device): file tools do not open it"
	r.fails("read_file", map[string]any{"path": "pipe"}, want)
	r.fails("write_file", map[string]any{"path": "pipe", "content": "x"}, want)
	r.fails("write_file", map[string]any{"path": "pipe", "content": "x", "mode": "append"}, want)
	r.fails("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Update File: pipe\n@@\n-a\n+b\n*** End Patch"}, want)
	r.fails("apply_patch", map[string]any{"patch": "*** Begin Patch\n*** Delete File: pipe\n*** End Patch"}, want)
}
