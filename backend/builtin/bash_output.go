package builtin

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Bounds of one stream of exec.
const (
	captureBytes = 32 << 10 // for the model, half head and half tail
	captureFile  = 64 << 20 // in the file with the full text
)

// capture holds the head and the tail of one stream; once it grows too long for the model
// the full text goes to a file.
type capture struct {
	path string // of the file, "" for none

	mu     sync.Mutex // held over the writes to the file: one reader writes, seal waits for it
	head   []byte
	tail   []byte
	total  int64
	file   *os.File
	lost   string // why the file has not the full text, "" when it has
	sealed bool
}

func (c *capture) write(p []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sealed {
		return
	}
	before := c.total
	c.total += int64(len(p))
	if c.total > captureBytes {
		if before <= captureBytes {
			c.openLocked()
		}
		c.spillLocked(p)
	}
	n := min(len(p), captureBytes/2-len(c.head))
	c.head = append(c.head, p[:n]...)
	c.tail = append(c.tail, p[n:]...)
	if extra := len(c.tail) - captureBytes/2; extra > 0 {
		c.tail = append(c.tail[:0], c.tail[extra:]...)
	}
}

// openLocked makes the file and puts in what is in memory, which is everything so far.
func (c *capture) openLocked() {
	if c.path == "" {
		c.lost = "no folder for it"
		return
	}
	err := os.MkdirAll(filepath.Dir(c.path), 0o700)
	if err == nil {
		c.file, err = os.OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	if err != nil {
		c.lost = err.Error()
		return
	}
	c.spillLocked(c.head)
	c.spillLocked(c.tail)
}

func (c *capture) spillLocked(p []byte) {
	if c.file == nil || c.lost != "" {
		return
	}
	if c.total > captureFile {
		c.lost = fmt.Sprintf("it has only about the first %d MiB", captureFile>>20)
		return
	}
	if _, err := c.file.Write(p); err != nil {
		c.lost = err.Error()
	}
}

// seal ends the capturing and returns the text for the model and the file with the full
// one, "" when the text is complete.
func (c *capture) seal() (text, file string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sealed = true
	if c.file != nil {
		if err := c.file.Close(); err != nil && c.lost == "" {
			c.lost = err.Error()
		}
		file, c.file = c.path, nil
	}
	if c.total <= captureBytes {
		return strings.ToValidUTF8(string(c.head)+string(c.tail), "\uFFFD"), ""
	}
	left := c.total - int64(len(c.head)+len(c.tail))
	where := "the full output is in " + file
	switch {
	case file == "":
		where = "the full output was not kept: " + c.lost
	case c.lost != "":
		where = "more of it is in " + file + " (" + c.lost + ")"
	}
	text = fmt.Sprintf("%s\n[%d bytes left out; %s]\n%s", c.head, left, where, c.tail)
	return strings.ToValidUTF8(text, "\uFFFD"), file
}
