package settings

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/zalando/go-keyring"
)

func TestAKeyringIsThereWhenItAnswers(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	keys := NewKeys(filepath.Join(t.TempDir(), "keys.json"))
	if keys.HasKeyring() {
		t.Error("a keyring answers without a session bus")
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/tmp/a-bus-of-the-mock")
	keyring.MockInit()
	if !keys.HasKeyring() {
		t.Error("an empty keyring is none")
	}
	keyring.MockInitWithError(errors.New("nobody provides secrets on this bus"))
	t.Cleanup(keyring.MockInit)
	if keys.HasKeyring() {
		t.Error("a bus without secrets is a keyring")
	}
}

func TestFindSaysWhereASecretIs(t *testing.T) {
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", t.TempDir())
	keys := NewKeys(filepath.Join(t.TempDir(), "keys.json"))
	var none *NoItemError
	if _, _, err := keys.Find("a"); !errors.As(err, &none) || none.Name != "a" {
		t.Errorf("Find of nothing = %v, want a NoItemError", err)
	}
	if err := keys.Set("a", "x", true); err != nil {
		t.Fatal(err)
	}
	if secret, inFile, err := keys.Find("a"); secret != "x" || !inFile || err != nil {
		t.Errorf("Find = %q, %v, %v; want it in the file", secret, inFile, err)
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path=/tmp/a-bus-of-the-mock")
	keyring.MockInit()
	if err := keys.Set("b", "y", false); err != nil {
		t.Fatal(err)
	}
	if secret, inFile, err := keys.Find("b"); secret != "y" || inFile || err != nil {
		t.Errorf("Find = %q, %v, %v; want it in the keyring", secret, inFile, err)
	}
}
