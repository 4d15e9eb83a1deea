package mcpconn

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"patchbay/backend/fsx"
)

const (
	legacyTrust  = 7 * 24 * time.Hour // after which a server of the older era is probed again
	maxEras      = 500                // servers that are remembered
	rememberSoon = time.Second        // least time between two writes
)

// era is what worked with a server.
type era struct {
	Revision string    `json:"revision"`
	Server   string    `json:"server,omitempty"`  // as it calls itself
	Version  string    `json:"version,omitempty"` // of it
	At       time.Time `json:"at"`                // when it was asked for the newest
}

// eras remembers by connection key what worked, across runs in a file. Of keys the file
// holds hashes only: they are made of commands, headers and environments.
type eras struct {
	path   string // "" keeps it in memory only
	logger *slog.Logger
	once   sync.Once
	file   sync.Mutex // held while the file is written

	mu    sync.Mutex
	known map[string]era // by hash of the key
	dirty *time.Timer    // writes the file; nil when nothing changed
	wrote time.Time      // when it was last written
}

func hashed(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// open reads the file, once. One that cannot be read is as good as none.
func (e *eras) open() {
	e.once.Do(func() {
		known := map[string]era{}
		if e.path != "" {
			if data, err := os.ReadFile(e.path); err == nil && json.Unmarshal(data, &known) != nil {
				e.logger.Warn("what was remembered of MCP servers cannot be read", "file", e.path)
			}
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		e.known = known
		if e.known == nil {
			e.known = map[string]era{} // the file holds null
		}
	})
}

// revision is what worked, "" when nothing is known or that is too long ago.
func (e *eras) revision(key string, now time.Time) string {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	k := e.known[hashed(key)]
	if k.Revision < modernRevision && now.Sub(k.At) > legacyTrust {
		return ""
	}
	return k.Revision
}

// remember notes what worked. One that was not probed this time keeps the day of its last
// probe, and is forgotten when it is not the same server or version any more.
func (e *eras) remember(key string, now era, probed bool) {
	e.open()
	defer e.save()
	e.mu.Lock()
	defer e.mu.Unlock()
	id := hashed(key)
	before, known := e.known[id]
	same := before.Revision == now.Revision && before.Server == now.Server && before.Version == now.Version
	switch {
	case known && same && (!probed || now.Revision >= modernRevision):
		return
	case !probed && known && now.Revision < modernRevision:
		delete(e.known, id)
	default:
		e.known[id] = now
	}
	e.changedLocked()
}

func (e *eras) forget(key string) {
	e.open()
	defer e.save()
	e.mu.Lock()
	defer e.mu.Unlock()
	if _, known := e.known[hashed(key)]; known {
		delete(e.known, hashed(key))
		e.changedLocked()
	}
}

func (e *eras) changedLocked() {
	for len(e.known) > maxEras {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(e.known)), func(a, b string) int { return e.known[a].At.Compare(e.known[b].At) })
		delete(e.known, oldest)
	}
	if e.path != "" && e.dirty == nil {
		e.dirty = time.AfterFunc(rememberSoon, e.flush)
	}
}

// save writes the file now, or soon when that has just happened: of servers that start
// together one pays for a write.
func (e *eras) save() {
	e.mu.Lock()
	now := e.dirty != nil && time.Since(e.wrote) >= rememberSoon
	if now {
		e.wrote = time.Now()
	}
	e.mu.Unlock()
	if now {
		e.flush()
	}
}

// flush writes the file when something changed.
func (e *eras) flush() {
	e.file.Lock()
	defer e.file.Unlock()
	e.mu.Lock()
	if e.dirty == nil {
		e.mu.Unlock()
		return
	}
	e.dirty.Stop()
	e.dirty, e.wrote = nil, time.Now()
	data, err := json.MarshalIndent(e.known, "", "  ")
	e.mu.Unlock()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(e.path), 0o700)
	}
	if err == nil {
		err = fsx.WriteAtomic(e.path, data, 0o600)
	}
	if err != nil {
		e.logger.Warn("remember which revision MCP servers speak", "file", e.path, "error", err)
	}
}
