package mcpconf

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// The texts of the contract's validation.
const (
	textNoDefinition = "missing MCP server definition"
	textNoTransport  = "missing MCP transport type"
	textNoCommand    = "stdio transport requires command"
	textNoURL        = "%s transport requires url"
	textUnsupported  = "unsupported MCP transport: %s"
	textNoRevision   = `unsupported protocol: %s. Use "auto" or one of %s`
)

// Revisions are those of MCP that a definition can pin, oldest first.
var Revisions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// aliases are the other words in use for a transport, in lower case.
var aliases = map[string]Transport{
	"http":               StreamableHTTP,
	"streamable-http":    StreamableHTTP,
	"http-streamable":    StreamableHTTP,
	"streamablehttp":     StreamableHTTP,
	"mcp":                StreamableHTTP,
	"server-sent-events": SSE,
	"event-stream":       SSE,
	"process":            Stdio,
	"local":              Stdio,
}

// ParseDefinitions parses the text of an mcp.json. It never writes; what is wrong with one
// server is that server's Invalid, what is wrong with the file is the error.
func ParseDefinitions(path string, raw []byte) ([]Definition, *FileError) {
	doc, fe := parseDocument(path, raw)
	if fe != nil {
		return nil, fe
	}
	return doc.definitions()
}

func (d *document) definitions() ([]Definition, *FileError) {
	servers := member(d.root.Value, "mcpServers")
	if servers == nil || isNull(servers.Value) {
		return nil, nil
	}
	o, ok := servers.Value.Value.(*object)
	if !ok {
		return nil, d.errorAt(servers.Value.StartOffset, `"mcpServers" must be an object of server definitions`)
	}
	var defs []Definition
	at := map[string]int{}
	for _, m := range o.Members {
		name := memberName(m)
		if name == "" {
			continue
		}
		def := parseDefinition(name, m.Value)
		def.Line = d.line(m.Name.StartOffset)
		if i, twice := at[name]; twice {
			def.Warnings = append(def.Warnings, fmt.Sprintf("the name is defined twice, in lines %d and %d; the later one counts", defs[i].Line, def.Line))
			defs[i] = def
			continue
		}
		at[name] = len(defs)
		defs = append(defs, def)
	}
	return defs, nil
}

// parseDefinition reads one entry. It takes what it can of an entry that is wrong, so that
// a form shows it.
func parseDefinition(name string, v hujson.Value) Definition {
	r := entryReader{def: Definition{Name: name}, entry: v.Value}
	switch {
	case isNull(v):
		r.def.Invalid = textNoDefinition
		return r.def
	case v.Value.Kind() != '{':
		r.def.Invalid = "the definition must be an object"
		return r.def
	}
	r.connection()
	r.own()
	r.def = r.def.Normalized()
	return r.def
}

// entryReader reads the members of one entry into def.
type entryReader struct {
	def   Definition
	entry hujson.ValueTrimmed
}

func (r *entryReader) value(field string) (hujson.Value, bool) {
	m := member(r.entry, field)
	if m == nil || isNull(m.Value) {
		return hujson.Value{}, false
	}
	return m.Value, true
}

// wrong makes the definition invalid; the first reason stays.
func (r *entryReader) wrong(format string, args ...any) {
	if r.def.Invalid == "" {
		r.def.Invalid = fmt.Sprintf(format, args...)
	}
}

func (r *entryReader) connection() {
	r.def.Type = Transport(r.text("type"))
	r.def.Command = r.text("command")
	r.def.Args = r.list("args")
	r.def.Env = r.texts("env")
	r.def.CWD = r.text("cwd")
	r.def.URL = r.text("url")
	r.def.Headers = r.texts("headers")
}

func (r *entryReader) text(field string) (s string) {
	if v, ok := r.value(field); ok && decode(v, &s) != nil {
		r.wrong("%q must be a string", field)
	}
	return s
}

