package app

import (
	"context"
	"errors"
	"os"

	"patchbay/backend/approval"
	"patchbay/backend/settings"
)

func (l *Local) followSettings(ctx context.Context) {
	store := l.manager.Settings().Value()
	for rev := uint64(0); ; {
		_, next, err := store.Wait(ctx, rev)
		if err != nil {
			return
		}
		rev = next
		l.settings.Set(l.toSettings())
	}
}

func (l *Local) toSettings() SettingsSnapshot {
	v, _ := l.manager.Settings().Value().Get()
	out := SettingsSnapshot{
		Version: l.version, Theme: string(v.Theme), Mode: ApprovalMode(v.Mode), Messages: []string{},
	}
	if self, err := os.Executable(); err == nil {
		out.DemoCommand = self
	}
	if v.Err != nil {
		out.Messages = append(out.Messages, v.Err.Error())
	}
	if p := v.Profile; p != nil {
		out.Profile = ModelProfile{Name: p.Name, BaseURL: p.BaseURL, Model: p.Model, HasKey: p.KeyRef != ""}
	}
	info, err := l.manager.ModelInfo()
	if err != nil {
		out.Messages = append(out.Messages, err.Error())
	}
	out.Model = ModelInfo{
		Name: info.Name, Source: string(info.Source), BaseURL: info.BaseURL, Practice: info.Source == settings.Practice,
	}
	return out
}

// SetTheme stores the theme.
func (l *Local) SetTheme(_ context.Context, theme string) error {
	return l.manager.Settings().SetTheme(settings.Theme(theme))
}

// SetMode stores when to ask.
func (l *Local) SetMode(_ context.Context, mode ApprovalMode) error {
	return l.manager.Settings().SetMode(approval.Mode(mode))
}

// SaveProfile stores the model profile and its key.
func (l *Local) SaveProfile(_ context.Context, p ModelProfile, key string, allowFile bool) error {
	err := l.manager.Settings().SaveProfile(settings.Profile{Name: p.Name, BaseURL: p.BaseURL, Model: p.Model}, key, allowFile)
	var missing *settings.NoKeyringError
	if errors.As(err, &missing) {
		return &CommandError{Code: CodeNoKeyring, Message: err.Error(), Path: missing.File}
	}
	return err
}

// DeleteProfile forgets the stored profile and its key.
func (l *Local) DeleteProfile(context.Context) error {
	return l.manager.Settings().DeleteProfile()
}

// SetLayout stores how the window is divided.
func (l *Local) SetLayout(_ context.Context, layout Layout) error { return errNotYet }

// TestProfile asks the endpoint of a profile for one short answer.
func (l *Local) TestProfile(_ context.Context, profile ModelProfile, key string) (ProfileTest, error) {
	return ProfileTest{}, errNotYet
}
