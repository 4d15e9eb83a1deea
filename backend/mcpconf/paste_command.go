package mcpconf

import (
	"encoding/base64"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// runners are programs that start servers, or are servers of other people's making.
var runners = map[string]bool{
	"npx": true, "npm": true, "pnpm": true, "pnpx": true, "yarn": true, "bunx": true, "bun": true, "node": true, "deno": true, "tsx": true,
	"uvx": true, "uv": true, "pipx": true, "python": true, "python3": true, "py": true, "docker": true, "podman": true,
	"go": true, "cargo": true, "dotnet": true, "dnx": true, "java": true, "jbang": true, "ruby": true, "php": true,
	"sh": true, "bash": true, "zsh": true, "pwsh": true, "powershell": true, "cmd": true, "nix": true, "mise": true, "ssh": true, "wsl": true,
}

// preparations are commands that set something up and start no server.
var preparations = map[string][]string{
	"npm": {"install", "i", "ci"}, "pnpm": {"install", "add", "i"}, "yarn": {"install", "add"}, "bun": {"install", "add"},
	"pip": {"install"}, "pip3": {"install"}, "pipx": {"install"}, "uv": {"sync", "pip", "add"}, "brew": {"install", "tap"}, "cargo": {"install", "build"},
	"go": {"install", "build", "get"}, "docker": {"pull", "build", "login"}, "git": {"clone", "pull"}, "mkdir": nil, "source": nil, ".": nil,
}

// shellState is what earlier commands of a text say about later ones.
type shellState struct {
	cwd string
	env map[string]string
}

func (s *shellState) assign(text string) {
	name, value, _ := strings.Cut(text, "=")
	if s.env == nil {
		s.env = map[string]string{}
	}
	s.env[name] = value
}

func isAssignment(text string) bool {
	return regexp.MustCompile(`\A[A-Za-z_]\w*=`).MatchString(text)
}

// commands reads a text as a shell would, command by command.
func (p *paster) commands(text string) error {
	if u := bareURL(text); u != "" {
		p.add(Definition{URL: u})
		return nil
	}
	text = regexp.MustCompile("(?m)[ \t][\\^`]$").ReplaceAllString(text, " \\") // how Windows continues a line
	text = regexp.MustCompile(`(?m)^[ \t]*(?:PS [^>\n]*|[A-Za-z]:\\[^>\n]*)>`).ReplaceAllString(text, "")
	text = regexp.MustCompile(`(?m)(^|[\s=])[“”]([^“”"\n]*)[“”]`).ReplaceAllString(text, `$1"$2"`) // as web pages print them
	text = regexp.MustCompile(`(?m)(^|[\s=])‘([^‘’'\n]*)’`).ReplaceAllString(text, `$1'$2'`)
	words, err := shellWords(text, windowsText(text))
	if err != nil {
		return err
	}
	var state shellState
	before := len(p.defs)
	for len(words) > 0 && !p.full() {
		n := slices.IndexFunc(words, func(w word) bool { return w.op })
		if n < 0 {
			n = len(words)
		}
		if err := p.command(words[:n], &state); err != nil {
			return err
		}
		if words = words[n:]; len(words) == 0 {
			break
		}
		if words[0].text == "|" {
			p.warn("what stands after | was left out")
			for len(words) > 1 && !(words[0].op && words[0].text == "\n") {
				words = words[1:]
			}
		}
		words = words[1:]
	}
	if len(p.defs) == before {
		return ErrNotPasted
	}
	return nil
}

// bareURL is the text as a URL, "" when it is none.
func bareURL(text string) string {
	text = strings.Trim(strings.TrimSpace(text), "<>\"'")
	switch {
	case regexp.MustCompile(`\A(?i:https?)://[^\s/]\S*\z`).MatchString(text):
		return text
	case regexp.MustCompile(`\A(?:localhost|127\.0\.0\.1)(?::\d+)?/\S*\z`).MatchString(text):
		return "http://" + text
	}
	return ""
}

// command reads one simple command.
func (p *paster) command(words []word, state *shellState) error {
	if len(words) > 0 && !words[0].quoted && slices.Contains([]string{"$", "%", ">"}, words[0].text) { // a prompt
		words = words[1:]
	}
	own := shellState{cwd: state.cwd, env: maps.Clone(state.env)}
	words = own.prefix(words)
	switch {
	case len(words) == 0:
		*state = own // assignments alone, for what follows
		return nil
	case state.builtin(words):
		return nil
	}
	texts := plainWords(words)
	if rest, known := preparations[program(texts[0])]; known && (rest == nil || len(texts) > 1 && slices.Contains(rest, texts[1])) {
		p.warn("left out %s: it starts no server", strings.Join(texts[:min(2, len(texts))], " "))
		return nil
	}
	return p.start(texts, own)
}

// prefix takes the assignments that begin a command, those behind env included.
func (s *shellState) prefix(words []word) []word {
	for len(words) > 0 {
		text := words[0].text
		behind := len(words) > 1 && !strings.HasPrefix(words[1].text, "-")
		switch {
		case isAssignment(text):
			s.assign(text)
		case (text == "env" || text == "/usr/bin/env" || text == "exec") && behind:
		default:
			return words
		}
		words = words[1:]
	}
	return words
}

// builtin follows a command of the shell that prepares the next one.
func (s *shellState) builtin(words []word) bool {
	switch {
	case words[0].text == "cd" && len(words) == 2:
		s.cwd = words[1].text
		return true
	case words[0].text != "export" && words[0].text != "set":
		return false
	}
	for _, w := range words[1:] {
		if isAssignment(w.text) {
			s.assign(w.text)
		}
	}
	return true
}

// start reads a command that starts a server or tells a client of one.
func (p *paster) start(words []string, state shellState) error {
	name := program(words[0])
	at := slices.Index(words, "mcp")
	switch {
	case bareURL(words[0]) != "":
		return p.addCommand(words, state)
	case name == "curl":
		return p.curl(words[1:])
	case slices.ContainsFunc(words, func(w string) bool { return w == "--add-mcp" || strings.HasPrefix(w, "--add-mcp=") }):
		return p.addMCP(words)
	case at > 0 && at < 5 && len(words) > at+1 && words[at+1] == "add":
		return p.addCommand(words[at+2:], state)
	case at > 0 && at < 5 && len(words) > at+1 && words[at+1] == "add-json":
		return p.addJSON(words[at+2:])
	case !plausible(words) && len(state.env) == 0:
		return nil
	}
	p.add(withoutDockerSecrets(Definition{Type: Stdio, Command: words[0], Args: words[1:], Env: state.env, CWD: state.cwd}))
	return nil
}

// withoutDockerSecrets moves secrets among docker's -e into the environment, where they are
// masked and in no list of processes: -e NAME alone hands that on.
func withoutDockerSecrets(def Definition) Definition {
	if name := program(def.Command); name != "docker" && otherNames[name] != "docker" {
		return def
	}
	secret := regexp.MustCompile(`(?i)token|secret|passw|credential|api_?key|_key$|_pat$|_auth$`)
	env, args := maps.Clone(def.Env), slices.Clone(def.Args)
	for i := 0; i < len(args); i++ {
		if slices.Contains(subcommands["docker"], args[i]) {
			continue
		}
		if !strings.HasPrefix(args[i], "-") {
			break // the image: what follows is its own
		}
		option, pair, joined := strings.Cut(args[i], "=")
		if !joined && slices.Contains(runOptions["docker"], option) && i+1 < len(args) {
			i++
			pair = args[i]
		}
		name, value, has := strings.Cut(pair, "=")
		if _, set := env[name]; set || !has || !secret.MatchString(name) || option != "-e" && option != "--env" {
			continue
		}
		if env == nil {
			env = map[string]string{}
		}
		env[name] = value
		args[i] = strings.TrimSuffix(args[i], "="+value)
	}
	def.Env, def.Args = env, args
	return def
}

// plausible tells a command from a sentence.
func plausible(words []string) bool {
	first := words[0]
	if !regexp.MustCompile(`\A[\w.~/\\$%@{][^\n"'<>|]*\z`).MatchString(first) || strings.HasSuffix(first, ":") || strings.HasSuffix(first, ",") {
		return false
	}
	if !runners[program(first)] && slices.ContainsFunc(words, func(w string) bool { return strings.HasSuffix(w, ",") }) {
		return false
	}
	if runners[program(first)] || regexp.MustCompile(`[-_/\\]|\w\.\w|mcp`).MatchString(first) {
		return true
	}
	return slices.ContainsFunc(words[1:], func(w string) bool { return regexp.MustCompile(`\A--?\w|mcp|\A[~./].*/`).MatchString(w) })
}

// addMCP reads the JSON of `code --add-mcp`.
func (p *paster) addMCP(words []string) error {
	for i, w := range words {
		text, joined := strings.CutPrefix(w, "--add-mcp=")
		if w == "--add-mcp" && i+1 < len(words) {
			text, joined = words[i+1], true
		}
		if joined {
			if err := p.json(text); err != nil {
				return err
			}
		}
	}
	return nil
}

// addJSON reads `mcp add-json NAME JSON`.
func (p *paster) addJSON(words []string) error {
	var free []string
	for i := 0; i < len(words); i++ {
		if strings.HasPrefix(words[i], "-") {
			i++ // every option of it has a value
			continue
		}
		free = append(free, words[i])
	}
	if len(free) < 2 {
		return ErrNotPasted
	}
	doc, err := p.document(free[1])
	if err == nil {
		p.entry(free[0], doc.root)
	}
	return err
}

// curlValues are options of curl that take a value.
var curlValues = map[string]bool{
	"-X": true, "--request": true, "-d": true, "--data": true, "--data-raw": true, "--data-binary": true, "--data-urlencode": true, "--json": true,
	"-o": true, "--output": true, "-m": true, "--max-time": true, "--connect-timeout": true, "-w": true, "--write-out": true, "--retry": true,
	"-A": true, "--user-agent": true, "-b": true, "--cookie": true, "-F": true, "--form": true, "-x": true, "--proxy": true,
	"--cacert": true, "-E": true, "--cert": true, "--key": true, "-e": true, "--referer": true, "-c": true, "--cookie-jar": true, "-T": true,
}

// curl reads a call that somebody tried a server with.
func (p *paster) curl(words []string) error {
	def := Definition{}
	for i := 0; i < len(words); i++ {
		w, value := words[i], ""
		if i+1 < len(words) {
			value = words[i+1]
		}
		switch {
		case w == "-H" || w == "--header":
			def.Headers = withHeader(def.Headers, value)
			i++
		case strings.HasPrefix(w, "-H"):
			def.Headers = withHeader(def.Headers, w[2:])
		case w == "-u" || w == "--user":
			def.Headers = withHeader(def.Headers, "Authorization: Basic "+base64.StdEncoding.EncodeToString([]byte(value)))
			i++
		case w == "--url":
			def.URL = bareURL(value)
			i++
		case curlValues[w]:
			i++
		case !strings.HasPrefix(w, "-") && def.URL == "":
			def.URL = bareURL(w)
		}
	}
	for name := range def.Headers {
		switch http.CanonicalHeaderKey(name) {
		case "Content-Type", "Accept", "Mcp-Protocol-Version", "Mcp-Session-Id", "Content-Length", "Host": // of the one call
			delete(def.Headers, name)
		}
	}
	if def.URL != "" {
		p.add(def)
	}
	return nil
}

// withHeader adds a header as it is written on a command line.
func withHeader(headers map[string]string, text string) map[string]string {
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		name, value, ok = strings.Cut(text, "=")
	}
	if name = strings.TrimSpace(name); !ok || name == "" {
		return headers
	}
	if headers == nil {
		headers = map[string]string{}
	}
	headers[name] = strings.TrimSpace(value)
	return headers
}
