package app

import (
	"os/exec"
	"slices"
	"testing"
)

func TestTheBrowserIsWhatTheSystemHas(t *testing.T) {
	has := func(names ...string) func(string) (string, error) {
		return func(name string) (string, error) {
			if slices.Contains(names, name) {
				return "/bin/" + name, nil
			}
			return "", exec.ErrNotFound
		}
	}
	const address = "https://login.test/authorize?state=a&code_challenge=b"
	tests := []struct {
		name, goos, address string
		look                func(string) (string, error)
		want                []string
	}{
		{"linux", "linux", address, has("xdg-open", "x-www-browser"), []string{"/bin/xdg-open", address}},
		{"linux without xdg-utils", "linux", address, has("x-www-browser"), []string{"/bin/x-www-browser", address}},
		{"another unix", "freebsd", address, has("xdg-open"), []string{"/bin/xdg-open", address}},
		{"macOS", "darwin", address, has("open"), []string{"/bin/open", address}},
		{"windows", "windows", address, has("rundll32"), []string{"/bin/rundll32", "url.dll,FileProtocolHandler", address}},
		{"nothing there", "linux", address, has(), nil},
		{"a program instead of an address", "linux", "file:///bin/sh", has("xdg-open"), nil},
		{"an option instead of an address", "linux", "--help", has("xdg-open"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := browserCommand(tt.goos, tt.look, tt.address)
			if !slices.Equal(got, tt.want) || (err == nil) != (tt.want != nil) {
				t.Errorf("browserCommand = %q, %v; want %q", got, err, tt.want)
			}
		})
	}
}
