package mcpconf

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// edit changes a document by splicing its text, so that every byte that is not the change
// itself (comments, order, indentation, line ends, unknown fields) stays as it is.
type edit struct{ doc *document }

// splice replaces body[from:to] by text.
type splice struct {
	from, to int
	text     string
}

// apply makes splices that do not overlap, and parses the result again.
func (e *edit) apply(splices ...splice) error {
	slices.SortStableFunc(splices, func(a, b splice) int { return cmp.Compare(b.from, a.from) })
	body := bytes.Clone(e.doc.body)
	for _, s := range splices {
		body = slices.Replace(body, s.from, s.to, []byte(s.text)...)
	}
	doc, fe := parseDocument(e.doc.path, append([]byte(e.doc.bom), body...))
	if fe != nil {
		return fe
	}
	e.doc = doc
	return nil
}

// text is the whole file.
func (e *edit) text() []byte { return append([]byte(e.doc.bom), e.doc.body...) }

// find walks down the members named by path; nil when one is missing.
func (e *edit) find(path ...string) *hujson.ObjectMember {
	var m *hujson.ObjectMember
	v := e.doc.root.Value
	for _, name := range path {
		if m = member(v, name); m == nil {
			return nil
		}
		v = m.Value.Value
	}
	return m
}

// set gives the member at path a value and makes the objects that lead there.
func (e *edit) set(value any, path ...string) error {
	parent := e.doc.root
	for i, name := range path {
		m := member(parent.Value, name)
		switch {
		case m == nil:
			return e.insert(parent, nested(path[i:], value))
		case i == len(path)-1:
			return e.replace(*m, value)
		case m.Value.Value.Kind() != '{':
			return e.replace(*m, nested(path[i+1:], value))
		}
		parent = m.Value
	}
	return nil
}

// nested is value below the names of path.
func nested(path []string, value any) members {
	for i := len(path) - 1; i > 0; i-- {
		value = members{{path[i], value}}
	}
	return members{{path[0], value}}
}

func (e *edit) replace(m hujson.ObjectMember, value any) error {
	layout := e.layoutOf(m)
	text := e.style().render(value, e.indentAt(m.Name.StartOffset), layout)
	return e.apply(splice{m.Value.StartOffset, m.Value.EndOffset, text})
}

// remove takes out every member of that path, also those that the last one shadows.
func (e *edit) remove(path ...string) error {
	for {
		parent := e.doc.root
		if len(path) > 1 {
			m := e.find(path[:len(path)-1]...)
			if m == nil {
				return nil
			}
			parent = m.Value
		}
		i := lastIndex(parent, path[len(path)-1])
		if i < 0 {
			return nil
		}
		if err := e.cut(parent, i); err != nil {
			return err
		}
	}
}

func lastIndex(v hujson.Value, name string) int {
	o, ok := v.Value.(*object)
	if !ok {
		return -1
	}
	for i := len(o.Members) - 1; i >= 0; i-- {
		if memberName(o.Members[i]) == name {
			return i
		}
	}
	return -1
}

// rename changes the name of a member in place. Members that it shadowed go, else one of
// them would come into force under the old name.
func (e *edit) rename(to string, path ...string) error {
	parent, name := path[:len(path)-1], path[len(path)-1]
	for {
		m := e.find(parent...)
		if m == nil {
			return nil
		}
		last := lastIndex(m.Value, name)
		if last < 0 {
			return nil
		}
		o := m.Value.Value.(*object)
		first := slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return memberName(m) == name })
		if first < last {
			if err := e.cut(m.Value, first); err != nil {
				return err
			}
			continue
		}
		n := o.Members[last].Name
		return e.apply(splice{n.StartOffset, n.EndOffset, quote(to)})
	}
}

// appendTo adds an element to the list at path, which is made when it is missing.
func (e *edit) appendTo(value string, path ...string) error {
	m := e.find(path...)
	if m == nil {
		return e.set(tallList{value}, path...)
	}
	if m.Value.Value.Kind() != '[' {
		return e.replace(*m, tallList{value})
	}
	return e.insert(m.Value, value)
}

// removeFrom takes the elements out of the list at path for which drop says so.
func (e *edit) removeFrom(drop func(string) bool, path ...string) error {
	for {
		m := e.find(path...)
		if m == nil {
			return nil
		}
		a, ok := m.Value.Value.(*array)
		if !ok {
			return nil
		}
		i := slices.IndexFunc(a.Elements, func(v hujson.Value) bool {
			return v.Value.Kind() == '"' && drop(v.Value.(hujson.Literal).String())
		})
		if i < 0 {
			return nil
		}
		if err := e.cut(m.Value, i); err != nil {
			return err
		}
	}
}

// item is a member or an element: its text starts at start, after blanks and comments
// that begin at from, and ends at end; comma is where its comma stands, -1 without one.
type item struct{ from, start, end, comma int }

