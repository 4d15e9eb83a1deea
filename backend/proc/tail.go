package proc

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Bounds of what is kept of a process's stderr.
const (
	tailLines = 200
	tailBytes = 64 << 10
	lineBytes = 4 << 10
)

// ansi matches terminal control sequences: CSI, OSC and the two-byte ones.
const ansi = "\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b]*(?:\x07|\x1b\\\\)|[@-Z\\\\^_=>])"

// tail keeps the last lines of a stream.
type tail struct {
	onLine func(string) // may be nil; called from one goroutine, not under mu
	ansi   *regexp.Regexp

	mu      sync.Mutex
	lines   []string
	size    int    // bytes in lines
	pending []byte // the line that has not ended, at most lineBytes
}

func newTail(onLine func(string)) *tail {
	return &tail{onLine: onLine, ansi: regexp.MustCompile(ansi)}
}

// drain reads r to its end, whatever happens to the lines: a process must never block on a
// stderr nobody reads.
func (t *tail) drain(r io.Reader) {
	buf := make([]byte, 16<<10)
	for {
		n, err := r.Read(buf)
		t.write(buf[:n])
		if err != nil {
			t.end()
			return
		}
	}
}

// write takes a carriage return for a line end too: progress bars are progress.
func (t *tail) write(chunk []byte) {
	for len(chunk) > 0 {
		i := bytes.IndexAny(chunk, "\r\n")
		part := chunk
		if i >= 0 {
			part = chunk[:i]
		}
		t.mu.Lock()
		t.pending = append(t.pending, part[:min(len(part), lineBytes-len(t.pending))]...)
		t.mu.Unlock()
		if i < 0 {
			return
		}
		t.end()
		chunk = chunk[i+1:]
	}
}

// end closes the pending line. Empty lines are dropped.
func (t *tail) end() {
	t.mu.Lock()
	line := t.clean(t.pending)
	t.pending = t.pending[:0]
	if line != "" {
		t.pushLocked(line)
	}
	t.mu.Unlock()
	if line != "" && t.onLine != nil {
		t.onLine(line)
	}
}

func (t *tail) pushLocked(line string) {
	t.lines = append(t.lines, line)
	t.size += len(line)
	drop := 0
	for len(t.lines)-drop > tailLines || t.size > tailBytes {
		t.size -= len(t.lines[drop])
		drop++
	}
	t.lines = slices.Delete(t.lines, 0, drop)
}

// snapshot returns the kept lines, the unfinished one last.
func (t *tail) snapshot() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := append(make([]string, 0, len(t.lines)+1), t.lines...)
	if line := t.clean(t.pending); line != "" {
		out = append(out, line)
	}
	return out
}

func (t *tail) clean(raw []byte) string {
	line := strings.ToValidUTF8(t.ansi.ReplaceAllString(string(raw), ""), "\uFFFD")
	return strings.TrimRight(line, " \t")
}
