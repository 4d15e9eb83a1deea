package mcpconf

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/tailscale/hujson"
)

// pastedFields are the fields that clients use, by plainKey, with what they mean. "" is of
// no use here and left out without a word.
var pastedFields = map[string]string{
	"type": "type", "transport": "type", "transporttype": "type",
	"command": "command", "cmd": "command", "args": "args", "arguments": "args",
	"env": "env", "environment": "env", "envs": "env",
	"cwd": "cwd", "workingdirectory": "cwd", "workdir": "cwd",
	"url": "url", "serverurl": "url", "uri": "url", "endpoint": "url", "httpurl": "httpurl",
	"headers": "headers", "httpheaders": "headers", "requestinit": "requestinit",
	"envhttpheaders": "envheaders", "bearertokenenvvar": "bearer",
	"disabled": "disabled", "enabled": "enabled", "isactive": "enabled", "active": "enabled",
	"timeoutms": "own", "calltimeoutms": "own", "tools": "own", "protocol": "own", "auth": "own",
	"startuptimeoutsec": "connectseconds", "tooltimeoutsec": "callseconds",
	"name": "name", "source": "", "gallery": "", "$schema": "",
}

// pasteEntry reads one definition of another client.
type pasteEntry struct {
	p       *paster
	def     Definition
	entry   hujson.Value
	leftOut []string
	notes   []string
}

// entry reads the definition of name, "" where it is not known yet.
func (p *paster) entry(name string, v hujson.Value) {
	switch {
	case v.Value.Kind() == '"':
		p.textEntry(name, v.Value.(hujson.Literal).String())
		return
	case v.Value.Kind() != '{':
		p.warn("left out %q: it is no definition of a server", name)
		return
	}
	e := &pasteEntry{p: p, def: Definition{Name: name}, entry: v}
	e.object("", v)
	if len(e.def.Args) == 0 {
		e.def.Command, e.def.Args = spacedCommand(e.def.Command)
	}
	p.add(e.def)
	name = p.defs[len(p.defs)-1].Name
	if len(e.leftOut) > 0 {
		p.warn("%s: left out %s", name, strings.Join(e.leftOut, ", "))
	}
	for _, n := range e.notes {
		p.warn("%s: %s", name, n)
	}
}

// textEntry reads a server that is given as a command line or a URL.
func (p *paster) textEntry(name, text string) {
	inner := newPaster()
	if inner.commands(text) != nil || len(inner.defs) != 1 {
		p.warn("left out %q: it is no definition of a server", name)
		return
	}
	def := inner.defs[0]
	if name != "" {
		def.Name = name
	}
	p.warnings = append(p.warnings, inner.warnings...)
	p.add(def)
}

func (e *pasteEntry) object(prefix string, v hujson.Value) {
	for _, m := range v.Value.(*object).Members {
		if name := memberName(m); !isNull(m.Value) && !e.field(prefix, name, m.Value) {
			e.leftOut = append(e.leftOut, quote(prefix+name))
		}
	}
}

// field reads one member; false when it is unknown or of a shape that says nothing.
func (e *pasteEntry) field(prefix, name string, v hujson.Value) bool {
	meaning, known := pastedFields[plainKey(name)]
	if prefix == "command." && name == "path" {
		meaning, known = "command", true
	}
	switch meaning {
	case "type", "cwd", "url", "httpurl", "bearer", "name":
		s, ok := e.text(v)
		return ok && e.scalar(meaning, s)
	case "command":
		return e.command(v)
	case "args":
		return e.args(v)
	case "env":
		return e.texts(v, name, &e.def.Env)
	case "headers":
		return e.texts(v, name, &e.def.Headers)
	case "envheaders":
		return e.envHeaders(v)
	case "requestinit":
		if v.Value.Kind() != '{' {
			return false
		}
		e.object(name+".", v)
	case "disabled", "enabled":
		return e.switched(meaning, v)
	case "own":
		return e.own(plainKey(name))
	case "connectseconds":
		return seconds(v, &e.def.TimeoutMs)
	case "callseconds":
		return seconds(v, &e.def.CallTimeoutMs)
	}
	return known
}

func (e *pasteEntry) scalar(meaning, s string) bool {
	switch meaning {
	case "type":
		e.def.Type = Transport(s)
	case "cwd":
		e.def.CWD = s
	case "httpurl":
		e.def.URL, e.def.Type = s, StreamableHTTP
	case "url":
		if e.def.URL == "" {
			e.def.URL = s
		}
	case "bearer":
		e.header("Authorization", "Bearer ${env:"+s+"}")
	case "name": // a label, where the map says the name
		if e.def.Name == "" {
			e.def.Name = s
		}
	}
	return true
}

func (e *pasteEntry) header(name, value string) {
	if e.def.Headers == nil {
		e.def.Headers = map[string]string{}
	}
	e.def.Headers[name] = value
}

