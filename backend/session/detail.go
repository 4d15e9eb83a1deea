package session

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"patchbay/backend/builtin"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
	"patchbay/backend/tool"
)

// Detail is what is known of a server beside its definition.
type Detail struct {
	Row          mcphost.Row // zero when the runtime does not know the name yet
	Tools        []Listed
	Stages       []mcphost.StageTime // of the last start
	Instructions string
}

// Listed is a tool of a server and who holds its name.
type Listed struct {
	mcphost.ListedTool
	Holder string // "built-in" or a server, "" when nothing stands in its way
}

// Detail tells what is known of a server; the error says that there is none of that name.
func (s *Session) Detail(name string) (Detail, error) {
	if err := s.CheckName(name); err != nil {
		return Detail{}, err
	}
	row := s.row(name)
	return Detail{
		Row: row, Tools: listed(name, s.runtime.Tools(name), row.Conflicts),
		Stages: s.runtime.Stages(name), Instructions: s.runtime.Instructions(name),
	}, nil
}

func (s *Session) row(name string) mcphost.Row {
	snap, _ := s.runtime.Now()
	for _, r := range snap.Rows {
		if r.Name == name {
			return r
		}
	}
	return mcphost.Row{Name: name}
}

// listed tells who holds the name of each tool. Of tools that the server lists under one
// name, the first has it.
func listed(server string, tools []mcphost.ListedTool, conflicts []mcphost.Conflict) []Listed {
	out := make([]Listed, len(tools))
	seen := map[string]bool{}
	for i, t := range tools {
		out[i].ListedTool = t
		if t.Visible == "" {
			continue
		}
		lower := strings.ToLower(t.Visible)
		for _, c := range conflicts {
			if c.Tool == t.Visible && (c.Owner != server || seen[lower]) {
				out[i].Holder = c.Owner
				break
			}
		}
		seen[lower] = true
	}
	return out
}

// Log returns what a server wrote after a sequence number, 0 for all that is kept.
func (s *Session) Log(name string, after uint64) (mcphost.LogPage, error) {
	if err := s.CheckName(name); err != nil {
		return mcphost.LogPage{}, err
	}
	return s.runtime.Log(name, after), nil
}

// Side is one of the two tools that want a name.
type Side struct {
	Owner       string // "built-in" or a server
	Original    string
	Description string
	Schema      json.RawMessage
}

// Clash is a tool name that a server may not have, with both sides.
type Clash struct {
	Name         string
	Mine, Theirs Side
}

// Clashes lists every tool of a server whose name is held by another, in listing order, and
// the names that a new one must differ from. A tool that is listed several times is there
// once: the rules that put it right go by the server's own name for it.
func (s *Session) Clashes(name string) (clashes []Clash, taken []string, err error) {
	d, err := s.Detail(name)
	if err != nil {
		return nil, nil, err
	}
	holders := s.runtime.Taken(name)
	for held := range holders {
		taken = append(taken, held)
	}
	for i, t := range d.Tools {
		switch {
		case t.Visible == "":
		case t.Holder == "":
			taken = append(taken, t.Visible)
		case slices.ContainsFunc(clashes, func(c Clash) bool { return c.Mine.Original == t.Name }):
		default:
			clashes = append(clashes, Clash{Name: t.Visible, Mine: side(name, t.ListedTool), Theirs: s.theirs(d.Tools[:i], name, t)})
		}
	}
	slices.Sort(taken)
	return clashes, slices.Compact(taken), nil
}

func side(owner string, t mcphost.ListedTool) Side {
	return Side{Owner: owner, Original: t.Name, Description: t.Description, Schema: t.InputSchema}
}

// theirs is the tool that holds the name of t; before are those that its own server lists
// before it.
func (s *Session) theirs(before []Listed, server string, t Listed) Side {
	holds := func(other string) bool { return strings.EqualFold(other, t.Visible) }
	switch t.Holder {
	case mcphost.OwnerBuiltin:
		for _, spec := range s.builtinSpecs() {
			if holds(spec.Name) {
				return Side{Owner: t.Holder, Original: spec.Name, Description: spec.Description, Schema: spec.Parameters}
			}
		}
	case server:
		for _, other := range before {
			if holds(other.Visible) {
				return side(server, other.ListedTool)
			}
		}
	default:
		for _, other := range s.runtime.Tools(t.Holder) {
			if holds(other.Visible) {
				return side(t.Holder, other)
			}
		}
	}
	return Side{Owner: t.Holder, Original: t.Visible} // it left meanwhile
}

// builtinSpecs are the built-in tools, whose names no server may have in a plain chat either.
func (s *Session) builtinSpecs() []tool.Spec {
	set := s.builtins
	if set == nil {
		set = builtin.New(builtin.Options{})
	}
	return tool.NewTable(set.Entries()...).Specs()
}

// CallTool calls a tool of a connected server by the server's own name, for a person who
// asked for just that: also when it is held back, and without an approval.
func (s *Session) CallTool(ctx context.Context, server, original string, arguments json.RawMessage) (tool.Result, error) {
	if err := s.CheckName(server); err != nil {
		return tool.Result{}, err
	}
	result, err := s.runtime.Call(ctx, server, original, arguments)
	return result, s.whyNotThere(server, err)
}

// checkNew refuses a definition that could not be saved: not valid, or its name is another's.
func (s *Session) checkNew(def mcpconf.Definition, edits string) (mcpconf.Definition, error) {
	def, err := mcpconf.Checked(def)
	if err != nil {
		return def, err
	}
	if def.Name != edits && s.checkDefined(def.Name) == nil {
		return def, &mcpconf.ExistsError{Name: def.Name}
	}
	return def, nil
}