func (r *entryReader) list(field string) []string {
	v, ok := r.value(field)
	if !ok {
		return nil
	}
	a, ok := v.Value.(*array)
	if !ok {
		r.wrong("%q must be a list of strings", field)
		return nil
	}
	var list []string
	for i, e := range a.Elements {
		if e.Value.Kind() != '"' {
			r.wrong("%q: entry %d must be a string", field, i+1)
			continue
		}
		list = append(list, e.Value.(hujson.Literal).String())
	}
	return list
}

func (r *entryReader) texts(field string) map[string]string {
	v, ok := r.value(field)
	if !ok {
		return nil
	}
	o, ok := v.Value.(*object)
	if !ok {
		r.wrong("%q must be an object of strings", field)
		return nil
	}
	texts := map[string]string{}
	for _, m := range o.Members {
		name := memberName(m)
		switch {
		case name == "" || isNull(m.Value):
		case m.Value.Value.Kind() != '"':
			r.wrong("%q: the value of %q must be a string in quotes", field, name)
		default:
			texts[name] = m.Value.Value.(hujson.Literal).String()
		}
	}
	if len(texts) == 0 {
		return nil
	}
	return texts
}

// own reads the fields of our own. Other programs may use the same names: another shape
// is left alone with a warning.
func (r *entryReader) own() {
	r.def.TimeoutMs = r.milliseconds("timeoutMs")
	r.def.CallTimeoutMs = r.milliseconds("callTimeoutMs")
	if v, ok := r.value("tools"); ok {
		if r.def.Tools, ok = parseToolRules(v); !ok {
			r.leftAlone("tools", `{"exclude": [names], "rename": {"from": "to"}}`)
		}
	}
	if v, ok := r.value("protocol"); ok {
		var p string
		if decode(v, &p) != nil || isTransport(normalTransport(p, "", "")) { // as other programs may mean it
			r.leftAlone("protocol", `"auto" or a revision such as "2025-06-18"`)
		} else {
			r.def.Protocol = p
		}
	}
	if v, ok := r.value("auth"); ok {
		if v.Value.Kind() != '{' {
			r.leftAlone("auth", "an object")
		} else {
			r.def.Auth = standard(v)
		}
	}
}

func (r *entryReader) leftAlone(field, shape string) {
	r.def.Warnings = append(r.def.Warnings, fmt.Sprintf("%q is not %s, so it is left alone", field, shape))
}

func (r *entryReader) milliseconds(field string) int {
	v, ok := r.value(field)
	if !ok {
		return 0
	}
	var n int32
	if decode(v, &n) != nil || n <= 0 {
		r.leftAlone(field, "a whole number of milliseconds above 0")
		return 0
	}
	return int(n)
}

func isTransport(t Transport) bool { return t == Stdio || t == SSE || t == StreamableHTTP }

// parseToolRules reads the "tools" field; false when it has another shape.
func parseToolRules(v hujson.Value) (rules ToolRules, ok bool) {
	o, ok := v.Value.(*object)
	if !ok {
		return rules, false
	}
	exclude, rename := member(o, "exclude"), member(o, "rename")
	if len(o.Members) > 0 && exclude == nil && rename == nil {
		return rules, false
	}
	if exclude != nil && decode(exclude.Value, &rules.Exclude) != nil {
		return ToolRules{}, false
	}
	if rename != nil && decode(rename.Value, &rules.Rename) != nil {
		return ToolRules{}, false
	}
	return rules, true
}

// Normalized applies the rules of the contract to a definition that comes from anywhere (a
// file, a form, an ACP host) and sets Invalid: blanks around scalars and keys go, the
// transport gets its one name, args and env values stay byte for byte. An Invalid that is
// already set stays.
func (d Definition) Normalized() Definition {
	d.Name = strings.TrimSpace(d.Name)
	d.Command = strings.TrimSpace(d.Command)
	d.URL = strings.TrimSpace(d.URL)
	d.CWD = strings.TrimSpace(d.CWD)
	d.Protocol = strings.TrimSpace(d.Protocol)
	d.Type = normalTransport(string(d.Type), d.Command, d.URL)
	d.Env = trimmedKeys(d.Env, func(v string) string { return v })
	d.Headers = trimmedKeys(d.Headers, strings.TrimSpace) // blanks around a field value mean nothing: RFC 9110, 5.5
	if len(d.Args) == 0 {
		d.Args = nil
	}
	if d.Invalid == "" {
		d.Invalid = d.validate()
	}
	return d
}

