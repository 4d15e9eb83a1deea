package mcpauth

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// record is what signing in to a server gave. It is kept in the Store and nowhere else.
type record struct {
	Server    string    `json:"server"` // its address
	Issuer    string    `json:"issuer"`
	Pinned    bool      `json:"pinned,omitempty"` // the definition names it
	Resource  string    `json:"resource,omitempty"`
	AuthURL   string    `json:"authorize"`
	TokenURL  string    `json:"token"`
	RevokeURL string    `json:"revoke,omitempty"`
	Client    client    `json:"client"`
	Scopes    []string  `json:"scopes,omitempty"`
	Access    string    `json:"access,omitempty"` // "" keeps the registration alone
	Refresh   string    `json:"refresh,omitempty"`
	Expires   time.Time `json:"expires,omitzero"`

	unattended bool // asked for without a person, and so not kept
}

// usable reports whether requests can be signed with it.
func (r *record) usable() bool { return r != nil && r.Access != "" }

// client is what this program is to an authorization server.
type client struct {
	ID         string    `json:"id"`
	Secret     string    `json:"secret,omitempty"`
	Basic      bool      `json:"basic,omitempty"` // the secret goes into a header, else into the form
	Redirect   string    `json:"redirect"`
	Registered bool      `json:"registered,omitempty"` // by us, dynamically
	Expires    time.Time `json:"expires,omitzero"`     // of the secret, zero when it does not
}

// valid reports whether a client that was registered can be used for a redirect address.
func (c client) valid(redirect string) bool {
	return c.Registered && c.Redirect == redirect && (c.Expires.IsZero() || time.Now().Before(c.Expires))
}

// partSize is what fits into an item of every keyring: Windows takes 2560 bytes, the
// command of macOS 4096 in all.
const partSize = 1800

// keep stores a record in parts, the first of which says how many there are.
func (m *Manager) keep(key string, r *record) error {
	if r.unattended {
		return nil
	}
	data, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode a sign-in: %w", err)
	}
	text := string(data)
	parts := (len(text) + partSize - 1) / partSize
	old := m.parts(key)
	for i := parts - 1; i >= 0; i-- {
		part := text[i*partSize : min((i+1)*partSize, len(text))]
		if i == 0 {
			part = strconv.Itoa(parts) + ":" + part
		}
		if err := m.opts.Store.Set(partName(key, i), part); err != nil {
			return fmt.Errorf("keep the sign-in: %w", err)
		}
	}
	return m.drop(key, parts, old)
}

// load reads a record, nil when there is none. One that cannot be read is none: the person
// signs in again.
func (m *Manager) load(key string) (*record, error) {
	first, err := m.opts.Store.Get(partName(key, 0))
	if err != nil || first == "" {
		return nil, err
	}
	count, text, ok := strings.Cut(first, ":")
	parts, err := strconv.Atoi(count)
	if !ok || err != nil {
		return nil, nil
	}
	var all strings.Builder
	all.WriteString(text)
	for i := 1; i < parts; i++ {
		part, err := m.opts.Store.Get(partName(key, i))
		if err != nil {
			return nil, err
		}
		all.WriteString(part)
	}
	var r record
	if json.Unmarshal([]byte(all.String()), &r) != nil || r.Client.ID == "" {
		m.opts.Logger.Warn("a stored sign-in is damaged and not used", "key", key)
		return nil, nil
	}
	return &r, nil
}

// forget removes a record.
func (m *Manager) forget(key string) error { return m.drop(key, 0, m.parts(key)) }

// parts is how many items of a record there are.
func (m *Manager) parts(key string) int {
	first, err := m.opts.Store.Get(partName(key, 0))
	if err != nil {
		return 0
	}
	count, _, _ := strings.Cut(first, ":")
	parts, _ := strconv.Atoi(count)
	return parts
}

func (m *Manager) drop(key string, from, to int) error {
	for i := from; i < to; i++ {
		if err := m.opts.Store.Delete(partName(key, i)); err != nil {
			return fmt.Errorf("forget the sign-in: %w", err)
		}
	}
	return nil
}

func partName(key string, i int) string {
	if i == 0 {
		return key
	}
	return key + "." + strconv.Itoa(i)
}

// state is what may be shown of the record.
func (r *record) state() State {
	return State{Phase: SignedIn, Since: time.Now(), Issuer: r.Issuer, Scopes: r.Scopes, Expires: r.Expires, Renews: r.Refresh != ""}
}
