package app

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"sync"

	"patchbay/backend/tool"
)

// mediaPath is where the page finds images and audio of tool results.
const mediaPath = "/media/"

// mediaLimit is how many bytes of them are kept; the oldest go first and come back when
// the transcript is read again.
const mediaLimit = 256 << 20

// media serves bytes of tool results by their hash, so that they never travel in an event.
type media struct {
	mu    sync.Mutex
	kept  map[string]tool.Content
	order []string
	bytes int
}

func newMedia() *media { return &media{kept: map[string]tool.Content{}} }

// keep holds the content's bytes and returns their address. Only images and audio get one:
// nothing else that a server sends is rendered.
func (m *media) keep(c tool.Content) string {
	if c.Kind != tool.Image && c.Kind != tool.Audio {
		return ""
	}
	sum := sha256.Sum256(c.Data)
	id := hex.EncodeToString(sum[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, known := m.kept[id]; !known {
		m.kept[id] = c
		m.order = append(m.order, id)
		m.bytes += len(c.Data)
		for m.bytes > mediaLimit && len(m.order) > 1 {
			m.bytes -= len(m.kept[m.order[0]].Data)
			delete(m.kept, m.order[0])
			m.order = m.order[1:]
		}
	}
	return mediaPath + id
}

// ServeHTTP serves one content below mediaPath, as nothing but the image or audio it is.
func (m *media) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	c, ok := m.kept[strings.TrimPrefix(r.URL.Path, mediaPath)]
	m.mu.Unlock()
	kind := "image/"
	if c.Kind == tool.Audio {
		kind = "audio/"
	}
	if !ok || !strings.HasPrefix(c.MIMEType, kind) || strings.Contains(c.MIMEType, "svg") {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", c.MIMEType)
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "max-age=3600")
	_, _ = w.Write(c.Data) // a page that went away is no fault
}
