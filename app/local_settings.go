package app

import (
	"context"
	"errors"
	"net/url"
	"os"
	"strings"

	"patchbay/backend/approval"
	"patchbay/backend/fsx"
	"patchbay/backend/model/openai"
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
	if program, err := fsx.CommandLine(); err == nil {
		out.DemoCommand = program
	}
	if v.Err != nil {
		out.Messages = append(out.Messages, sentence(v.Err))
	}
	if p := v.Profile; p != nil {
		out.Profile = ModelProfile{Name: p.Name, BaseURL: p.BaseURL, Model: p.Model, HasKey: p.KeyRef != ""}
	}
	out.Layout = Layout(v.Layout)
	info, err := l.manager.ModelInfo()
	if err != nil {
		out.Messages = append(out.Messages, sentence(err))
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
func (l *Local) SetLayout(_ context.Context, layout Layout) error {
	return l.manager.Settings().SetLayout(settings.Layout(layout))
}

// Place is where the window was when it was closed last.
func (l *Local) Place() settings.Window {
	v, _ := l.manager.Settings().Value().Get()
	return v.Window
}

// KeepPlace stores where the window is.
func (l *Local) KeepPlace(place settings.Window) error {
	return l.manager.Settings().SetWindow(place)
}

// TestProfile asks the endpoint of a profile for one short answer. What is wrong with it is
// no error but the message of the result.
func (l *Local) TestProfile(ctx context.Context, profile ModelProfile, key string) (ProfileTest, error) {
	key, err := l.manager.Settings().KeyFor(profile.BaseURL, strings.TrimSpace(key), os.Getenv)
	if err != nil {
		return ProfileTest{Message: keyMissing(profile, err), Models: []string{}}, nil
	}
	o := openai.Options{BaseURL: profile.BaseURL, Key: key, Model: strings.TrimSpace(profile.Model)}
	if strings.TrimSpace(profile.BaseURL) == "" {
		return ProfileTest{Message: "The profile needs a base URL. It looks like https://host/v1", Models: []string{}}, nil
	}
	got := openai.Check(ctx, o)
	return ProfileTest{OK: got.OK, Message: got.Message, TookMs: wholeMs(got.Took), Models: orEmpty(got.Models)}, nil
}

// keyMissing says why there is no key to test with.
func keyMissing(profile ModelProfile, err error) string {
	if !errors.Is(err, settings.ErrOtherHost) {
		return "The key cannot be used: " + err.Error()
	}
	host := profile.BaseURL
	if u, err := url.Parse(profile.BaseURL); err == nil && u.Host != "" {
		host = u.Host
	}
	return "The stored key was given for another host and is not sent to " + host + ". Type the key for it"
}

// sentence is an error as a line of the window.
func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
