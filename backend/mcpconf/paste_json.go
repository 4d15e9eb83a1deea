package mcpconf

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

// json reads another client's configuration, a map of servers, one definition, or a piece
// of one of them.
func (p *paster) json(text string) error {
	doc, err := p.document(text)
	if err != nil {
		return err
	}
	return p.root(doc.root)
}

// document parses JSON that may lack its outer braces or have brackets too many.
func (p *paster) document(text string) (*document, error) {
	doc, first := wrapped(text)
	if first == nil {
		return doc, nil
	}
	mended, missing := balanced(text)
	if mended == "" {
		return nil, first
	}
	doc, err := wrapped(mended)
	if err != nil {
		return nil, first
	}
	if missing {
		p.warn("the text ends too early: the brackets that are missing were added")
	}
	return doc, nil
}

func wrapped(text string) (*document, error) {
	prefix, suffix := "", ""
	switch bare := text[bodyStart(text):]; {
	case strings.HasPrefix(bare, `"`):
		prefix, suffix = "{", "\n}"
	case strings.HasPrefix(bare, "["):
		prefix, suffix = `{"mcpServers":`, "\n}"
	}
	doc, fe := parseDocument("", []byte(prefix+text+suffix))
	if fe == nil {
		return doc, nil
	}
	if fe.Line == 1 {
		fe.Column = max(1, fe.Column-len(prefix))
	}
	return nil, fmt.Errorf("the JSON is wrong in line %d, column %d: %s", fe.Line, fe.Column, strings.Replace(fe.Message, "the file", "the text", 1))
}

// bodyStart is where JSON begins after blanks and comments.
func bodyStart(text string) int {
	for at := 0; at < len(text); {
		rest := text[at:]
		end := -1
		switch {
		case strings.HasPrefix(rest, "//"):
			end = strings.IndexByte(rest, '\n')
		case strings.HasPrefix(rest, "/*"):
			if end = strings.Index(rest, "*/"); end >= 0 {
				end++
			}
		case strings.IndexByte(" \t\n", rest[0]) >= 0:
			end = 0
		default:
			return at
		}
		if end < 0 {
			break
		}
		at += end + 1
	}
	return 0
}

// balanced closes what is open at the end and drops closing brackets that nothing opened.
// "" when a bracket closes another one's pair or the text ends inside a string.
func balanced(text string) (mended string, missing bool) {
	var b, open strings.Builder
	stack, inString := "", false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\' && i+1 < len(text):
			b.WriteByte(c)
			i++
			c = text[i]
		case c == '"':
			inString = !inString
		case inString:
		case c == '{':
			stack += "}"
		case c == '[':
			stack += "]"
		case (c == '}' || c == ']') && stack == "":
			continue
		case c == '}' || c == ']':
			if stack[len(stack)-1] != c {
				return "", false
			}
			stack = stack[:len(stack)-1]
		}
		b.WriteByte(c)
	}
	if inString {
		return "", false
	}
	for i := len(stack) - 1; i >= 0; i-- {
		open.WriteString("\n" + stack[i:i+1])
	}
	return b.String() + open.String(), stack != ""
}

// root finds the servers of a whole text.
func (p *paster) root(v hujson.Value) error {
	before := len(p.defs) + len(p.warnings)
	switch found := p.containers(v, 0); {
	case found && len(p.defs)+len(p.warnings) == before:
		return errors.New("the list of servers is empty")
	case found:
		return nil
	case isDefinition(v):
		p.entry("", v)
		return nil
	case holdsServers(v):
		p.servers(v, true)
		return nil
	}
	return ErrNotPasted
}

// maxNesting is how deep clients keep their servers, and a little more.
const maxNesting = 6

// containers reads every list of servers below v, and reports whether there is one.
func (p *paster) containers(v hujson.Value, depth int) (found bool) {
	o, ok := v.Value.(*object)
	if !ok || depth > maxNesting {
		return false
	}
	for _, m := range o.Members {
		switch key := plainKey(memberName(m)); {
		case key == "mcpservers" || key == "contextservers":
			p.servers(m.Value, false)
			found = true
		case (key == "servers" || key == "mcp") && holdsServers(m.Value):
			p.servers(m.Value, true)
			found = true
		case !isDefinition(m.Value):
			found = p.containers(m.Value, depth+1) || found
		}
	}
	return found
}

// plainKey is a name without the spelling that differs between clients: "amp.mcpServers",
// "mcp_servers" and "mcpServers" are one.
func plainKey(name string) string {
	name = name[strings.LastIndexByte(name, '.')+1:]
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// servers reads a map of servers, or a list whose entries hold their names. Where the map
// may hold other things too, those are left out.
func (p *paster) servers(v hujson.Value, mixed bool) {
	switch c := v.Value.(type) {
	case *object:
		for _, m := range c.Members {
			if p.full() {
				return
			}
			if mixed && !isDefinition(m.Value) {
				p.warn("left out %q: it is no definition of a server", memberName(m))
				continue
			}
			p.entry(memberName(m), m.Value)
		}
	case *array:
		for _, e := range c.Elements {
			if p.full() {
				return
			}
			p.entry("", e)
		}
	default:
		p.warn("the list of servers is not an object")
	}
}

// isDefinition reports whether v says how to reach a server.
func isDefinition(v hujson.Value) bool {
	o, ok := v.Value.(*object)
	if !ok {
		return false
	}
	return slices.ContainsFunc(o.Members, func(m hujson.ObjectMember) bool {
		kind := m.Value.Value.Kind()
		switch pastedFields[plainKey(memberName(m))] {
		case "command":
			nested, _ := m.Value.Value.(*object)
			return kind == '"' || kind == '[' || nested != nil && member(nested, "path") != nil
		case "url", "httpurl":
			return kind == '"'
		}
		return false
	})
}

// holdsServers reports whether v is a map or a list with at least one definition.
func holdsServers(v hujson.Value) bool {
	switch c := v.Value.(type) {
	case *object:
		return slices.ContainsFunc(c.Members, func(m hujson.ObjectMember) bool { return isDefinition(m.Value) })
	case *array:
		return slices.ContainsFunc(c.Elements, func(e hujson.Value) bool { return isDefinition(e) })
	}
	return false
}

// toml reads Codex's configuration.
func (p *paster) toml(text string) error {
	var tree map[string]any
	if err := toml.Unmarshal([]byte(text), &tree); err != nil {
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, column := at.Position()
			return fmt.Errorf("the TOML is wrong in line %d, column %d: %s", line, column, strings.TrimPrefix(at.Error(), "toml: "))
		}
		return fmt.Errorf("the TOML is wrong: %s", strings.TrimPrefix(err.Error(), "toml: "))
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		return fmt.Errorf("the TOML is wrong: %w", err)
	}
	before := len(p.defs)
	if err := p.json(string(raw)); err != nil {
		return err
	}
	place := func(d Definition) int { return strings.Index(text, d.Name) } // a table keeps no order
	slices.SortStableFunc(p.defs[before:], func(a, b Definition) int { return place(a) - place(b) })
	return nil
}
