package settings

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// Source says where the model that answers comes from.
type Source string

// The sources.
const (
	Practice        Source = "practice"
	FromEnvironment Source = "environment"
	FromProfile     Source = "profile"
)

// Model is the model that answers, with its key. It must not be logged or sent.
type Model struct {
	Source  Source
	Name    string // as the endpoint names it
	BaseURL string // "" for the practice model
	Key     string // "" sends no Authorization header
}

// DefaultBaseURL is where OPENAI_API_KEY belongs when OPENAI_BASE_URL is not set.
const DefaultBaseURL = "https://api.openai.com/v1"

// Choose returns the model that answers: the stored profile, else the one that the
// OPENAI_* variables describe, else the practice model. getenv is os.Getenv.
func (s *Store) Choose(getenv func(string) string) (Model, error) {
	if p := s.current().Profile; p != nil {
		key, err := s.resolveKey(p.KeyRef, getenv)
		if err != nil {
			return Model{}, err
		}
		return Model{Source: FromProfile, Name: p.Model, BaseURL: strings.TrimRight(p.BaseURL, "/"), Key: key}, nil
	}
	return fromEnvironment(getenv)
}

func fromEnvironment(getenv func(string) string) (Model, error) {
	base, key, name := getenv("OPENAI_BASE_URL"), getenv("OPENAI_API_KEY"), getenv("OPENAI_MODEL")
	if base == "" && (key == "" || name == "") {
		return Model{Source: Practice, Name: "practice"}, nil
	}
	switch api := getenv("OPENAI_API"); api {
	case "", "chat":
	case "responses":
		return Model{}, fmt.Errorf("OPENAI_API=responses: this version speaks Chat Completions only. Set OPENAI_API=chat")
	default:
		return Model{}, fmt.Errorf("OPENAI_API=%s is unknown. Use chat", api)
	}
	if base == "" {
		base = DefaultBaseURL
	}
	if err := checkBaseURL(base); err != nil {
		return Model{}, fmt.Errorf("OPENAI_BASE_URL: %w", err)
	}
	if name == "" {
		name = "default" // local servers with one model take any name
	}
	return Model{Source: FromEnvironment, Name: name, BaseURL: strings.TrimRight(base, "/"), Key: key}, nil
}

func (p Profile) check() error {
	if strings.TrimSpace(p.Model) == "" {
		return fmt.Errorf("the profile needs a model name, as the endpoint spells it")
	}
	return checkBaseURL(p.BaseURL)
}

func checkBaseURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return fmt.Errorf("%q is no base URL. It looks like https://host/v1", raw)
	}
	return nil
}

// sameHost reports whether two base URLs lead to the same server: scheme, host and port.
func sameHost(a, b string) bool {
	one, errOne := url.Parse(a)
	other, errOther := url.Parse(b)
	return errOne == nil && errOther == nil && one.Scheme == other.Scheme && strings.EqualFold(one.Host, other.Host)
}

// ErrOtherHost says that the stored key was given for another host.
var ErrOtherHost = errors.New("the stored key belongs to another host")

// KeyFor returns the key for a request to baseURL: the typed one or what its ${env:NAME}
// stands for; the stored profile's when none is typed, "" when it has none. ErrOtherHost
// says that the stored key was given for another host: it is never sent to this one.
func (s *Store) KeyFor(baseURL, typed string, getenv func(string) string) (string, error) {
	if typed != "" && !isReference(typed) {
		return typed, nil
	}
	p := s.current().Profile
	ref := typed
	if ref == "" && p != nil {
		ref = p.KeyRef
	}
	if s.foreign(typed, ref, baseURL) {
		return "", ErrOtherHost
	}
	return s.resolveKey(ref, getenv)
}

// foreign reports whether ref is the stored key and baseURL not the host it was given for.
func (s *Store) foreign(typed, ref, baseURL string) bool {
	stored := typed == "" && ref != "" || ref == profileRef
	p := s.current().Profile
	return stored && (p == nil || !sameHost(p.BaseURL, baseURL))
}

var reference = regexp.MustCompile(`^\$\{(env|keyring):([^}]+)\}$`)

func isReference(s string) bool { return reference.MatchString(s) }

func (s *Store) resolveKey(ref string, getenv func(string) string) (string, error) {
	if ref == "" {
		return "", nil
	}
	m := reference.FindStringSubmatch(ref)
	if m == nil {
		return "", fmt.Errorf("the profile's key must be ${env:NAME} or ${keyring:NAME}. Save the key again in Settings")
	}
	if m[1] == "env" {
		if v := getenv(m[2]); v != "" {
			return v, nil
		}
		return "", fmt.Errorf("the profile's key is ${env:%s}, but %s is not set", m[2], m[2])
	}
	key, err := s.keys.Get(m[2])
	if err != nil {
		return "", fmt.Errorf("read the profile's key: %w. Save it again in Settings", err)
	}
	return key, nil
}
