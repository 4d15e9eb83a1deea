package builtin

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

// Bounds of what is kept of a background process.
const (
	ringBytes   = 120_000
	defaultLogs = 12_000
	mostLogs    = 32 << 10
)

// ring keeps the end of a process's output, both streams in the order they were read, each
// line after "[stdout] " or "[stderr] ". Offsets count from the first byte ever written.
type ring struct {
	mu      sync.Mutex
	data    []byte
	base    int64  // offset of data[0]
	midLine string // the stream whose line has not ended, "" at the start of a line
}

func (r *ring) write(stream string, p []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(p) > 0 {
		if r.midLine != "" && r.midLine != stream {
			r.data = append(r.data, '\n')
			r.midLine = ""
		}
		if r.midLine == "" {
			r.data = append(r.data, "["+stream+"] "...)
		}
		n := bytes.IndexByte(p, '\n') + 1
		r.midLine = ""
		if n == 0 {
			n, r.midLine = len(p), stream
		}
		r.data = append(r.data, p[:n]...)
		p = p[n:]
	}
	// Cut in large steps, so that a byte is copied about once.
	if len(r.data) > 2*ringBytes {
		drop := len(r.data) - ringBytes
		r.data = append(r.data[:0], r.data[drop:]...)
		r.base += int64(drop)
	}
}

// read returns at most limit bytes (at least one character) from offset on, whole characters, where the next read
// goes on, and whether output before or after is not in it.
func (r *ring) read(offset, limit int64) (text string, next int64, truncated bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	end := r.base + int64(len(r.data))
	first := max(r.base, end-ringBytes)
	from := min(max(offset, first), end)
	to := min(from+max(limit, utf8.UTFMax), end)
	chunk := r.data[from-r.base : to-r.base]
	if to < end {
		chunk = wholeRunes(chunk)
	}
	next = from + int64(len(chunk))
	return strings.ToValidUTF8(string(chunk), "\uFFFD"), next, from > max(offset, 0) && offset < first || next < end
}

// wholeRunes leaves out a character that is cut at the end.
func wholeRunes(p []byte) []byte {
	for back := 1; back < utf8.UTFMax && back <= len(p); back++ {
		if at := len(p) - back; utf8.RuneStart(p[at]) {
			if !utf8.FullRune(p[at:]) {
				return p[:at]
			}
			break
		}
	}
	return p
}

// lastLine returns the last line with text in it, and the offset of the end.
func (r *ring) lastLine() (string, int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.TrimSpace(string(r.data[max(0, len(r.data)-1024):]))
	text = text[strings.LastIndexAny(text, "\r\n")+1:]
	for _, stream := range []string{"[stdout] ", "[stderr] "} {
		text = strings.TrimPrefix(text, stream)
	}
	return strings.ToValidUTF8(text, "\uFFFD"), r.base + int64(len(r.data))
}
