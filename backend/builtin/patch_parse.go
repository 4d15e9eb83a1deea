package builtin

import (
	"errors"
	"fmt"
	"strings"
)

// patchKind is what an operation of a patch does.
type patchKind string

const (
	patchAdd    patchKind = "add"
	patchUpdate patchKind = "update"
	patchDelete patchKind = "delete"
)

// patchOp is one operation on one file.
type patchOp struct {
	kind  patchKind
	path  string
	to    string   // of a move, "" without one
	lines []string // of an added file
	hunks []hunk
}

// hunk is one change of an updated file.
type hunk struct {
	anchors []string // lines after which it is looked for, in order
	lines   []hunkLine
	atEnd   bool // it ends the file
}

// hunkLine is one line of a hunk: ' ' kept, '-' removed, '+' added.
type hunkLine struct {
	op   byte
	text string
}

const (
	patchBegin = "*** Begin Patch"
	patchEnd   = "*** End Patch"
	patchEOF   = "*** End of File"
	patchMove  = "*** Move to:"
)

// directives are the lines that begin an operation, long and short.
var directives = []struct {
	prefix string
	kind   patchKind
}{
	{"*** Add File:", patchAdd}, {"*** Add:", patchAdd},
	{"*** Update File:", patchUpdate}, {"*** Update:", patchUpdate},
	{"*** Delete File:", patchDelete}, {"*** Delete:", patchDelete},
}

// parsePatch reads a patch. CRLF between its lines is taken as LF.
func parsePatch(text string) ([]patchOp, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("patch is required")
	}
	lines := strings.Split(strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if len(lines) < 2 || strings.TrimSpace(lines[0]) != patchBegin || strings.TrimSpace(lines[len(lines)-1]) != patchEnd {
		return nil, fmt.Errorf("Invalid patch envelope: the first line must be %q and the last %q", patchBegin, patchEnd)
	}
	p := patchParser{lines: lines[1 : len(lines)-1]}
	for !p.done() {
		if err := p.operation(); err != nil {
			return nil, err
		}
	}
	if len(p.ops) == 0 {
		return nil, errors.New("the patch holds no operation")
	}
	return p.ops, nil
}

type patchParser struct {
	lines []string
	at    int
	ops   []patchOp
}

func (p *patchParser) done() bool { return p.at >= len(p.lines) }

func directive(line string) (patchKind, string, bool) {
	for _, d := range directives {
		if rest, ok := strings.CutPrefix(line, d.prefix); ok {
			return d.kind, strings.TrimSpace(rest), true
		}
	}
	return "", "", false
}

func (p *patchParser) operation() error {
	line := p.lines[p.at]
	p.at++
	if strings.TrimSpace(line) == "" {
		return nil
	}
	kind, path, ok := directive(line)
	if !ok {
		return fmt.Errorf("Unsupported patch line: %s", line)
	}
	if strings.Trim(path, "/") == "" {
		return fmt.Errorf("Patch directive is missing a file path: %s", line)
	}
	op := patchOp{kind: kind, path: path}
	var err error
	switch kind {
	case patchAdd:
		err = p.added(&op)
	case patchUpdate:
		err = p.updated(&op)
	}
	p.ops = append(p.ops, op)
	return err
}

// added reads the lines of a new file.
func (p *patchParser) added(op *patchOp) error {
	for ; !p.done(); p.at++ {
		line := p.lines[p.at]
		if _, _, next := directive(line); next {
			return nil
		}
		if line == "" && p.onlyBlankUntilDirective() {
			continue
		}
		text, ok := strings.CutPrefix(line, "+")
		if !ok {
			return fmt.Errorf("Add file lines must start with '+': %s", line)
		}
		op.lines = append(op.lines, text)
	}
	return nil
}

func (p *patchParser) onlyBlankUntilDirective() bool {
	for _, line := range p.lines[p.at:] {
		if strings.TrimSpace(line) == "" {
			continue
		}
		_, _, next := directive(line)
		return next
	}
	return true
}

// updated reads the hunks of a changed file.
func (p *patchParser) updated(op *patchOp) error {
	for ; !p.done(); p.at++ {
		line := p.lines[p.at]
		if _, _, next := directive(line); next {
			break
		}
		if n := gitNoise(p.lines[p.at:]); n > 0 && len(op.hunks) == 0 {
			p.at += n - 1
			continue
		}
		if err := op.line(line, p.onlyBlankUntilDirective()); err != nil {
			return err
		}
	}
	if len(op.hunks) == 0 && op.to == "" {
		return fmt.Errorf("Update file patch must contain at least one hunk: %s", op.path)
	}
	for i, h := range op.hunks {
		if len(h.lines) == 0 {
			return fmt.Errorf("hunk %d of %s has no lines", i+1, op.path)
		}
	}
	return nil
}

// gitNoise counts how many of the first lines are metadata that models copy from git. "--- "
// is that only before "+++ ": alone it removes a line that begins with "-- ".
func gitNoise(lines []string) int {
	switch {
	case strings.HasPrefix(lines[0], "diff --git "), strings.HasPrefix(lines[0], "index "):
		return 1
	case strings.HasPrefix(lines[0], "--- ") && len(lines) > 1 && strings.HasPrefix(lines[1], "+++ "):
		return 2
	}
	return 0
}

func (op *patchOp) line(line string, trailing bool) error {
	if to, ok := strings.CutPrefix(line, patchMove); ok && len(op.hunks) == 0 {
		op.to = strings.TrimSpace(to)
		return nil
	}
	if rest, ok := strings.CutPrefix(line, "@@"); ok {
		op.anchor(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "@@")))
		return nil
	}
	if strings.TrimSpace(line) == patchEOF {
		if n := len(op.hunks); n > 0 {
			op.hunks[n-1].atEnd = true
		}
		return nil
	}
	if line == "" && trailing {
		return nil
	}
	return op.change(line)
}

// anchor begins a hunk; several @@ lines in a row narrow the place down.
func (op *patchOp) anchor(text string) {
	text = withoutRange(text)
	if n := len(op.hunks); n == 0 || len(op.hunks[n-1].lines) > 0 {
		op.hunks = append(op.hunks, hunk{})
	}
	if text != "" {
		h := &op.hunks[len(op.hunks)-1]
		h.anchors = append(h.anchors, text)
	}
}

// withoutRange drops git's line numbers, which models get wrong (-1,2 +1,3 @@ heading).
func withoutRange(text string) string {
	numbers, heading, _ := strings.Cut(text, "@@")
	spans := strings.Fields(numbers)
	if len(spans) == 2 && isSpan(spans[0], "-") && isSpan(spans[1], "+") {
		return strings.TrimSpace(heading)
	}
	return text
}

// isSpan recognises a sign with a line number, or with that and a count: -1,2.
func isSpan(s, sign string) bool {
	from, count, counted := strings.Cut(strings.TrimPrefix(s, sign), ",")
	return strings.HasPrefix(s, sign) && isNumber(from) && (!counted || isNumber(count))
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

func (op *patchOp) change(line string) error {
	if len(op.hunks) == 0 {
		op.hunks = append(op.hunks, hunk{})
	}
	h := &op.hunks[len(op.hunks)-1]
	if line == "" {
		h.lines = append(h.lines, hunkLine{op: ' '}) // an empty kept line whose space was trimmed
		return nil
	}
	switch line[0] {
	case ' ', '-', '+':
		h.lines = append(h.lines, hunkLine{op: line[0], text: line[1:]})
		return nil
	}
	return fmt.Errorf("Unsupported update body line: %s", line)
}
