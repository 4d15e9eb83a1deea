// Package settings owns the settings file: theme, approvals mode, the stored model profile,
// how the window is divided and where it was; and it chooses the model that answers.
package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"patchbay/backend/approval"
	"patchbay/backend/fsx"
	"patchbay/backend/watch"
)

// Theme is how the window looks.
type Theme string

// The themes.
const (
	System Theme = "system"
	Light  Theme = "light"
	Dark   Theme = "dark"
)

// AllThemes lists every Theme.
var AllThemes = []Theme{System, Light, Dark}

// Settings is the settings file as last read well. Unknown fields of the file are kept.
type Settings struct {
	Theme   Theme         `json:"theme,omitempty"`
	Mode    approval.Mode `json:"mode,omitempty"`
	Profile *Profile      `json:"profile,omitempty"`
	Layout  Layout        `json:"layout,omitzero"`
	Window  Window        `json:"window,omitzero"`
	// SignInsInFile is the person's leave to keep sign-ins to servers in a file that only
	// they can read, where there is no keyring.
	SignInsInFile bool  `json:"signInsInFile,omitempty"`
	Err           error `json:"-"` // why the file on disk is not what this holds
}

// Profile is a stored model profile. Its key is in the KeyStore, or in KeyRef as
// ${env:NAME}; never in the file itself.
type Profile struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseUrl"`
	Model   string `json:"model"`
	KeyRef  string `json:"key,omitempty"` // "", "${env:NAME}" or "${keyring:NAME}"
}

// Store is the owner of the settings file.
type Store struct {
	path string
	keys KeyStore

	mu    sync.Mutex // serialises writers of this process
	value *watch.Value[Settings]
}

// Open reads the settings file at path; a missing file holds the defaults, and one that
// cannot be parsed too, with Err saying why. Reading never writes.
func Open(path string, keys KeyStore) *Store {
	return &Store{path: path, keys: keys, value: watch.NewValue(read(path))}
}

// Value publishes the settings.
func (s *Store) Value() *watch.Value[Settings] { return s.value }

// Path is the settings file.
func (s *Store) Path() string { return s.path }

// SetTheme stores the theme.
func (s *Store) SetTheme(theme Theme) error {
	if !slices.Contains(AllThemes, theme) {
		return fmt.Errorf("unknown theme: %s. Use system, light or dark", theme)
	}
	return s.change(func(v *Settings) { v.Theme = theme })
}

// SetMode stores the approvals mode.
func (s *Store) SetMode(mode approval.Mode) error {
	if !slices.Contains(approval.AllModes, mode) {
		return fmt.Errorf("unknown approvals mode: %s. Use auto, safe or manual", mode)
	}
	return s.change(func(v *Settings) { v.Mode = mode })
}

// AllowSignInsInFile keeps that the person agreed to sign-ins in a file.
func (s *Store) AllowSignInsInFile() error {
	return s.change(func(v *Settings) { v.SignInsInFile = true })
}

// SaveProfile stores the profile and, when key is not "", its key: a ${env:NAME} reference
// stays in the file, anything else goes to the keyring, or, when there is none and
// allowFile is true, to a 0600 file. Without a keyring and without leave it stores nothing
// and returns a *NoKeyringError. When key is "", the stored one stays if the profile keeps
// its host: a key is never sent to another host than the one it was given for.
func (s *Store) SaveProfile(p Profile, key string, allowFile bool) error {
	if err := p.check(); err != nil {
		return err
	}
	if old := s.current().Profile; old != nil && key == "" && sameHost(old.BaseURL, p.BaseURL) {
		p.KeyRef = old.KeyRef
	}
	switch {
	case key == "":
	case s.foreign(key, key, p.BaseURL):
		return ErrOtherHost
	case isReference(key):
		p.KeyRef = key
	default:
		if err := s.keys.Set(profileKey, key, allowFile); err != nil {
			return err
		}
		p.KeyRef = profileRef
	}
	return s.change(func(v *Settings) { v.Profile = &p })
}

// DeleteProfile forgets the stored profile and its key.
func (s *Store) DeleteProfile() error {
	if err := s.change(func(v *Settings) { v.Profile = nil }); err != nil {
		return err
	}
	return s.keys.Delete(profileKey)
}

func (s *Store) current() Settings {
	v, _ := s.value.Get()
	return v
}

// change reads the file again, applies what is to change, writes it whole and publishes
// it. A file that cannot be parsed is never overwritten.
func (s *Store) change(apply func(*Settings)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := read(s.path)
	if now.Err != nil {
		return fmt.Errorf("nothing was saved: %w", now.Err)
	}
	apply(&now)
	data, err := merge(s.path, now)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return fmt.Errorf("create the settings folder: %w", err)
	}
	if err := fsx.WriteAtomic(s.path, data, 0o600); err != nil {
		return fmt.Errorf("write %s: %w", s.path, err)
	}
	s.value.Set(now)
	return nil
}

func read(path string) Settings {
	v := Settings{Theme: System, Mode: approval.Safe}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return v
	}
	if err != nil {
		v.Err = fmt.Errorf("the settings file cannot be read: %w", err) // it names the file
		return v
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if err := json.Unmarshal(data, &v); err != nil {
		return Settings{Theme: System, Mode: approval.Safe, Err: broken(path, data, err)}
	}
	if !slices.Contains(AllThemes, v.Theme) {
		v.Theme = System
	}
	if !slices.Contains(approval.AllModes, v.Mode) {
		v.Mode = approval.Safe
	}
	v.Layout.clamp()
	v.Window.clamp()
	return v
}

// broken says where the settings file is wrong, and what to do about it.
func broken(path string, data []byte, err error) error {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	message, at := err.Error(), int64(0)
	switch {
	case errors.As(err, &syntax):
		at = syntax.Offset
	case errors.As(err, &kind):
		message, at = fmt.Sprintf("%s cannot be a %s", kind.Field, kind.Value), kind.Offset
	}
	before := data[:min(max(at, 1), int64(len(data)))]
	line := bytes.Count(before, []byte("\n")) + 1
	column := len(before) - (bytes.LastIndexByte(before, '\n') + 1)
	return fmt.Errorf("the settings file %s is not used: line %d, column %d: %s. Correct or remove it", path, line, max(column, 1), message)
}

// merge returns the file's bytes with our fields replaced and every other field kept.
func merge(path string, v Settings) ([]byte, error) {
	fields := map[string]json.RawMessage{}
	if data, err := os.ReadFile(path); err == nil {
		if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &fields); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
	}
	ours, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode the settings: %w", err)
	}
	for _, name := range []string{"theme", "mode", "profile", "layout", "window", "signInsInFile"} {
		delete(fields, name)
	}
	if err := json.Unmarshal(ours, &fields); err != nil {
		return nil, fmt.Errorf("encode the settings: %w", err)
	}
	out, err := json.MarshalIndent(fields, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode the settings: %w", err)
	}
	return append(out, '\n'), nil
}
