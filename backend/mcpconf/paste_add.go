package mcpconf

import (
	"regexp"
	"strings"
)

// addValues are options of "mcp add" commands that take one value.
var addValues = map[string]bool{
	"-s": true, "--scope": true, "-t": true, "--transport": true, "--type": true, "--timeout": true, "--url": true, "--command": true, "--cwd": true,
	"-w": true, "--workspace": true, "--bearer-token-env-var": true, "--callback-port": true, "--client-id": true, "--description": true,
	"--include-tools": true, "--exclude-tools": true, "--name": true, "--tools": true, "--env-file": true,
}

// silent options say nothing about the server.
var silent = map[string]bool{"-s": true, "--scope": true, "-w": true, "--workspace": true, "--trust": true, "--json": true, "-g": true, "--global": true}

// addReader reads what stands behind "mcp add" of a client, or behind a URL.
type addReader struct {
	p    *paster
	def  Definition
	rest []string
	free []string // name and target
}

// addCommand reads "[options] NAME COMMAND-OR-URL [args]" with "--" anywhere before the
// command, and options of a URL anywhere.
func (p *paster) addCommand(words []string, state shellState) error {
	r := &addReader{p: p, rest: words, def: Definition{Env: state.env, CWD: state.cwd}}
	for len(r.rest) > 0 && !r.complete() {
		r.step()
	}
	if len(r.free) == 1 && r.def.URL == "" { // a URL or a command without a name
		r.free = append([]string{""}, r.free...)
	}
	if len(r.free) > 0 && r.def.Name == "" {
		r.def.Name = r.free[0]
	}
	if len(r.free) > 1 {
		r.target(r.free[1], append(r.free[2:], r.rest...))
	}
	if r.def.URL == "" && r.def.Command == "" {
		return ErrNotPasted
	}
	p.add(r.def)
	return nil
}

// complete reports whether what is left are arguments of the command.
func (r *addReader) complete() bool {
	return len(r.free) > 1 && bareURL(r.free[1]) == ""
}

func (r *addReader) target(target string, args []string) {
	if u := bareURL(target); u != "" {
		r.def.URL = u
		if len(args) > 0 {
			r.p.warn("%s: left out what stands after the URL", r.def.Name)
		}
		return
	}
	r.def.Command, r.def.Args = target, args
	if len(args) == 0 {
		r.def.Command, r.def.Args = spacedCommand(target)
	}
}

func (r *addReader) next() (s string) {
	if len(r.rest) > 0 {
		s, r.rest = r.rest[0], r.rest[1:]
	}
	return s
}

func (r *addReader) step() {
	w := r.next()
	if w == "--" {
		r.free = append(r.free, r.rest...)
		r.rest = nil
		return
	}
	if !strings.HasPrefix(w, "-") {
		r.free = append(r.free, w)
		return
	}
	option, value, joined := strings.Cut(w, "=")
	if !joined {
		option = w
	}
	switch option {
	case "-e", "--env":
		if joined {
			r.assign(value)
		}
		for !joined && len(r.rest) > 0 && isAssignment(r.rest[0]) { // some take several
			r.assign(r.next())
		}
		return
	case "-H", "--header", "--headers":
		if !joined {
			value = r.next()
		}
		r.def.Headers = withHeader(r.def.Headers, value)
		for !joined && len(r.rest) > 0 && regexp.MustCompile(`\A[A-Za-z][\w-]*: `).MatchString(r.rest[0]) {
			r.def.Headers = withHeader(r.def.Headers, r.next())
		}
		return
	}
	if !joined && addValues[option] {
		value = r.next()
	}
	r.option(option, value)
}

func (r *addReader) assign(text string) {
	s := shellState{env: r.def.Env}
	s.assign(text)
	r.def.Env = s.env
}

func (r *addReader) option(option, value string) {
	switch option {
	case "-t", "--transport", "--type":
		r.def.Type = Transport(value)
	case "--url":
		r.def.URL = value
	case "--command":
		r.def.Command = value
	case "--cwd":
		r.def.CWD = value
	case "--name":
		r.def.Name = value
	case "--bearer-token-env-var":
		r.def.Headers = withHeader(r.def.Headers, "Authorization: Bearer ${env:"+value+"}")
	default:
		if !silent[option] {
			r.p.warn("left out %s", option)
		}
	}
}
