package mcpconf

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// ExpandEnv is what references in a definition refer to.
type ExpandEnv struct {
	LookupEnv func(name string) (string, bool)  // nil knows no variable
	Keyring   func(name string) (string, error) // Patchbay's own items; nil has none
	Workspace string                            // canonical folder, "" for a plain chat
	Home      string                            // for a leading ~
}

// EnvMissingError says which names a definition refers to that are not set and have no
// default.
type EnvMissingError struct {
	Server string
	Names  []string // as written, e.g. "TOKEN", "workspace", "keyring:github"
}

// Error names the server, the names and the ways out; never a value.
func (e *EnvMissingError) Error() string {
	return fmt.Sprintf("%s refers to %s, which is not set: set it, or write a default as in ${NAME:-default}", e.Server, strings.Join(e.Names, ", "))
}

// Expand replaces the references in command, args, env, cwd, url and headers: ${env:NAME},
// ${NAME}, ${NAME:-default} (also for a variable that is empty), ${workspace},
// ${keyring:NAME}, and a leading ~; $${ stands for a plain ${. Inside args a variable that
// is not set and has no default stays as it is written. The default cwd is the workspace,
// and a relative one counts from there. Values handed in over ACP are never expanded: the
// caller does not call this for them.
func Expand(def Definition, env ExpandEnv) (Definition, error) {
	x := expander{env: env, references: regexp.MustCompile(`\$\$\{|\$\{([^{}]*)\}`)}
	def.Command = x.path(def.Command, false)
	def.URL = x.text(def.URL, false)
	def.CWD = x.path(def.CWD, false)
	args := make([]string, len(def.Args))
	for i, a := range def.Args {
		args[i] = x.path(a, true)
	}
	if def.Args = args; len(args) == 0 {
		def.Args = nil
	}
	def.Env = x.texts(def.Env, x.path)
	def.Headers = x.texts(def.Headers, x.text)
	def.Auth = x.strings(def.Auth)
	if def.Type == Stdio && env.Workspace != "" && !filepath.IsAbs(def.CWD) {
		def.CWD = filepath.Join(env.Workspace, def.CWD)
	}
	if x.err != nil {
		return def, fmt.Errorf("expand %s: %w", def.Name, x.err)
	}
	if len(x.missing) > 0 {
		return def, &EnvMissingError{Server: def.Name, Names: x.missing}
	}
	return def, nil
}

// expander collects what is missing over all values of one definition.
type expander struct {
	env        ExpandEnv
	references *regexp.Regexp
	missing    []string
	err        error
}

// text expands references; lenient leaves an unset variable as it is written.
func (x *expander) text(s string, lenient bool) string {
	return x.references.ReplaceAllStringFunc(s, func(ref string) string {
		if ref == "$${" {
			return "${"
		}
		value, known := x.lookup(ref[2:len(ref)-1], lenient)
		if !known {
			return ref
		}
		return value
	})
}

// path is text with a leading ~ for the home folder.
func (x *expander) path(s string, lenient bool) string {
	if s == "~" || strings.HasPrefix(s, "~/") || strings.HasPrefix(s, `~\`) {
		if x.env.Home == "" {
			x.miss("HOME")
			return s
		}
		return strings.TrimRight(x.env.Home, `/\`) + x.text(s[1:], lenient)
	}
	return x.text(s, lenient)
}

func (x *expander) texts(m map[string]string, expand func(string, bool) string) map[string]string {
	if m == nil {
		return nil
	}
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = expand(v, false)
	}
	return out
}

// strings expands the strings of a JSON object, one level deep; anything else stays as it
// is.
func (x *expander) strings(object json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(object, &fields) != nil {
		return object
	}
	for name, raw := range fields {
		var value string
		if json.Unmarshal(raw, &value) != nil {
			continue
		}
		expanded, err := json.Marshal(x.text(value, false))
		if err != nil {
			x.err = err
			return object
		}
		fields[name] = expanded
	}
	out, err := json.Marshal(fields)
	if err != nil {
		x.err = err
		return object
	}
	return out
}

// isVariable reports whether a reference may name it; anything else is none of ours.
func isVariable(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// lookup is the value of what stands between the braces; false leaves the text alone.
func (x *expander) lookup(ref string, lenient bool) (string, bool) {
	if item, ok := strings.CutPrefix(ref, "keyring:"); ok {
		return x.keyring(item)
	}
	if ref == "workspace" {
		if x.env.Workspace == "" {
			x.miss(ref)
			return "", false
		}
		return x.env.Workspace, true
	}
	name, fallback, hasDefault := strings.Cut(strings.TrimPrefix(ref, "env:"), ":-")
	if !isVariable(name) {
		return "", false
	}
	value, set := "", false
	if x.env.LookupEnv != nil {
		value, set = x.env.LookupEnv(name)
	}
	switch {
	case hasDefault && value == "":
		return fallback, true
	case set:
		return value, true
	case !lenient:
		x.miss(name)
	}
	return "", false
}

func (x *expander) keyring(item string) (string, bool) {
	if x.env.Keyring == nil {
		x.miss("keyring:" + item)
		return "", false
	}
	value, err := x.env.Keyring(item)
	if err != nil {
		x.err = errors.Join(x.err, fmt.Errorf("read %s from the keyring: %w", item, err))
		return "", false
	}
	return value, true
}

func (x *expander) miss(name string) {
	if !slices.Contains(x.missing, name) {
		x.missing = append(x.missing, name)
		slices.Sort(x.missing)
	}
}

// ConnectionKey is a hash over everything that decides how a server is connected: all
// fields but Tools, Line and Warnings. Definitions with one key can share a connection.
func (d Definition) ConnectionKey() string {
	d.Tools, d.Line, d.Warnings = ToolRules{}, 0, nil
	if len(d.Args) == 0 {
		d.Args = nil
	}
	if len(d.Env) == 0 {
		d.Env = nil
	}
	if len(d.Headers) == 0 {
		d.Headers = nil
	}
	data, err := json.Marshal(d)
	if err != nil { // an Auth that is no JSON, from a definition made by hand
		data = fmt.Appendf(nil, "%#v", d)
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}
