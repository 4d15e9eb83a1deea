package settings

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLayoutAndWindowAreKept(t *testing.T) {
	s := open(t)
	if err := os.WriteFile(s.path, []byte(`{"later": [1], "theme": "light"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	layout := Layout{SessionsWidth: 250, BoardWidth: 600, BoardHidden: true}
	window := Window{X: -40, Y: 12, Width: 1000, Height: 700, Maximised: true}
	if err := errors.Join(s.SetLayout(layout), s.SetWindow(window)); err != nil {
		t.Fatal(err)
	}
	again := Open(s.path, s.keys).current()
	if again.Layout != layout || again.Window != window || again.Theme != Light {
		t.Fatalf("read again: %+v", again)
	}
	if err := errors.Join(s.SetLayout(Layout{}), s.SetWindow(Window{})); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(s.path)
	if err != nil || !strings.Contains(string(data), "later") || strings.Contains(string(data), "layout") {
		t.Fatalf("the file is %s, %v; want the unknown field and no layout", data, err)
	}
}

func TestStoredNumbersAreClamped(t *testing.T) {
	tests := []struct {
		name, file string
		layout     Layout
		window     Window
	}{
		{name: "nothing", file: `{}`},
		{
			name: "too small", file: `{"layout": {"sessionsWidth": 1, "boardWidth": -7}, "window": {"x": 1, "y": 2, "width": 3, "height": 4}}`,
			layout: Layout{SessionsWidth: minPane}, window: Window{X: 1, Y: 2, Width: minWidth, Height: minHeight},
		},
		{
			name: "too large", file: `{"layout": {"sessionsWidth": 99999}, "window": {"width": 999999, "height": 999999}}`,
			layout: Layout{SessionsWidth: maxPane}, window: Window{Width: maxWidth, Height: maxHeight},
		},
		{name: "no size: the place says nothing", file: `{"window": {"x": 5, "y": 5, "maximised": true}}`, window: Window{Maximised: true}},
		{name: "a place that no screen has", file: `{"window": {"x": -40000, "y": 5, "width": 900, "height": 700}}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.json")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			got := Open(path, nil).current()
			if got.Err != nil || got.Layout != tt.layout || got.Window != tt.window {
				t.Fatalf("read %+v, want %+v and %+v", got, tt.layout, tt.window)
			}
		})
	}
}

// A key goes nowhere but to the host it was given for.
func TestAKeyStaysWithItsHost(t *testing.T) {
	s := open(t)
	p := Profile{BaseURL: "https://h/v1", Model: "m"}
	if err := s.SaveProfile(p, "sk-secret", true); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name, url, typed, want string
		wantErr                error
	}{
		{name: "its host", url: "https://H/v2/", want: "sk-secret"},
		{name: "another host", url: "https://other/v1", wantErr: ErrOtherHost},
		{name: "another port", url: "https://h:8443/v1", wantErr: ErrOtherHost},
		{name: "not encrypted", url: "http://h/v1", wantErr: ErrOtherHost},
		{name: "its name, typed", url: "https://other/v1", typed: profileRef, wantErr: ErrOtherHost},
		{name: "a typed key", url: "https://other/v1", typed: "sk-other", want: "sk-other"},
		{name: "a variable", url: "https://other/v1", typed: "${env:K}", want: "from the environment"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := s.KeyFor(tt.url, tt.typed, env("K", "from the environment"))
			if got != tt.want || !errors.Is(err, tt.wantErr) {
				t.Fatalf("KeyFor = %q, %v; want %q, %v", got, err, tt.want, tt.wantErr)
			}
		})
	}
	p.BaseURL = "https://other/v1"
	if err := s.SaveProfile(p, profileRef, true); !errors.Is(err, ErrOtherHost) {
		t.Fatalf("SaveProfile with the stored key for another host = %v", err)
	}
	if err := s.SaveProfile(p, "", true); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Choose(env()); err != nil || got.Key != "" {
		t.Fatalf("after a move to another host the key is sent: %v, %v", got.Key != "", err)
	}
}
