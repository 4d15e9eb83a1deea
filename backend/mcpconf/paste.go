package mcpconf

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits are more than any list of servers needs, and little enough to read at once.
const (
	maxPaste    = 256 << 10 // bytes
	maxPasted   = 200       // servers
	maxWarnings = 100
)

// ErrNotPasted says what ParsePaste accepts.
var ErrNotPasted = errors.New("no MCP server was recognised. Paste a command line (npx -y …, uvx …, docker run …, claude mcp add …), a URL, the JSON of another client (mcpServers, servers, context_servers), or the TOML of Codex")

// ParsePaste reads a pasted text as definitions: command lines, URLs, curl calls, the "add"
// commands of other clients, their JSON, or Codex's TOML, alone or in a Markdown fence.
// Every definition has a name, and no two have the same. Warnings say what was left out and
// why, and what is still wrong; they never hold a value. Nothing is run or looked up.
func ParsePaste(text string) (defs []Definition, warnings []string, err error) {
	p := newPaster()
	if err := p.read(text); err != nil {
		return nil, nil, err
	}
	if len(p.defs) == 0 {
		return nil, nil, ErrNotPasted
	}
	return p.defs, p.warnings, nil
}

// paster collects what a text says.
type paster struct {
	defs     []Definition
	warnings []string
	taken    map[string]int // names, with the last number that was given to one
}

func newPaster() *paster { return &paster{taken: map[string]int{}} }

func (p *paster) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	if len(p.warnings) >= maxWarnings {
		w = "there is more that was left out"
	}
	if !slices.Contains(p.warnings, w) {
		p.warnings = append(p.warnings, w)
	}
}

func (p *paster) read(text string) error {
	switch {
	case len(text) > maxPaste:
		return fmt.Errorf("the text is longer than %d KiB", maxPaste>>10)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return errors.New("this is no text")
	}
	text = strings.TrimPrefix(text, utf8BOM)
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u00a0", " ", "\u200b", "").Replace(text)
	blocks := fenced(text)
	var first error
	for _, block := range blocks {
		if err := p.block(strings.TrimSpace(block)); err != nil && first == nil {
			first = err
		}
	}
	if len(p.defs) > 0 && len(blocks) > 1 { // what stands between may be no server at all
		return nil
	}
	return first
}

// fenced lists the code blocks of Markdown, or the whole text where there is none.
func fenced(text string) []string {
	fence := regexp.MustCompile("(?ms)^[ \t]*```[^\n`]*\n(.*?)(?:^[ \t]*```|\\z)")
	var blocks []string
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		blocks = append(blocks, m[1])
	}
	if blocks != nil {
		return blocks
	}
	text = strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(text, "`"); ok && strings.Count(text, "`") == 2 && strings.HasSuffix(inner, "`") {
		return []string{strings.TrimSuffix(inner, "`")}
	}
	return []string{text}
}

func (p *paster) block(text string) error {
	switch {
	case looksLikeJSON(text):
		return p.json(text)
	case looksLikeTOML(text):
		return p.toml(text)
	}
	before := len(p.defs)
	err := p.commands(text)
	if len(p.defs) > before {
		return err
	}
	if at := strings.Index(text, "\n{"); at >= 0 { // a sentence, then JSON
		end := strings.LastIndexByte(text, '}') + 1
		if end <= at {
			end = len(text)
		}
		return p.json(text[at+1 : end])
	}
	return err
}

func looksLikeJSON(text string) bool {
	return regexp.MustCompile(`\A(?:\s*(?://[^\n]*\n|(?s:/\*.*?\*/)))*\s*(?:\{|\[\s*[\]{]|"(?:[^"\\\n]|\\.)*"\s*:)`).MatchString(text)
}

func looksLikeTOML(text string) bool {
	return regexp.MustCompile(`\A(?:[ \t]*(?:#[^\n]*|[\w.-]+[ \t]*=[^\n]*)?\n)*[ \t]*\[{1,2}[^\[\]\n]+\]{1,2}[ \t]*(?:#[^\n]*)?(?:\n|\z)`).MatchString(text)
}

// add completes a definition as it was read and keeps it. One that cannot be started is
// kept too, so that the form shows what is missing.
func (p *paster) add(def Definition) {
	if p.full() {
		return
	}
	def = withoutCmd(def)
	if def.Name = strings.TrimSpace(def.Name); def.Name == "" {
		def.Name = guessName(def)
	}
	def.Name = p.unique(def.Name)
	def.Type = pastedType(def)
	if def = def.Normalized(); def.Invalid != "" {
		p.warn("%s: %s", def.Name, def.Invalid)
	}
	p.defs = append(p.defs, def)
}

// full reports whether no more definitions are read.
func (p *paster) full() bool {
	if len(p.defs) < maxPasted {
		return false
	}
	p.warn("only the first %d servers were read", maxPasted)
	return true
}

// unique is name, with a number when it is taken.
func (p *paster) unique(name string) string {
	free := name
	for p.taken[free] > 0 {
		p.taken[name]++
		free = fmt.Sprintf("%s-%d", name, p.taken[name])
	}
	p.taken[free] = 1
	return free
}

// pastedType is the transport of a definition whose text may not say it. A URL of the
// older transport ends in /sse by convention.
func pastedType(def Definition) Transport {
	word := strings.ToLower(strings.TrimSpace(string(def.Type)))
	if word != "" && word != "remote" {
		return def.Type
	}
	switch {
	case def.Command != "":
		return Stdio
	case def.URL == "":
		return ""
	}
	if u, err := url.Parse(def.URL); err == nil && path.Base(strings.TrimRight(u.Path, "/")) == "sse" {
		return SSE
	}
	return StreamableHTTP
}

// withoutCmd starts the program itself where Windows' cmd was to find it: here that is
// found without.
func withoutCmd(def Definition) Definition {
	if program(def.Command) != "cmd" {
		return def
	}
	args := def.Args
	for len(args) > 0 && regexp.MustCompile(`^/[dsqDSQ]$`).MatchString(args[0]) {
		args = args[1:]
	}
	if len(args) < 2 || !strings.EqualFold(args[0], "/c") {
		return def
	}
	def.Command, def.Args = args[1], args[2:]
	if len(def.Args) == 0 {
		def.Command, def.Args = spacedCommand(def.Command)
	}
	return def
}

// program is the name of a program without its folder and without what Windows adds.
func program(command string) string {
	base := command[strings.LastIndexAny(command, `/\`)+1:]
	base = strings.ToLower(base)
	for _, ext := range []string{".exe", ".cmd", ".bat", ".ps1"} {
		base = strings.TrimSuffix(base, ext)
	}
	return base
}

// spacedCommand splits a command that holds its arguments too. A path with blanks is no
// such command.
func spacedCommand(command string) (string, []string) {
	words, err := shellWords(command, windowsText(command))
	if err != nil || len(words) < 2 || !runners[program(words[0].text)] || slices.ContainsFunc(words, func(w word) bool { return w.op }) {
		return command, nil
	}
	return words[0].text, plainWords(words[1:])
}
