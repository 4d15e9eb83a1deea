package app

import (
	"context"
	"net/url"
)

// Settings is bound: theme, approvals mode, model profile, and links.
type Settings struct{ core *core }

// Get returns the settings as topic "settings" carries them.
func (s *Settings) Get() (SettingsSnapshot, error) {
	return stamped(s.core, "Settings.Get", s.core.backend.SettingsValue, stampSettings)
}

// SetTheme stores the theme: system, light or dark.
func (s *Settings) SetTheme(theme string) error {
	return do(s.core, "SetTheme", func(ctx context.Context) error { return s.core.backend.SetTheme(ctx, theme) })
}

// SetMode stores when to ask before a tool runs.
func (s *Settings) SetMode(mode ApprovalMode) error {
	return do(s.core, "SetMode", func(ctx context.Context) error { return s.core.backend.SetMode(ctx, mode) })
}

// SaveProfile stores the model profile and, when key is not "", its key. Without a keyring
// it is rejected with code no_keyring and stores nothing, unless allowFile says that the
// person agreed to a file only they can read.
func (s *Settings) SaveProfile(profile ModelProfile, key string, allowFile bool) error {
	return do(s.core, "SaveProfile", func(ctx context.Context) error {
		return s.core.backend.SaveProfile(ctx, profile, key, allowFile)
	})
}

// DeleteProfile forgets the stored profile and its key.
func (s *Settings) DeleteProfile() error {
	return do(s.core, "DeleteProfile", func(ctx context.Context) error { return s.core.backend.DeleteProfile(ctx) })
}

// TestProfile asks the endpoint of a profile for one short answer and says in words what is
// wrong. An empty key uses the stored one.
func (s *Settings) TestProfile(profile ModelProfile, key string) (ProfileTest, error) {
	patient := *s.core
	patient.limit = testLimit
	return call(&patient, "TestProfile", func(ctx context.Context) (ProfileTest, error) {
		return s.core.backend.TestProfile(ctx, profile, key)
	})
}

// SetLayout stores how the window is divided.
func (s *Settings) SetLayout(layout Layout) error {
	return do(s.core, "SetLayout", func(ctx context.Context) error { return s.core.backend.SetLayout(ctx, layout) })
}

// OpenLink opens an http or https address in the system's browser; every other scheme is
// refused, since the desktop would start a program for it.
func (s *Settings) OpenLink(address string) error {
	return do(s.core, "OpenLink", func(context.Context) error {
		safe, err := webAddress(address)
		if err != nil {
			return err
		}
		return s.core.desktop.openLink(safe)
	})
}

// webAddress returns the address in canonical form when it is one of the web.
func webAddress(address string) (string, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Opaque != "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", &CommandError{Code: CodeInvalid, Message: "only http and https addresses are opened: " + address}
	}
	return u.String(), nil
}
