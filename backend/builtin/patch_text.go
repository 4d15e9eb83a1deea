package builtin

import (
	"fmt"
	"strings"
	"unicode"
)

// text is a file as lines that keep their own endings, so that what a patch does not touch
// stays byte for byte.
type text struct {
	bom   string
	lines []textLine
}

type textLine struct{ body, end string }

const utf8BOM = "\xef\xbb\xbf"

func splitText(data []byte) text {
	rest := string(data)
	var t text
	if after, ok := strings.CutPrefix(rest, utf8BOM); ok {
		t.bom, rest = utf8BOM, after
	}
	for rest != "" {
		i := strings.IndexByte(rest, '\n')
		if i < 0 {
			t.lines = append(t.lines, textLine{body: rest})
			break
		}
		body, end := rest[:i], "\n"
		if strings.HasSuffix(body, "\r") {
			body, end = body[:len(body)-1], "\r\n"
		}
		t.lines = append(t.lines, textLine{body, end})
		rest = rest[i+1:]
	}
	return t
}

func (t text) bytes() []byte {
	var b strings.Builder
	b.WriteString(t.bom)
	for _, l := range t.lines {
		b.WriteString(l.body)
		b.WriteString(l.end)
	}
	return []byte(b.String())
}

// ending is the line ending that the file mostly uses.
func (t text) ending() string {
	crlf, lf := 0, 0
	for _, l := range t.lines {
		switch l.end {
		case "\r\n":
			crlf++
		case "\n":
			lf++
		}
	}
	if crlf > lf {
		return "\r\n"
	}
	return "\n"
}

// apply makes the changes of all hunks, in order, or says which one has no place.
func (t text) apply(path string, hunks []hunk) (text, error) {
	out := text{bom: t.bom}
	ending := t.ending()
	finalNewline := len(t.lines) == 0 || t.lines[len(t.lines)-1].end != ""
	cursor := 0
	for i, h := range hunks {
		at, err := t.locate(path, i, h, cursor)
		if err != nil {
			return text{}, err
		}
		out.lines = append(out.lines, t.lines[cursor:at]...)
		cursor = at
		for _, l := range h.lines {
			switch l.op {
			case ' ':
				out.lines = append(out.lines, t.lines[cursor])
				cursor++
			case '-':
				cursor++
			case '+':
				out.lines = append(out.lines, textLine{l.text, t.endingAt(cursor, ending)})
			}
		}
	}
	out.lines = append(out.lines, t.lines[cursor:]...)
	out.closeLines(ending, finalNewline)
	return out, nil
}

// endingAt is the ending of the neighbours of a new line: mixed files stay as mixed as
// they are.
func (t text) endingAt(at int, otherwise string) string {
	for _, i := range []int{at - 1, at} {
		if i >= 0 && i < len(t.lines) && t.lines[i].end != "" {
			return t.lines[i].end
		}
	}
	return otherwise
}

// closeLines ends every line but the last, and the last as the file's last line was.
func (t *text) closeLines(ending string, finalNewline bool) {
	for i := range t.lines {
		last := i == len(t.lines)-1
		switch {
		case !last && t.lines[i].end == "":
			t.lines[i].end = ending
		case last && !finalNewline:
			t.lines[i].end = ""
		case last && t.lines[i].end == "":
			t.lines[i].end = ending
		}
	}
}

// likeness are the ways in which a line of a hunk may equal a line of the file, strictest
// first.
var likeness = []func(string) string{
	func(s string) string { return s },
	func(s string) string { return strings.TrimRightFunc(s, unicode.IsSpace) },
	strings.TrimSpace,
	func(s string) string { return plainPunctuation.Replace(strings.TrimSpace(s)) },
}

// plainPunctuation makes typographic characters plain, as models do.
var plainPunctuation = strings.NewReplacer(
	"\u2018", "'", "\u2019", "'", "\u201c", `"`, "\u201d", `"`, "\u2010", "-", "\u2011", "-",
	"\u2012", "-", "\u2013", "-", "\u2014", "-", "\u2212", "-", "\u00a0", " ", "\u2026", "...",
)

// locate finds where a hunk's old lines stand at or after from.
func (t text) locate(path string, number int, h hunk, from int) (int, error) {
	for i, anchor := range h.anchors {
		at := t.find([]string{anchor}, from, false)
		if at < 0 && i == 0 && t.find([]string{anchor}, 0, false) >= 0 {
			continue // it stands before the last hunk: a second change in the same function
		}
		if at < 0 {
			return 0, fmt.Errorf("Failed to locate patch hunk in file: %s: hunk %d is to follow the line %q, which does not stand after line %d", path, number+1, anchor, from)
		}
		from = at + 1
	}
	var old []string
	for _, l := range h.lines {
		if l.op != '+' {
			old = append(old, l.text)
		}
	}
	if len(old) == 0 {
		if len(h.anchors) > 0 && !h.atEnd {
			return from, nil
		}
		return len(t.lines), nil
	}
	if len(h.anchors) > 0 && t.matches(old, from-1, likeness[0]) {
		return from - 1, nil // the hunk repeats the line of its @@
	}
	if at := t.find(old, from, h.atEnd); at >= 0 {
		return at, nil
	}
	return 0, t.mismatch(path, number, old, from)
}

// find looks for lines at or after from; with atEnd only where they end the file.
func (t text) find(want []string, from int, atEnd bool) int {
	for _, like := range likeness {
		if atEnd {
			if at := len(t.lines) - len(want); at >= from && t.matches(want, at, like) {
				return at
			}
			continue
		}
		for at := from; at+len(want) <= len(t.lines); at++ {
			if t.matches(want, at, like) {
				return at
			}
		}
	}
	return -1
}

func (t text) matches(want []string, at int, like func(string) string) bool {
	if at < 0 || at+len(want) > len(t.lines) {
		return false
	}
	for i, w := range want {
		if like(t.lines[at+i].body) != like(w) {
			return false
		}
	}
	return true
}

// mismatch says how far the best place fits and what stands there instead.
func (t text) mismatch(path string, number int, old []string, from int) error {
	best, where := -1, 0
	for at := from; at < len(t.lines); at++ {
		n := 0
		for n < len(old) && at+n < len(t.lines) && strings.TrimSpace(t.lines[at+n].body) == strings.TrimSpace(old[n]) {
			n++
		}
		if n > best {
			best, where = n, at
		}
	}
	if best <= 0 {
		return fmt.Errorf("Failed to locate patch hunk in file: %s: hunk %d expects %q, which does not stand after line %d. Read the file again", path, number+1, old[0], from)
	}
	if where+best >= len(t.lines) {
		return fmt.Errorf("Patch exceeds file length: %s: hunk %d fits at line %d but expects %q after the last line", path, number+1, where+1, old[best])
	}
	return fmt.Errorf("Patch context mismatch for file %s: hunk %d, line %d: expected '%s' but found '%s'", path, number+1, where+best+1, old[best], t.lines[where+best].body)
}
