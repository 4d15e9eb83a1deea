//go:build unix

package approval_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"patchbay/backend/approval"
)

// A question that found no grant, and is posted only after one was kept, is covered by it.
// The file of grants is a pipe, which holds the question between the two.
func TestLateQuestionIsCovered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "grants.json")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	s := service(t, approval.Options{Path: path})
	chat := mcp("a", "x", "h")
	chat.Workspace = "" // reads no file
	first := ask(t.Context(), s, chat)
	id := open(t, s, 1)[0].ID
	late := ask(t.Context(), s, mcp("a", "x", "h"))
	pipe, err := os.OpenFile(path, os.O_WRONLY, 0) // waits until the question reads
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Answer(id, approval.AllowSession); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, first, approval.AllowSession, approval.ByPerson)
	if _, err := pipe.WriteString("{}"); err != nil {
		t.Fatal(err)
	}
	if err := pipe.Close(); err != nil {
		t.Fatal(err)
	}
	wantAnswer(t, late, approval.AllowSession, approval.BySession)
	open(t, s, 0)
}
