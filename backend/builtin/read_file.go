package builtin

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"patchbay/backend/fsx"
	"patchbay/backend/tool"
)

//go:embed read_file.md
var readDescription string

const (
	readName        = "read_file"
	defaultReadSize = 12_000 // characters
	maxReadSize     = 60_000
	sniffBytes      = 8 << 10
)

const readSchema = `{"type":"object","properties":{` +
	`"path":{"type":"string","description":"File, relative to the workspace."},` +
	`"startLine":{"type":"integer","description":"First line, from 1."},` +
	`"endLine":{"type":"integer","description":"Last line, inclusive."},` +
	`"maxChars":{"type":"integer","description":"The most to return, in characters."}},` +
	`"required":["path"]}`

type readArgs struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	MaxChars  int    `json:"maxChars"`
}

type readResult struct {
	Path      string `json:"path"`
	Content   string `json:"content"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Truncated bool   `json:"truncated"`
	NextLine  int    `json:"nextLine,omitempty"`
	Encoding  string `json:"encoding,omitempty"` // when it is not UTF-8
	Note      string `json:"note,omitempty"`
}

func (f files) readEntry() tool.Entry {
	return fileTool(tool.Spec{
		Name: readName, Description: readDescription, Parameters: json.RawMessage(readSchema), Title: "Read file",
		Annotations: tool.Annotations{ReadOnly: hint(true), Idempotent: hint(true), OpenWorld: hint(false)},
	}, func(_ context.Context, raw json.RawMessage) (any, error) {
		var args readArgs
		if err := decodeArgs(raw, &args); err != nil {
			return nil, err
		}
		return f.read(args)
	})
}

// decodeArgs reads a tool's arguments and names the one that does not fit.
func decodeArgs(raw json.RawMessage, into any) error {
	err := json.Unmarshal(raw, into)
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return fmt.Errorf("argument %q must be of type %s, not %s", mismatch.Field, mismatch.Type, mismatch.Value)
	}
	return err
}

func (f files) read(args readArgs) (*readResult, error) {
	if strings.TrimSpace(args.Path) == "" {
		return nil, errors.New("path is required")
	}
	if args.MaxChars <= 0 {
		args.MaxChars = defaultReadSize
	}
	args.MaxChars = min(args.MaxChars, maxReadSize)
	args.StartLine = max(args.StartLine, 1)
	if args.EndLine > 0 && args.EndLine < args.StartLine {
		return nil, fmt.Errorf("endLine %d is before startLine %d", args.EndLine, args.StartLine)
	}
	path, err := f.readable(args.Path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path) // before it is opened: opening a pipe waits for a writer
	if err != nil {
		return nil, f.pathError(args.Path, err)
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("Path is a directory: %s", args.Path)
	case !info.Mode().IsRegular():
		return nil, irregular(args.Path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, f.pathError(args.Path, err)
	}
	defer file.Close()
	return f.readFrom(file, info, args, f.relative(path))
}

// readable finds the real path inside the workspace or a folder that may be read.
func (f files) readable(path string) (string, error) {
	inside, err := fsx.Inside(f.workspace, path)
	if err == nil {
		return inside, nil
	}
	for _, root := range f.readRoots {
		if !filepath.IsAbs(path) {
			break
		}
		if other, e := fsx.Inside(root, path); e == nil {
			return other, nil
		}
	}
	return "", err
}

func (f files) pathError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("File does not exist: %s", path)
	}
	return fmt.Errorf("open %s: %w", path, err)
}

// irregular refuses a pipe, a socket or a device.
func irregular(path string) error {
	return fmt.Errorf("%s is not a regular file (a pipe, a socket or a device): file tools do not open it", path)
}

// relative is the path as results show it: from the workspace, with slashes.
func (f files) relative(path string) string {
	rel, err := filepath.Rel(f.workspace, path)
	if err != nil || strings.HasPrefix(rel, "..") {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

func (f files) readFrom(file *os.File, info fs.FileInfo, args readArgs, shown string) (*readResult, error) {
	r := bufio.NewReaderSize(file, 64<<10)
	head, err := r.Peek(sniffBytes)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, fmt.Errorf("read %s: %w", args.Path, err)
	}
	res := &readResult{Path: shown, StartLine: args.StartLine}
	decode, encoding := decoder(head)
	if encoding == "binary" {
		res.Note = fmt.Sprintf("binary file, %d bytes, %s", info.Size(), http.DetectContentType(head))
		return res, nil
	}
	res.Encoding = encoding
	if decode != nil {
		all, err := io.ReadAll(io.LimitReader(r, maxConverted))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", args.Path, err)
		}
		r = bufio.NewReader(strings.NewReader(decode(all)))
	}
	if err := res.lines(r, args); err != nil {
		return nil, err
	}
	if decode != nil && info.Size() > maxConverted && res.NextLine == 0 {
		res.Note = strings.TrimPrefix(res.Note+fmt.Sprintf("; only the first %d MiB of a %s file are read", maxConverted>>20, encoding), "; ")
	}
	return res, nil
}

// maxConverted is how much of a file that is not UTF-8 is converted.
const maxConverted = 16 << 20

// lines reads the wanted lines without holding the rest of the file.
func (res *readResult) lines(r *bufio.Reader, args readArgs) error {
	var b strings.Builder
	left := room{chars: args.MaxChars, bytes: maxReadBytes}
	for line := 1; args.EndLine <= 0 || line <= args.EndLine; line++ {
		text, cut, err := readText(r, left.chars)
		if err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("read line %d: %w", line, err)
		}
		if line == 1 {
			text = strings.TrimPrefix(text, utf8BOM)
		}
		if line >= args.StartLine && text != "" {
			part := left.take(text)
			if cut || len(part) < len(text) {
				res.stopAt(line, part, &b, r)
				break
			}
			b.WriteString(text)
			res.EndLine = line
		}
		if err != nil {
			break
		}
	}
	res.Content = strings.ToValidUTF8(b.String(), "\uFFFD")
	if res.EndLine == 0 {
		res.Note = fmt.Sprintf("the file has fewer than %d lines", args.StartLine)
		if args.StartLine == 1 {
			res.Note = "the file is empty"
		}
	}
	return nil
}

// stopAt ends a result before the line that no longer fits. A line that is too long by
// itself is begun and then skipped: else reading on would come back to it for ever.
func (res *readResult) stopAt(line int, part string, b *strings.Builder, rest *bufio.Reader) {
	res.Truncated, res.NextLine = true, line
	if b.Len() > 0 {
		return
	}
	b.WriteString(part)
	res.EndLine, res.NextLine = line, 0
	if _, err := rest.Peek(1); err == nil {
		res.NextLine = line + 1
	}
	res.Note = fmt.Sprintf("line %d is too long: only its first %d characters are here, bash can show the rest", line, utf8.RuneCountInString(part))
}

// maxReadBytes is how large the content may be in the result's JSON: beyond what the model
// reads of a result the middle would be cut out of it.
const maxReadBytes = tool.ModelTextLimit - 2_000

// room is what a result can still hold.
type room struct{ chars, bytes int }

// take returns the part of s that fits and counts it.
func (r *room) take(s string) string {
	for i, c := range s {
		size := jsonSize(c)
		if r.chars < 1 || r.bytes < size {
			return s[:i]
		}
		r.chars--
		r.bytes -= size
	}
	return s
}

// jsonSize is how many bytes a character takes in a JSON string.
func jsonSize(c rune) int {
	switch {
	case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
		return 2
	case c < ' ', c == '\u2028', c == '\u2029':
		return 6
	}
	return utf8.RuneLen(c)
}

// readText reads one line, of which it keeps somewhat more than limit characters.
func readText(r *bufio.Reader, limit int) (text string, cut bool, err error) {
	var line []byte
	for {
		chunk, err := r.ReadSlice('\n')
		if len(line) <= 4*limit {
			line = append(line, chunk...)
		} else {
			cut = true
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return string(line), cut, err
		}
	}
}

// decoder tells how a file's bytes become text: nil for UTF-8, "binary" for none.
func decoder(head []byte) (func([]byte) string, string) {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return func(b []byte) string { return utf16Text(b[2:], binary.LittleEndian) }, "UTF-16LE"
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return func(b []byte) string { return utf16Text(b[2:], binary.BigEndian) }, "UTF-16BE"
	case bytes.IndexByte(head, 0) >= 0:
		return nil, "binary"
	case utf8.Valid(trimPartialRune(head)):
		return nil, ""
	}
	return latin1, "ISO-8859-1"
}

// trimPartialRune drops a rune that the sniffing cut.
func trimPartialRune(b []byte) []byte {
	for i := 1; i <= min(3, len(b)); i++ {
		if utf8.RuneStart(b[len(b)-i]) {
			if !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

func utf16Text(b []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(b)/2)
	for i := range units {
		units[i] = order.Uint16(b[2*i:])
	}
	return string(utf16.Decode(units))
}

func latin1(b []byte) string {
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
