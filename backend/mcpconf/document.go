package mcpconf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxFileSize is more than any hand-written configuration has, and little enough to read
// at each change.
const maxFileSize = 16 << 20

const utf8BOM = "\xEF\xBB\xBF"

// document is a configuration file as it was read: JSON with comments and trailing commas
// (JWCC), its byte order mark set apart. Offsets in root count from the start of body.
type document struct {
	path string
	bom  string
	body []byte
	root hujson.Value
}

// object and array are the two composites of hujson.
type (
	object = hujson.Object
	array  = hujson.Array
)

// parseDocument parses raw, whose root must be an object.
func parseDocument(path string, raw []byte) (*document, *FileError) {
	d := &document{path: path, body: raw}
	if bytes.HasPrefix(raw, []byte(utf8BOM)) {
		d.bom, d.body = utf8BOM, raw[len(utf8BOM):]
	}
	if message, at := unreadable(d.body); message != "" {
		return nil, d.errorAt(at, message)
	}
	root, err := hujson.Parse(bytes.Clone(d.body))
	if err != nil {
		return nil, d.syntaxError(err)
	}
	d.root = root
	if _, ok := root.Value.(*object); !ok {
		return nil, d.errorAt(root.StartOffset, "the file must hold one JSON object, as in {\"mcpServers\": {}}")
	}
	return d, nil
}

// unreadable says why body is no JSON text at all, "" when it may be one.
func unreadable(body []byte) (message string, at int) {
	switch {
	case len(body) > maxFileSize:
		return fmt.Sprintf("the file is larger than %d MiB", maxFileSize>>20), 0
	case bytes.HasPrefix(body, []byte{0xFF, 0xFE}), bytes.HasPrefix(body, []byte{0xFE, 0xFF}),
		len(body) > 1 && (body[0] == 0 || body[1] == 0):
		return "the file is UTF-16 text: save it as UTF-8", 0
	case len(bytes.TrimSpace(body)) == 0:
		return "the file is empty: write {} into it, or delete it", 0
	}
	if utf8.Valid(body) {
		return "", 0
	}
	for at < len(body) {
		r, size := utf8.DecodeRune(body[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return "the file is not valid UTF-8 text here: save it as UTF-8", at
}

// position is line and column of an offset in body, both from 1, the column in characters.
func (d *document) position(at int) (line, column int) {
	at = min(at, len(d.body))
	start := bytes.LastIndexByte(d.body[:at], '\n') + 1
	return 1 + bytes.Count(d.body[:start], []byte("\n")), 1 + utf8.RuneCount(d.body[start:at])
}

func (d *document) line(at int) int {
	line, _ := d.position(at)
	return line
}

func (d *document) errorAt(at int, message string) *FileError {
	line, column := d.position(at)
	return &FileError{Path: d.path, Line: line, Column: column, Message: message}
}

// syntaxError takes the place out of an error of hujson.Parse, which gives it as text.
func (d *document) syntaxError(err error) *FileError {
	fe := &FileError{Path: d.path, Message: err.Error()}
	m := regexp.MustCompile(`^hujson: line (\d+), column (\d+): `).FindStringSubmatch(fe.Message)
	if m == nil {
		return fe
	}
	fe.Message = strings.Replace(fe.Message[len(m[0]):], "unexpected EOF", "the file ends too early", 1)
	fe.Line, _ = strconv.Atoi(m[1])
	fe.Column, _ = strconv.Atoi(m[2])
	if lines := bytes.SplitN(d.body, []byte("\n"), fe.Line+1); fe.Line <= len(lines) && fe.Line > 0 {
		l := lines[fe.Line-1] // hujson counts the column in bytes
		fe.Column = 1 + utf8.RuneCount(l[:max(0, min(fe.Column-1, len(l)))])
	}
	return fe
}

// member finds a member of an object. Names are compared without surrounding blanks, and
// the last of several with one name is the one in force, as in every JSON reader.
func member(v hujson.ValueTrimmed, name string) *hujson.ObjectMember {
	o, ok := v.(*object)
	if !ok {
		return nil
	}
	for i := len(o.Members) - 1; i >= 0; i-- {
		if memberName(o.Members[i]) == name {
			return &o.Members[i]
		}
	}
	return nil
}

func memberName(m hujson.ObjectMember) string {
	return strings.TrimSpace(m.Name.Value.(hujson.Literal).String())
}

func isNull(v hujson.Value) bool { return v.Value.Kind() == 'n' }

// standard is the value as plain JSON without comments.
func standard(v hujson.Value) json.RawMessage {
	c := v.Clone()
	c.Minimize()
	return json.RawMessage(c.Pack())
}

// decode reads a value into a Go value of the expected type.
func decode(v hujson.Value, into any) error { return json.Unmarshal(standard(v), into) }

// Error names file, line and column, and what is wrong there.
func (e *FileError) Error() string {
	switch {
	case e.Line == 0:
		return e.Path + ": " + e.Message
	case e.Column == 0:
		return fmt.Sprintf("%s: line %d: %s", e.Path, e.Line, e.Message)
	}
	return fmt.Sprintf("%s: line %d, column %d: %s", e.Path, e.Line, e.Column, e.Message)
}

// errNothingWritten is the second half of a refusal to edit.
var errNothingWritten = errors.New("nothing was written; correct the file first")

// refuse is the error of an edit that is not made because of what the file holds now.
func refuse(fe *FileError) error { return fmt.Errorf("%w (%w)", fe, errNothingWritten) }