// command is a program, a list with its arguments, or an object of both.
func (e *pasteEntry) command(v hujson.Value) bool {
	switch v.Value.Kind() {
	case '[':
		var words []string
		if !e.list(v, &words) || len(words) == 0 {
			return false
		}
		e.def.Command, e.def.Args = words[0], append(words[1:], e.def.Args...)
		return true
	case '{':
		e.object("command.", v)
		return true
	}
	s, ok := e.text(v)
	e.def.Command = s
	return ok
}

func (e *pasteEntry) args(v hujson.Value) bool {
	if v.Value.Kind() != '"' {
		var list []string
		ok := e.list(v, &list)
		e.def.Args = append(e.def.Args, list...)
		return ok
	}
	s, _ := e.text(v)
	words, err := shellWords(s, windowsText(s))
	if err == nil {
		e.def.Args = append(e.def.Args, plainWords(words)...)
	}
	return err == nil
}

func (e *pasteEntry) list(v hujson.Value, into *[]string) bool {
	a, ok := v.Value.(*array)
	if !ok {
		return false
	}
	for _, el := range a.Elements {
		s, ok := e.text(el)
		if !ok {
			return false
		}
		*into = append(*into, s)
	}
	return true
}

func (e *pasteEntry) texts(v hujson.Value, name string, into *map[string]string) bool {
	o, ok := v.Value.(*object)
	if !ok {
		return false
	}
	for _, m := range o.Members {
		if isNull(m.Value) {
			continue
		}
		s, ok := e.text(m.Value)
		if !ok {
			e.leftOut = append(e.leftOut, quote(name+"."+memberName(m)))
			continue
		}
		if *into == nil {
			*into = map[string]string{}
		}
		(*into)[memberName(m)] = s
	}
	return true
}

// envHeaders are Codex's headers whose values are names of variables.
func (e *pasteEntry) envHeaders(v hujson.Value) bool {
	var names map[string]string
	if !e.texts(v, "env_http_headers", &names) {
		return false
	}
	for header, name := range names {
		e.header(http.CanonicalHeaderKey(header), "${env:"+name+"}")
	}
	return true
}

// switched notes that the other client does not start the server.
func (e *pasteEntry) switched(meaning string, v hujson.Value) bool {
	kind := v.Value.Kind()
	if kind != 't' && kind != 'f' {
		return false
	}
	if (meaning == "disabled") == (kind == 't') {
		e.notes = append(e.notes, "it is switched off in the pasted text")
	}
	return true
}

// own reads a field of our own when it has our shape.
func (e *pasteEntry) own(field string) bool {
	r := entryReader{entry: e.entry.Value}
	r.own()
	switch field {
	case "timeoutms":
		e.def.TimeoutMs = r.def.TimeoutMs
		return r.def.TimeoutMs > 0
	case "calltimeoutms":
		e.def.CallTimeoutMs = r.def.CallTimeoutMs
		return r.def.CallTimeoutMs > 0
	case "tools":
		e.def.Tools = r.def.Tools
		return !r.def.Tools.empty()
	case "protocol":
		e.def.Protocol = r.def.Protocol
		return r.def.Protocol != ""
	}
	e.def.Auth = r.def.Auth
	return len(r.def.Auth) > 0
}

func seconds(v hujson.Value, into *int) bool {
	var n float64
	const tooLong = 1e6
	if decode(v, &n) != nil || n <= 0 || n > tooLong {
		return false
	}
	*into = int(n * 1000)
	return true
}

// text is a string, or a number or switch as its text, with references as we write them.
func (e *pasteEntry) text(v hujson.Value) (string, bool) {
	l, ok := v.Value.(hujson.Literal)
	if !ok || isNull(v) {
		return "", false
	}
	if l.Kind() != '"' {
		return string(l), true
	}
	return e.references(l.String()), true
}

// references turns those of other clients into ours, and notes those that have no
// counterpart.
func (e *pasteEntry) references(s string) string {
	for _, m := range regexp.MustCompile(`\$\{(?:input|config|command):([^{}]*)\}`).FindAllStringSubmatch(s, -1) {
		name := strings.Trim(regexp.MustCompile(`\W+`).ReplaceAllString(strings.ToUpper(m[1]), "_"), "_")
		e.notes = append(e.notes, m[0]+" is known to VS Code alone: put a value in its place, or ${env:"+name+"}")
	}
	if strings.Contains(s, "{file:") {
		e.notes = append(e.notes, "{file:…} is not read: put a value in its place")
	}
	s = regexp.MustCompile(`(^|[^$])\{env:(\w+)\}`).ReplaceAllString(s, "$1$${env:$2}")
	return strings.NewReplacer("${workspaceFolder}", "${workspace}", "${workspaceRoot}", "${workspace}", "${userHome}", "${HOME}").Replace(s)
}
