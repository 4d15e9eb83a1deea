package mcpconf

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// members is an object in a fixed order.
type members []struct {
	name  string
	value any // string, int, []string, tallList, map[string]string, members, json.RawMessage
}

// tallList is a list that gets one element per line, since people and git merge it.
type tallList []string

// layout says whether a value is written in one line.
type layout int

const (
	spread layout = iota // objects over several lines, lists as the file has them
	inline               // everything in one line
)

// style is how a file is written, so that what is added looks like the rest.
type style struct {
	nl           string // line end
	unit         string // one level of indentation
	colon        string // with the blank after it
	oneLine      bool   // the whole file is one line
	spreadLists  bool   // lists have one element per line
	inlineNested bool   // objects in an entry are in one line
}

func (e *edit) style() style {
	s := style{nl: "\n", unit: "  ", colon: ": "}
	body := bytes.TrimSpace(e.doc.body)
	if bytes.Contains(body, []byte("\r\n")) || bytes.HasSuffix(e.doc.body, []byte("\r\n")) {
		s.nl = "\r\n"
	}
	root := e.doc.root.Value.(*object)
	s.oneLine = !bytes.Contains(body, []byte("\n")) && len(root.Members) > 0
	if len(root.Members) > 0 {
		m := root.Members[0]
		before := string(m.Name.BeforeExtra)
		if i := strings.LastIndexByte(before, '\n'); i >= 0 && strings.TrimLeft(before[i+1:], " \t") == "" && before[i+1:] != "" {
			s.unit = before[i+1:]
		}
		if len(m.Value.BeforeExtra) == 0 {
			s.colon = ":"
		}
	}
	seenList, seenNested := false, false
	walk(e.doc.root, 0, func(v hujson.Value, depth int) {
		list, _ := items(v)
		if len(list) == 0 {
			return
		}
		broken := bytes.Contains(e.doc.body[v.StartOffset:v.EndOffset], []byte("\n"))
		switch {
		case v.Value.Kind() == '[' && depth > 2 && !seenList:
			seenList, s.spreadLists = true, broken
		case v.Value.Kind() == '{' && depth > 2 && !seenNested:
			seenNested, s.inlineNested = true, !broken
		}
	})
	return s
}

// walk visits v and everything in it.
func walk(v hujson.Value, depth int, visit func(hujson.Value, int)) {
	visit(v, depth)
	switch c := v.Value.(type) {
	case *object:
		for _, m := range c.Members {
			walk(m.Value, depth+1, visit)
		}
	case *array:
		for _, el := range c.Elements {
			walk(el, depth+1, visit)
		}
	}
}

// layoutIn is the layout for a new item of a composite: that of the last item that has one.
func (e *edit) layoutIn(v hujson.Value) layout {
	if e.style().oneLine {
		return inline
	}
	if o, ok := v.Value.(*object); ok {
		for _, m := range slices.Backward(o.Members) {
			if list, _ := items(m.Value); len(list) > 0 && m.Value.Value.Kind() == '{' {
				return e.layoutAt(m.Value)
			}
		}
	}
	return spread
}

// layoutOf is the layout of the value that a member has, for the value that replaces it.
func (e *edit) layoutOf(m hujson.ObjectMember) layout {
	if e.style().oneLine {
		return inline
	}
	if list, _ := items(m.Value); len(list) > 0 {
		return e.layoutAt(m.Value)
	}
	return spread
}

func (e *edit) layoutAt(v hujson.Value) layout {
	if bytes.Contains(e.doc.body[v.StartOffset:v.EndOffset], []byte("\n")) {
		return spread
	}
	return inline
}

// renderItem is a member (members of one) or an element.
func (s style) renderItem(value any, indent string, l layout) string {
	if m, ok := value.(members); ok {
		return quote(m[0].name) + s.colon + s.render(m[0].value, indent, l)
	}
	return s.render(value, indent, l)
}

// render writes a value that begins on a line with the given indentation.
func (s style) render(value any, indent string, l layout) string {
	switch v := value.(type) {
	case string:
		return quote(v)
	case int:
		return strconv.Itoa(v)
	case json.RawMessage:
		return string(v)
	case []string:
		if !s.spreadLists {
			l = inline
		}
		return s.render(tallList(v), indent, l)
	case tallList:
		texts := make([]string, len(v))
		for i, t := range v {
			texts[i] = quote(t)
		}
		return s.bracket("[", "]", texts, indent, l)
	case map[string]string:
		var m members
		for _, k := range slices.Sorted(maps.Keys(v)) {
			m = append(m, members{{k, v[k]}}...)
		}
		return s.render(m, indent, l)
	case members:
		texts := make([]string, len(v))
		for i, m := range v {
			next := l
			if _, nested := m.value.(map[string]string); nested && s.inlineNested {
				next = inline
			}
			texts[i] = quote(m.name) + s.colon + s.render(m.value, indent+s.unit, next)
		}
		return s.bracket("{", "}", texts, indent, l)
	}
	return "null"
}

func (s style) bracket(open, closing string, texts []string, indent string, l layout) string {
	switch {
	case len(texts) == 0:
		return open + closing
	case l == inline && s.colon == ":":
		return open + strings.Join(texts, ",") + closing
	case l == inline:
		return open + strings.Join(texts, ", ") + closing
	}
	sep := s.nl + indent + s.unit
	return open + sep + strings.Join(texts, ","+sep) + s.nl + indent + closing
}

// quote is the JSON text of a string, without the escapes that only HTML needs.
func quote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always encodes; invalid UTF-8 becomes U+FFFD
	return strings.TrimSuffix(b.String(), "\n")
}
