package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/zalando/go-keyring"

	"patchbay/backend/fsx"
)

// keyringService names our items in the operating system's keyring.
const keyringService = "patchbay"

var errNoBus = errors.New("no session bus")

// profileKey names the stored profile's key.
const (
	profileKey = "model-key"
	profileRef = "${keyring:" + profileKey + "}"
)

// KeyStore keeps secrets: in the operating system's keyring, or, after the person agreed,
// in a 0600 file where there is no keyring.
type KeyStore interface {
	Get(name string) (string, error)
	// Set stores a secret. Without a keyring it returns a *NoKeyringError unless
	// allowFile is true.
	Set(name, secret string, allowFile bool) error
	Delete(name string) error
}

// NoKeyringError says that this machine has no keyring to keep a secret in.
type NoKeyringError struct {
	File  string // where it would be kept instead
	cause error
}

// Error says what is missing and what can be done.
func (e *NoKeyringError) Error() string {
	return fmt.Sprintf("there is no keyring on this machine. The key can be kept in %s (readable by you only), or given as ${env:NAME}", e.File)
}

// Unwrap returns what the keyring said.
func (e *NoKeyringError) Unwrap() error { return e.cause }

// Keys is the KeyStore of this machine.
type Keys struct {
	file string

	mu sync.Mutex
}

// NewKeys returns a Keys whose fallback file is file.
func NewKeys(file string) *Keys { return &Keys{file: file} }

// NoItemError says that nothing is kept under a name.
type NoItemError struct{ Name string }

// Error names the item.
func (e *NoItemError) Error() string { return fmt.Sprintf("no item %q in the keyring", e.Name) }

// Get returns the secret from the keyring, else from the file; a *NoItemError when it is in
// neither.
func (k *Keys) Get(name string) (string, error) {
	secret, _, err := k.Find(name)
	return secret, err
}

// Find is Get that says too whether the secret is in the file.
func (k *Keys) Find(name string) (secret string, inFile bool, err error) {
	if hasKeyring() {
		if secret, err := keyring.Get(keyringService, name); err == nil {
			return secret, false, nil
		}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, err := k.readLocked()
	if err != nil {
		return "", false, err
	}
	if secret, ok := kept[name]; ok {
		return secret, true, nil
	}
	return "", false, &NoItemError{Name: name}
}

// Set stores the secret in the keyring, else in the file.
func (k *Keys) Set(name, secret string, allowFile bool) error {
	ringErr := errNoBus
	if hasKeyring() {
		ringErr = keyring.Set(keyringService, name, secret)
	}
	if ringErr == nil {
		return nil
	}
	if !allowFile {
		return &NoKeyringError{File: k.file, cause: ringErr}
	}
	return k.changeFile(func(kept map[string]string) { kept[name] = secret })
}

// Delete forgets the secret in both places.
func (k *Keys) Delete(name string) error {
	if hasKeyring() {
		_ = keyring.Delete(keyringService, name) // absent: nothing to forget there
	}
	if _, err := os.Stat(k.file); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return k.changeFile(func(kept map[string]string) { delete(kept, name) })
}

// HasKeyring reports whether the keyring answers, by asking it for an item that it does not
// hold. It may wait for the person, whom the system asks to unlock the keyring.
func (k *Keys) HasKeyring() bool {
	if !hasKeyring() {
		return false
	}
	_, err := keyring.Get(keyringService, "is there a keyring")
	return err == nil || errors.Is(err, keyring.ErrNotFound)
}

// File is where secrets are kept without a keyring.
func (k *Keys) File() string { return k.file }

// hasKeyring is false on Linux without a session bus: asking would make the bus library
// start one and leave it behind.
func hasKeyring() bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return true
	}
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	_, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"))
	return os.Getenv("XDG_RUNTIME_DIR") != "" && err == nil
}

func (k *Keys) changeFile(apply func(map[string]string)) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	kept, err := k.readLocked()
	if err != nil {
		return err
	}
	apply(kept)
	data, err := json.MarshalIndent(kept, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the keys: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(k.file), 0o700); err != nil {
		return fmt.Errorf("create the folder of the keys: %w", err)
	}
	if err := fsx.WriteAtomic(k.file, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", k.file, err)
	}
	return nil
}

func (k *Keys) readLocked() (map[string]string, error) {
	kept := map[string]string{}
	data, err := os.ReadFile(k.file)
	if errors.Is(err, fs.ErrNotExist) {
		return kept, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", k.file, err)
	}
	if err := json.Unmarshal(data, &kept); err != nil {
		return nil, fmt.Errorf("read %s: %w", k.file, err)
	}
	return kept, nil
}
