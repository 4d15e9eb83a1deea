package mcpconf

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// ExistsError refuses a second definition of one name.
type ExistsError struct{ Name string }

// Error is the text of the contract.
func (e *ExistsError) Error() string { return "MCP server already exists: " + e.Name }

// UnknownError refuses to change a definition that does not exist.
type UnknownError struct {
	Name    string
	Similar string // a name that differs only in case, "" without one
}

// Error is the text of the contract, and the name that was probably meant.
func (e *UnknownError) Error() string {
	text := "Unknown MCP server: " + e.Name
	if e.Similar != "" {
		text += ". Did you mean " + e.Similar + "?"
	}
	return text
}

// NotEnabledError refuses to disable a server that the workspace does not enable.
type NotEnabledError struct{ Name string }

// Error is the text of the contract.
func (e *NotEnabledError) Error() string {
	return "MCP server is not enabled in this workspace: " + e.Name
}

// unknown makes the UnknownError of a name.
func unknown(defs []Definition, name string) error {
	e := &UnknownError{Name: name}
	for _, d := range defs {
		if strings.EqualFold(d.Name, name) {
			e.Similar = d.Name
		}
	}
	return e
}

func indexOf(defs []Definition, name string) int {
	return slices.IndexFunc(defs, func(d Definition) bool { return d.Name == name })
}

// checked normalises a definition that is about to be saved and refuses one that could
// never be started.
func checked(def Definition) (Definition, error) {
	def.Invalid = ""
	if def = def.Normalized(); def.Name == "" {
		return def, errors.New("a server needs a name")
	}
	if def.Invalid != "" {
		return def, fmt.Errorf("%s: %s", def.Name, def.Invalid)
	}
	return def, nil
}

// Checked is def normalised, or what Add and Replace would refuse it with by itself.
func Checked(def Definition) (Definition, error) { return checked(def) }

// fields lists the fields of a definition in the order they are written, nil for one that
// is not.
func (d Definition) fields() members {
	some := func(set bool, v any) any {
		if !set {
			return nil
		}
		return v
	}
	return members{
		{"type", some(d.Type != "", string(d.Type))},
		{"command", some(d.Command != "", d.Command)},
		{"args", some(len(d.Args) > 0, d.Args)},
		{"env", some(len(d.Env) > 0, d.Env)},
		{"cwd", some(d.CWD != "", d.CWD)},
		{"url", some(d.URL != "", d.URL)},
		{"headers", some(len(d.Headers) > 0, d.Headers)},
		{"timeoutMs", some(d.TimeoutMs > 0, d.TimeoutMs)},
		{"callTimeoutMs", some(d.CallTimeoutMs > 0, d.CallTimeoutMs)},
		{"tools", some(!d.Tools.empty(), d.Tools.fields())},
		{"protocol", some(d.Protocol != "", d.Protocol)},
		{"auth", some(len(d.Auth) > 0, d.Auth)},
	}
}

func (r ToolRules) empty() bool { return len(r.Exclude) == 0 && len(r.Rename) == 0 }

func (r ToolRules) fields() members {
	var m members
	if len(r.Exclude) > 0 {
		m = append(m, members{{"exclude", r.Exclude}}...)
	}
	if len(r.Rename) > 0 {
		m = append(m, members{{"rename", r.Rename}}...)
	}
	return m
}

// entry is the whole definition as a new member.
func (d Definition) entry() members {
	var m members
	for _, f := range d.fields() {
		if f.value != nil {
			m = append(m, f)
		}
	}
	return m
}

// put changes the entry from old to def, field by field. A field whose meaning stays keeps
// its text, unless all is true.
func (e *edit) put(old, def Definition, all bool) error {
	was := old.fields()
	for i, f := range def.fields() {
		if f.name == "tools" {
			continue
		}
		path := []string{"mcpServers", def.Name, f.name}
		if !all && reflect.DeepEqual(was[i].value, f.value) {
			continue
		}
		if all && slices.Contains(ownFields, f.name) {
			continue
		}
		if err := e.putField(f.value, was[i].value, path); err != nil {
			return err
		}
	}
	if all || sameRules(old.Tools, def.Tools) {
		return nil
	}
	return e.putTools(def.Name, old.Tools, def.Tools)
}

