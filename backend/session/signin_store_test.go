package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"patchbay/backend/settings"
)

// noKeyring is a store of sign-ins on a machine without a keyring.
func noKeyring(t *testing.T, dir string) *signInStore {
	t.Helper()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	keys := settings.NewKeys(filepath.Join(dir, "keys.json"))
	return newSignInStore(keys, settings.Open(filepath.Join(dir, "settings.json"), keys))
}

func TestSignInsWaitForAWordWhereThereIsNoKeyring(t *testing.T) {
	dir := t.TempDir()
	s := noKeyring(t, dir)
	var none *settings.NoKeyringError
	if err := s.Choose(KeepUnknown); !errors.As(err, &none) || none.File != filepath.Join(dir, "keys.json") {
		t.Fatalf("Choose = %v, want a NoKeyringError with the file", err)
	}
	for _, keep := range []Keep{KeepMemory, KeepUnknown} { // asked once
		if err := s.Choose(keep); err != nil {
			t.Fatalf("Choose(%q) = %v", keep, err)
		}
	}
	if err := s.Set("a", "planted-token"); err != nil {
		t.Fatal(err)
	}
	if value, err := s.Get("a"); value != "planted-token" || err != nil || s.Where("a") != KeepMemory {
		t.Errorf("Get = %q, %v in %q; want it in memory", value, err, s.Where("a"))
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("files %v, %v; want none", files, err)
	}
	again := noKeyring(t, dir)
	if value, err := again.Get("a"); value != "" || err != nil {
		t.Errorf("the next process has %q, %v", value, err)
	}
	if err := again.Choose(KeepUnknown); !errors.As(err, &none) {
		t.Errorf("the next process asks: %v", err)
	}
}

func TestSignInsAreKeptInAFileAfterTheWord(t *testing.T) {
	dir := t.TempDir()
	s := noKeyring(t, dir)
	if err := errors.Join(s.Choose(KeepMemory), s.Set("early", "planted-early"), s.Choose(KeepFile), s.Set("a", "planted-token")); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "keys.json")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file: %v, %v; want mode 0600", info, err)
	}
	if data, _ := os.ReadFile(file); strings.Contains(string(data), "planted-early") {
		t.Error("what was said to stay in memory is in the file")
	}
	if err := s.Set("early", "planted-renewed"); err != nil || s.Where("early") != KeepFile {
		t.Errorf("a renewed one is in %q, %v", s.Where("early"), err)
	}

	again := noKeyring(t, dir)
	if err := again.Choose(KeepUnknown); err != nil {
		t.Errorf("asked again: %v", err)
	}
	if value, err := again.Get("a"); value != "planted-token" || err != nil || again.Where("a") != KeepFile {
		t.Errorf("Get = %q, %v in %q; want it from the file", value, err, again.Where("a"))
	}
	if err := again.Delete("a"); err != nil || again.Where("a") != "" {
		t.Errorf("Delete = %v, it is in %q", err, again.Where("a"))
	}
	if data, _ := os.ReadFile(file); strings.Contains(string(data), "planted-token") {
		t.Error("it is still in the file after Delete")
	}
}
