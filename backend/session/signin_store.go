package session

import (
	"errors"
	"strings"
	"sync"

	"patchbay/backend/settings"
)

// Keep says where sign-ins are kept.
type Keep string

// The places. The person chooses between file and memory where there is no keyring;
// KeepUnknown is what was chosen before.
const (
	KeepUnknown Keep = ""
	KeepFile    Keep = "file"   // readable by the person alone, until they sign out
	KeepMemory  Keep = "memory" // until this process ends
	KeepKeyring Keep = "keyring"
)

// signInPrefix begins the names of our items in the keyring.
const signInPrefix = "sign-in:"

// isSignIn reports whether an item of the keyring belongs to a sign-in: a definition may
// not refer to it, or one server could be sent the token of another.
func isSignIn(item string) bool { return strings.HasPrefix(item, signInPrefix) }

// signInStore keeps what signing in to servers gave: in the keyring; where there is none,
// in a 0600 file after the person agreed, else in memory.
type signInStore struct {
	keys     *settings.Keys
	settings *settings.Store

	mu      sync.Mutex
	memory  map[string]string
	places  map[string]Keep // where an item was last seen
	decided bool            // the person chose memory, for this process
}

func newSignInStore(keys *settings.Keys, set *settings.Store) *signInStore {
	return &signInStore{keys: keys, settings: set, memory: map[string]string{}, places: map[string]Keep{}}
}

func (s *signInStore) inFile() bool {
	v, _ := s.settings.Value().Get()
	return v.SignInsInFile
}

// Choose makes sure that a sign-in can be kept, keep being what the person says now. Where
// there is no keyring and they never said, it is a *settings.NoKeyringError.
func (s *signInStore) Choose(keep Keep) error {
	if keep == KeepFile {
		return s.settings.AllowSignInsInFile()
	}
	s.mu.Lock()
	s.decided = s.decided || keep == KeepMemory
	decided := s.decided
	s.mu.Unlock()
	if decided || s.inFile() || s.keys.HasKeyring() {
		return nil
	}
	return &settings.NoKeyringError{File: s.keys.File()}
}

// Get returns what is kept under name, "" when nothing is.
func (s *signInStore) Get(name string) (string, error) {
	s.mu.Lock()
	value, held := s.memory[name]
	s.mu.Unlock()
	if held {
		return value, nil
	}
	value, inFile, err := s.keys.Find(signInPrefix + name)
	var none *settings.NoItemError
	switch {
	case errors.As(err, &none):
		return "", nil
	case err != nil:
		return "", err
	case inFile:
		s.note(name, KeepFile)
	default:
		s.note(name, KeepKeyring)
	}
	return value, nil
}

// Set keeps value under name.
func (s *signInStore) Set(name, value string) error {
	inFile := s.inFile()
	err := s.keys.Set(signInPrefix+name, value, inFile)
	var none *settings.NoKeyringError
	if errors.As(err, &none) {
		s.note(name, KeepMemory)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.memory[name] = value
		return nil
	}
	if err != nil {
		return err
	}
	s.mu.Lock()
	delete(s.memory, name)
	s.mu.Unlock()
	_, err = s.Get(name) // notes where it went
	return err
}

// Delete forgets what is kept under name, wherever that is.
func (s *signInStore) Delete(name string) error {
	s.mu.Lock()
	delete(s.memory, name)
	delete(s.places, name)
	s.mu.Unlock()
	return s.keys.Delete(signInPrefix + name)
}

// Where says where what is kept under name was last seen, "" when it was not.
func (s *signInStore) Where(name string) Keep {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places[name]
}

func (s *signInStore) note(name string, place Keep) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.places[name] = place
}
