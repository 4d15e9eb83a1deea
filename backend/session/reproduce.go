package session

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// Reproduction is how to start a server in a terminal, to see whether it works there.
type Reproduction struct {
	Line string   // one line for a POSIX shell, on Windows for PowerShell; no stored value is in it
	Set  []string // variables that the line uses in place of stored values
}

// placeholder stands in expanded values for what a terminal must have itself: a variable
// that the definition refers to, or a key of the keyring. The rune is for private use, so
// that no value holds it.
func placeholder(name string) string { return "${\uE000" + name + "}" }

// reproduce writes the line for goos. def is expanded with placeholders, folder is where
// the server runs.
func reproduce(goos string, def mcpconf.Definition, folder string) Reproduction {
	w := &lineWriter{goos: goos, marks: regexp.MustCompile(`\$\{\x{E000}([^}]*)\}|` + mcpconn.Hidden)}
	if def.Type != mcpconf.Stdio {
		return Reproduction{Line: w.curl(def), Set: w.names}
	}
	return Reproduction{Line: w.run(def, folder), Set: w.names}
}

// lineWriter quotes words for a shell and collects the variables that stand in for values.
type lineWriter struct {
	goos  string
	marks *regexp.Regexp
	names []string
}

func (w *lineWriter) windows() bool { return w.goos == "windows" }

// holdOpen is how many seconds stdin stays open, so that the answer can come.
const holdOpen = 10

func (w *lineWriter) run(def mcpconf.Definition, folder string) string {
	hello := mcpconn.FirstMessage(def)
	var words []string
	if len(def.Env) > 0 && !w.windows() {
		words = append(words, "env")
	}
	for _, name := range slices.Sorted(maps.Keys(def.Env)) {
		variable := w.variable(name)
		if !w.windows() {
			words = append(words, w.word(name, "")+`="$`+variable+`"`)
		}
	}
	words = append(words, w.word(def.Command, ""))
	previous := ""
	for _, arg := range mcpconn.ShownArgs(def.Args) {
		words = append(words, w.word(arg, previous))
		previous = arg
	}
	command := strings.Join(words, " ")
	if w.windows() {
		line := fmt.Sprintf("& { %s; Start-Sleep %d } | & %s", w.word(hello, ""), holdOpen, command)
		if folder != "" {
			line = "Set-Location -LiteralPath " + w.word(folder, "") + "; " + line
		}
		return line
	}
	line := fmt.Sprintf(`{ printf '%%s\n' %s; sleep %d; } | %s`, w.word(hello, ""), holdOpen, command)
	if folder != "" {
		line = "cd " + w.word(folder, "") + " && " + line
	}
	return line
}

func (w *lineWriter) curl(def mcpconf.Definition) string {
	program, accept := "curl", "application/json, text/event-stream"
	if w.windows() {
		program = "curl.exe" // curl alone is another command in PowerShell
	}
	words := []string{program, "-sS", "-i", "-N"}
	if def.Type == mcpconf.SSE {
		accept = "text/event-stream"
	} else {
		words = append(words, "-X", "POST")
	}
	words = append(words, w.word(mcpconn.ShownURL(def.URL), "url"), "-H", w.word("Accept: "+accept, ""))
	for _, name := range slices.Sorted(maps.Keys(def.Headers)) {
		words = append(words, "-H", w.word(name+": "+mcpconn.Hidden, ""))
	}
	if def.Type == mcpconf.SSE {
		return strings.Join(words, " ")
	}
	hello := mcpconn.FirstMessage(def)
	words = append(words, "-H", w.word("Content-Type: application/json", ""))
	if w.windows() {
		hello = strings.ReplaceAll(hello, `"`, `\"`) // PowerShell drops quotes before a program sees them
	}
	return strings.Join(append(words, "--data", w.word(hello, "")), " ")
}

// part is a piece of a word: text, or a variable.
type part struct{ text, variable string }

// word is one word of the line. What is hidden in it becomes a variable that is named after
// what stands before it, in the word itself or in the one before.
func (w *lineWriter) word(word, previous string) string {
	var parts []part
	rest := word
	for rest != "" {
		at := w.marks.FindStringSubmatchIndex(rest)
		if at == nil {
			parts = append(parts, part{text: rest})
			break
		}
		if at[0] > 0 {
			parts = append(parts, part{text: rest[:at[0]]})
		}
		var variable string
		if at[2] >= 0 {
			variable = w.variable(rest[at[2]:at[3]])
		} else {
			variable = w.another(nameBefore(strings.TrimSuffix(word, rest)+rest[:at[0]], previous))
		}
		parts = append(parts, part{variable: variable})
		rest = rest[at[1]:]
	}
	if w.windows() {
		return powerWord(parts)
	}
	return posixWord(parts)
}

// nameBefore finds the name of a value: NAME=•••, Name: •••, --name •••.
func nameBefore(text, previous string) string {
	if !strings.HasPrefix(previous, "-") {
		previous = "" // no flag
	}
	for _, from := range []string{strings.TrimRight(text, "=: "), previous} {
		end := strings.LastIndexFunc(from, func(r rune) bool { return r != '-' && r != '_' && !isAlnum(r) })
		if name := strings.Trim(from[end+1:], "-_"); name != "" {
			return strings.ToUpper(name)
		}
	}
	return "SECRET"
}

// variable registers a variable and returns its clean name.
func (w *lineWriter) variable(name string) string {
	name = cleanName(name)
	if !slices.Contains(w.names, name) {
		w.names = append(w.names, name)
	}
	return name
}

// cleanName is a name as shells take it.
func cleanName(name string) string {
	name = strings.Map(func(r rune) rune {
		if isAlnum(r) || r == '_' {
			return r
		}
		return '_'
	}, name)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	return name
}

// another registers a variable of its own for a value that may differ from those before.
func (w *lineWriter) another(name string) string {
	unique := name
	for n := 2; slices.Contains(w.names, cleanName(unique)); n++ {
		unique = fmt.Sprintf("%s_%d", name, n)
	}
	return w.variable(unique)
}

func isAlnum(r rune) bool {
	return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
}

func posixWord(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.variable != "":
			b.WriteString(`"$` + p.variable + `"`)
		case strings.ContainsFunc(p.text, func(r rune) bool { return !isAlnum(r) && !strings.ContainsRune("-_./:@%+,=", r) }):
			b.WriteString("'" + strings.ReplaceAll(p.text, "'", `'\''`) + "'")
		default:
			b.WriteString(p.text)
		}
	}
	if b.Len() == 0 {
		return "''"
	}
	return b.String()
}

// powerWord quotes for PowerShell: single quotes take everything as it is, double ones
// variables.
func powerWord(parts []part) string {
	if !slices.ContainsFunc(parts, func(p part) bool { return p.variable != "" }) {
		text := ""
		for _, p := range parts {
			text += p.text
		}
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	}
	escape := strings.NewReplacer("`", "``", `"`, "`\"", "$", "`$")
	var b strings.Builder
	for _, p := range parts {
		if p.variable != "" {
			b.WriteString("${env:" + p.variable + "}")
		} else {
			b.WriteString(escape.Replace(p.text))
		}
	}
	return `"` + b.String() + `"`
}