func sameRules(a, b ToolRules) bool {
	return maps.Equal(a.Rename, b.Rename) &&
		slices.Equal(slices.Sorted(slices.Values(a.Exclude)), slices.Sorted(slices.Values(b.Exclude)))
}

func (e *edit) putField(value, was any, path []string) error {
	switch v := value.(type) {
	case nil:
		return e.remove(path...)
	case map[string]string:
		before, _ := was.(map[string]string)
		return e.putMap(v, before, path)
	}
	return e.set(value, path...)
}

// putMap changes an object of strings key by key, so that its comments and order stay. New
// keys come in before old ones go: they are laid out like the old ones.
func (e *edit) putMap(value, was map[string]string, path []string) error {
	m := e.find(path...)
	if m == nil || m.Value.Value.Kind() != '{' || len(was) == 0 {
		return e.set(value, path...)
	}
	for _, k := range slices.Sorted(maps.Keys(value)) {
		if old, had := was[k]; had && old == value[k] {
			continue
		}
		if err := e.set(value[k], append(slices.Clone(path), k)...); err != nil {
			return err
		}
	}
	for _, k := range slices.Sorted(maps.Keys(was)) {
		if _, stays := value[k]; !stays {
			if err := e.remove(append(slices.Clone(path), k)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// putTools changes the "tools" field from old to rules. A field of another shape belongs
// to another program.
func (e *edit) putTools(name string, old, rules ToolRules) error {
	path := []string{"mcpServers", name, "tools"}
	m := e.find(path...)
	if m != nil && !isNull(m.Value) {
		if _, ours := parseToolRules(m.Value); !ours {
			return refuse(e.doc.errorAt(m.Value.StartOffset, fmt.Sprintf(`the "tools" of %s belong to another program; rename or remove that field to set rules here`, name)))
		}
	}
	if m == nil || isNull(m.Value) {
		if rules.empty() {
			return nil
		}
		return e.set(rules.fields(), path...)
	}
	if err := e.putExclude(old.Exclude, rules.Exclude, append(slices.Clone(path), "exclude")); err != nil {
		return err
	}
	rename := append(slices.Clone(path), "rename")
	if len(rules.Rename) == 0 {
		if err := e.remove(rename...); err != nil {
			return err
		}
	} else if err := e.putMap(rules.Rename, old.Rename, rename); err != nil {
		return err
	}
	if m = e.find(path...); m != nil && len(m.Value.Value.(*object).Members) == 0 {
		return e.remove(path...)
	}
	return nil
}

// putExclude adds and removes single names: the order of the list means nothing.
func (e *edit) putExclude(old, names []string, path []string) error {
	if len(names) == 0 {
		return e.remove(path...)
	}
	for _, n := range names {
		if slices.Contains(old, n) {
			continue
		}
		old = append(slices.Clone(old), n)
		if err := e.appendTo(n, path...); err != nil {
			return err
		}
	}
	return e.removeFrom(func(n string) bool { return !slices.Contains(names, n) }, path...)
}

// sameMeaning compares two definitions without their place in the file.
func sameMeaning(a, b Definition) bool {
	return reflect.DeepEqual(a.meaning(), b.meaning())
}

func (d Definition) meaning() Definition {
	d.Line, d.Warnings = 0, nil
	d.Tools.Exclude = slices.Sorted(slices.Values(d.Tools.Exclude))
	if len(d.Tools.Rename) == 0 {
		d.Tools.Rename = nil
	}
	if len(d.Env) == 0 {
		d.Env = nil
	}
	if len(d.Headers) == 0 {
		d.Headers = nil
	}
	if len(d.Args) == 0 {
		d.Args = nil
	}
	d.Auth = compact(d.Auth)
	return d
}

func compact(raw json.RawMessage) json.RawMessage {
	var v any
	if json.Unmarshal(raw, &v) != nil {
		return nil
	}
	out, _ := json.Marshal(v)
	return out
}
