package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"patchbay/backend/approval"
)

func open(t *testing.T) *Store {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", dir)
	return Open(filepath.Join(dir, "settings.json"), NewKeys(filepath.Join(dir, "keys.json")))
}

func env(pairs ...string) func(string) string {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return ""
	}
}

func TestChoose(t *testing.T) {
	tests := []struct {
		name    string
		profile *Profile
		env     func(string) string
		want    Model
		wantErr string
	}{
		{name: "nothing is set: the practice model", env: env(), want: Model{Source: Practice, Name: "practice"}},
		{name: "a key alone is not a model", env: env("OPENAI_API_KEY", "k"), want: Model{Source: Practice, Name: "practice"}},
		{
			name: "the environment", env: env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1/", "OPENAI_API_KEY", "k", "OPENAI_MODEL", "m"),
			want: Model{Source: FromEnvironment, Name: "m", BaseURL: "http://127.0.0.1:1/v1", Key: "k"},
		},
		{
			name: "a local endpoint needs neither key nor model", env: env("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
			want: Model{Source: FromEnvironment, Name: "default", BaseURL: "http://127.0.0.1:1/v1"},
		},
		{name: "no URL", env: env("OPENAI_BASE_URL", "localhost"), wantErr: "OPENAI_BASE_URL"},
		{name: "an unknown api", env: env("OPENAI_BASE_URL", "http://h/v1", "OPENAI_API", "soap"), wantErr: "OPENAI_API=soap"},
		{
			name: "a stored profile wins", profile: &Profile{BaseURL: "https://h/v1", Model: "p", KeyRef: "${env:K}"},
			env:  env("K", "secret", "OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
			want: Model{Source: FromProfile, Name: "p", BaseURL: "https://h/v1", Key: "secret"},
		},
		{
			name: "a profile whose key is not set", profile: &Profile{BaseURL: "https://h/v1", Model: "p", KeyRef: "${env:K}"},
			env: env(), wantErr: "K is not set",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := open(t)
			if tt.profile != nil {
				if err := s.SaveProfile(*tt.profile, tt.profile.KeyRef, false); err != nil {
					t.Fatal(err)
				}
			}
			got, err := s.Choose(tt.env)
			if tt.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tt.wantErr) {
					t.Fatalf("Choose error = %v, want one that names %s", err, tt.wantErr)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Fatalf("Choose = %+v, %v; want %+v", got, err, tt.want)
			}
		})
	}
}

func TestAKeyNeedsAKeyringOrLeave(t *testing.T) {
	s := open(t)
	p := Profile{Name: "x", BaseURL: "https://h/v1", Model: "m"}
	var missing *NoKeyringError
	if err := s.SaveProfile(p, "sk-secret", false); !errors.As(err, &missing) {
		t.Fatalf("SaveProfile without a keyring = %v, want a NoKeyringError", err)
	}
	if s.current().Profile != nil {
		t.Fatal("a refused profile was stored")
	}
	if err := s.SaveProfile(p, "sk-secret", true); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.path)
	if err != nil || strings.Contains(string(data), "sk-secret") {
		t.Fatalf("the settings file holds the key: %s, %v", data, err)
	}
	info, err := os.Stat(missing.File)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file of keys: %v, %v; want mode 0600", info, err)
	}
	if got, err := s.Choose(env()); err != nil || got.Key != "sk-secret" {
		t.Fatalf("Choose = %v, %v; want the key back", got.Key != "", err)
	}
	if err := s.DeleteProfile(); err != nil {
		t.Fatal(err)
	}
	if kept, _ := os.ReadFile(missing.File); strings.Contains(string(kept), "sk-secret") {
		t.Fatal("the key outlives its profile")
	}
}

func TestAKeyGoesToTheKeyringWhereThereIsOne(t *testing.T) {
	s := open(t)
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/tmp/a-bus-of-the-mock")
	keyring.MockInit()
	if err := s.SaveProfile(Profile{BaseURL: "https://h/v1", Model: "m"}, "sk-secret", false); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Choose(env()); err != nil || got.Key != "sk-secret" {
		t.Fatalf("Choose = %v, %v; want the key from the keyring", got.Key != "", err)
	}
}

func TestABrokenFileIsNeverOverwritten(t *testing.T) {
	s := open(t)
	if err := os.WriteFile(s.path, []byte("{\"theme\": "), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.SetTheme(Dark); err == nil {
		t.Fatal("SetTheme over a broken file succeeded")
	}
	if data, _ := os.ReadFile(s.path); string(data) != "{\"theme\": " {
		t.Fatalf("the broken file was changed to %q", data)
	}
}

func TestABrokenFileSaysWhere(t *testing.T) {
	tests := []struct{ text, want string }{
		{"{\"theme\": \"dark\",\n  oops", "line 2, column 3: invalid character 'o'"},
		{"{\"theme\": \"dark\",\n  \"mode\": 7}", "line 2, column 11: mode cannot be a number"},
		{"{\"layout\": {\"boardWide\": \"yes\"}}", "layout.boardWide cannot be a string"},
		{"", "line 1, column 1: unexpected end"},
	}
	for _, tt := range tests {
		path := filepath.Join(t.TempDir(), "settings.json")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got := read(path)
		if got.Err == nil || !strings.Contains(got.Err.Error(), tt.want) || !strings.Contains(got.Err.Error(), path) {
			t.Errorf("%q: it says %v, want %q and the file", tt.text, got.Err, tt.want)
		}
		if got.Theme != System || got.Mode != approval.Safe {
			t.Errorf("%q: half of it is in force: %+v", tt.text, got)
		}
	}
}

func TestUnknownFieldsStay(t *testing.T) {
	s := open(t)
	if err := os.WriteFile(s.path, []byte("\xef\xbb\xbf{\"later\": {\"x\": 1}, \"theme\": \"light\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := s.SetMode(approval.Manual); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(s.path)
	for _, want := range []string{`"later"`, `"light"`, `"manual"`} {
		if !strings.Contains(string(data), want) {
			t.Fatalf("the file is %s, want it to hold %s", data, want)
		}
	}
}