func normalTransport(word, command, url string) Transport {
	word = strings.ToLower(strings.TrimSpace(word))
	switch {
	case word == "" && command != "":
		return Stdio
	case word == "" && url != "":
		return StreamableHTTP
	}
	if t, ok := aliases[word]; ok {
		return t
	}
	return Transport(word)
}

func trimmedKeys(m map[string]string, value func(string) string) map[string]string {
	var trimmed map[string]string
	for k, v := range m {
		if k = strings.TrimSpace(k); k == "" {
			continue
		}
		if trimmed == nil {
			trimmed = make(map[string]string, len(m))
		}
		trimmed[k] = value(v)
	}
	return trimmed
}

// validate gives the contract's text, "" for a definition that can be started. The order
// counts: the first hit wins.
func (d Definition) validate() string {
	switch d.Type {
	case "":
		return textNoTransport
	case Stdio:
		if d.Command == "" {
			return textNoCommand
		}
	case SSE, StreamableHTTP:
		if d.URL == "" {
			return fmt.Sprintf(textNoURL, d.Type)
		}
	default:
		return fmt.Sprintf(textUnsupported, d.Type)
	}
	if d.Protocol != "" && d.Protocol != "auto" && !slices.Contains(Revisions, d.Protocol) {
		return fmt.Sprintf(textNoRevision, d.Protocol, strings.Join(Revisions, ", "))
	}
	return ""
}

// ParseEnablement parses the text of a workspace.json. It never writes.
func ParseEnablement(path string, raw []byte) ([]EnabledName, *FileError) {
	doc, fe := parseDocument(path, raw)
	if fe != nil {
		return nil, fe
	}
	return doc.enabledNames()
}

func (d *document) enabledNames() ([]EnabledName, *FileError) {
	m := member(d.root.Value, "enabledMcpServers")
	if m == nil || isNull(m.Value) {
		return nil, nil
	}
	a, ok := m.Value.Value.(*array)
	if !ok {
		return nil, d.errorAt(m.Value.StartOffset, `"enabledMcpServers" must be a list of server names`)
	}
	var names []EnabledName
	seen := map[string]bool{}
	for _, e := range a.Elements {
		if e.Value.Kind() != '"' {
			return nil, d.errorAt(e.StartOffset, `"enabledMcpServers" must hold server names in quotes`)
		}
		name := strings.TrimSpace(e.Value.(hujson.Literal).String())
		if name == "" || seen[name] {
			continue
		}
		seen[name] = true
		names = append(names, EnabledName{Name: name, Line: d.line(e.StartOffset)})
	}
	return names, nil
}

// ownFields are the fields of a definition that only Patchbay writes: another program that
// rewrites the file may drop them.
var ownFields = []string{"timeoutMs", "callTimeoutMs", "tools", "protocol", "auth"}

// own gives the own fields of each server as written, by server and field.
func (d *document) own() map[string]map[string]json.RawMessage {
	all := map[string]map[string]json.RawMessage{}
	servers := member(d.root.Value, "mcpServers")
	if servers == nil {
		return all
	}
	o, ok := servers.Value.Value.(*object)
	if !ok {
		return all
	}
	for _, m := range o.Members {
		fields := map[string]json.RawMessage{}
		for _, f := range ownFields {
			if v := member(m.Value.Value, f); v != nil && !isNull(v.Value) {
				fields[f] = standard(v.Value)
			}
		}
		all[memberName(m)] = fields
	}
	return all
}
