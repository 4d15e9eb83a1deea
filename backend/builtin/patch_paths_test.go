package builtin

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPatchTakesAbsolutePathsAndRefusesLinks(t *testing.T) {
	ws, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(ws, "a.txt")
	if err := os.WriteFile(file, []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.txt", filepath.Join(ws, "link")); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, patch, want, wantErr string }{
		{"an absolute path in the workspace", "*** Update File: " + file + "\n@@\n-two\n+TWO", "one\nTWO\n", ""},
		{"a leading slash means the workspace", "*** Update File: /a.txt\n@@\n-TWO\n+two", "one\ntwo\n", ""},
		{"a link", "*** Delete File: link", "one\ntwo\n", "is a link"},
		{"a way out", "*** Update File: ../a.txt\n@@\n-two\n+TWO", "one\ntwo\n", "Path escapes workspace root"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			raw, err := json.Marshal(map[string]string{"patch": "*** Begin Patch\n" + tt.patch + "\n*** End Patch"})
			if err != nil {
				t.Fatal(err)
			}
			plan, err := files{workspace: ws}.planPatch(raw)
			if err == nil {
				err = plan.write()
			}
			if (err == nil) != (tt.wantErr == "") || err != nil && !strings.Contains(err.Error(), tt.wantErr) {
				t.Errorf("error %v, want %q", err, tt.wantErr)
			}
			if data, _ := os.ReadFile(file); string(data) != tt.want {
				t.Errorf("the file holds %q, want %q", data, tt.want)
			}
		})
	}
}