// items lists the items of an object or array, and where the blanks before the closing
// bracket begin.
func items(v hujson.Value) (list []item, tail int) {
	add := func(first, last hujson.Value, isLast bool) {
		it := item{from: first.StartOffset - len(first.BeforeExtra), start: first.StartOffset, end: last.EndOffset, comma: -1}
		if !isLast || last.AfterExtra != nil { // hujson: only a trailing comma leaves the last AfterExtra non-nil
			it.comma = it.end + len(last.AfterExtra)
		}
		list = append(list, it)
	}
	switch c := v.Value.(type) {
	case *object:
		for i, m := range c.Members {
			add(m.Name, m.Value, i == len(c.Members)-1)
		}
		return list, v.EndOffset - 1 - len(c.AfterExtra)
	case *array:
		for i, m := range c.Elements {
			add(m, m, i == len(c.Elements)-1)
		}
		return list, v.EndOffset - 1 - len(c.AfterExtra)
	}
	return nil, v.EndOffset
}

// cut takes item i out of a composite. Comments around it stay: one on the line of the
// item before belongs to that item, and a person can delete the others by hand.
func (e *edit) cut(v hujson.Value, i int) error {
	list, _ := items(v)
	it, body := list[i], e.doc.body
	comments := string(body[it.from:it.start])
	if it.comma >= 0 {
		comments += string(body[it.end:it.comma])
		if i+1 < len(list) && commentsEnd(comments+string(body[list[i+1].from:list[i+1].start])) == 0 {
			return e.apply(splice{it.start, list[i+1].start, ""}) // the next one takes its place
		}
		return e.apply(splice{it.from, it.comma + 1, keepComments(comments, body[it.comma+1:])})
	}
	splices := []splice{{it.from, it.end, keepComments(comments, body[it.end:])}}
	if i > 0 {
		splices = append(splices, splice{list[i-1].comma, list[i-1].comma + 1, ""})
	}
	return e.apply(splices...)
}

// keepComments is extra up to its last comment, "" without one. The line end of a line
// comment is left to next when next begins with one.
func keepComments(extra string, next []byte) string {
	kept := extra[:commentsEnd(extra)]
	if bytes.HasPrefix(next, []byte("\n")) || bytes.HasPrefix(next, []byte("\r\n")) {
		kept = strings.TrimSuffix(kept, "\n")
		kept = strings.TrimSuffix(kept, "\r")
	}
	return kept
}

// commentsEnd is the offset after the last comment in extra, its line end included; 0
// without one.
func commentsEnd(extra string) (end int) {
	for i := 0; i < len(extra); {
		rest := extra[i:]
		switch {
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n') + 1
			if n == 0 {
				n = len(rest)
			}
			i += n
			end = i
		case strings.HasPrefix(rest, "/*"):
			i += 2 + strings.Index(rest[2:], "*/") + 2
			end = i
		default:
			i++
		}
	}
	return end
}

// insert adds value, one member or one element, at the end of a composite, laid out like
// the items before it.
func (e *edit) insert(v hujson.Value, value any) error {
	list, tail := items(v)
	closing := v.EndOffset - 1
	// What stands between the last item and the bracket: comments stay before the new item.
	comments := string(e.doc.body[tail:closing])
	blank := commentsEnd(comments)
	lineComment := strings.HasSuffix(comments[:blank], "\n")
	comments = strings.TrimSuffix(strings.TrimSuffix(comments[:blank], "\n"), "\r")
	at := tail + len(comments)

	s := e.style()
	base := e.indentAt(v.StartOffset)
	if len(list) == 0 {
		if s.oneLine {
			return e.apply(splice{at, closing, s.renderItem(value, base, inline)})
		}
		indent := base + s.unit
		text := s.nl + indent + s.renderItem(value, indent, e.layoutIn(v)) + s.nl + base
		return e.apply(splice{at, closing, text})
	}
	last := list[len(list)-1]
	sep, indent := e.separator(list, s)
	if lineComment && !strings.Contains(sep, "\n") {
		indent = base + s.unit
		sep = s.nl + indent
	}
	l := inline
	if strings.Contains(sep, "\n") {
		l = e.layoutIn(v)
	}
	text := sep + s.renderItem(value, indent, l)
	switch {
	case last.comma >= 0:
		return e.apply(splice{at, at, text + ","})
	case at == last.end:
		return e.apply(splice{at, at, "," + text})
	}
	return e.apply(splice{at, at, text}, splice{last.end, last.end, ","})
}

// separator is what stands before an item that follows the last of list, and the
// indentation of its line.
func (e *edit) separator(list []item, s style) (sep, indent string) {
	last := list[len(list)-1]
	before := string(e.doc.body[last.from:last.start])
	if i := strings.LastIndexByte(before, '\n'); i >= 0 {
		indent = before[i+1:]
		if j := commentsEnd(indent); j > 0 {
			indent = "" // a block comment before the item on its line
		}
		return s.nl + indent, indent
	}
	indent = e.indentAt(last.start)
	switch {
	case len(list) > 1 && commentsEnd(before) == 0:
		return before, indent
	case s.colon == ":":
		return "", indent
	}
	return " ", indent
}

// indentAt is the indentation of the line that holds the offset.
func (e *edit) indentAt(at int) string {
	line := e.doc.body[bytes.LastIndexByte(e.doc.body[:at], '\n')+1 : at]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
