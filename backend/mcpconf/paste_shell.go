package mcpconf

import (
	"errors"
	"regexp"
	"strings"
)

// word is one word of a command line, or an operator between two commands.
type word struct {
	text   string
	quoted bool // a part of it stood in quotes
	op     bool
}

func plainWords(words []word) []string {
	var list []string
	for _, w := range words {
		list = append(list, w.text)
	}
	return list
}

// windowsText reports whether backslashes separate folders rather than quote.
func windowsText(text string) bool {
	return regexp.MustCompile(`(?:^|[\s"'=])(?:[A-Za-z]:|\.{1,2}|%\w+%)\\`).MatchString(text)
}

var (
	errOpenQuote  = errors.New("a quote is not closed")
	errOpenBraces = errors.New("a $( is not closed")
)

// lexer reads words as a POSIX shell does. References to variables become ours.
type lexer struct {
	rest    string
	windows bool // a backslash is a plain character
	words   []word
	now     strings.Builder
	quoted  bool
	open    bool // a word has begun

	reference, blankLine *regexp.Regexp
}

// shellWords splits a text. It runs and expands nothing.
func shellWords(text string, windows bool) ([]word, error) {
	l := &lexer{
		rest: text, windows: windows,
		reference: regexp.MustCompile(`\A\$(?:[A-Za-z_]\w*|\{[A-Za-z_]\w*\})`),
		blankLine: regexp.MustCompile(`\A[ \t]*\n`),
	}
	for l.rest != "" {
		if err := l.step(); err != nil {
			return nil, err
		}
	}
	l.end()
	return l.words, nil
}

func (l *lexer) end() {
	if l.open {
		l.words = append(l.words, word{text: l.now.String(), quoted: l.quoted})
	}
	l.now.Reset()
	l.open, l.quoted = false, false
}

func (l *lexer) take(n int) string {
	s := l.rest[:n]
	l.rest = l.rest[n:]
	return s
}

func (l *lexer) put(s string) {
	l.now.WriteString(s)
	l.open = true
}

func (l *lexer) step() error {
	if op := l.operator(); op != "" {
		l.end()
		l.take(len(op))
		l.words = append(l.words, word{text: op, op: true})
		return nil
	}
	switch c := l.rest[0]; {
	case c == ' ' || c == '\t':
		l.end()
		l.take(1)
	case c == '#' && !l.open:
		if n := strings.IndexByte(l.rest, '\n'); n >= 0 {
			l.take(n)
		} else {
			l.rest = ""
		}
	case c == '\'':
		return l.single(1)
	case c == '"':
		return l.double()
	case c == '\\':
		l.backslash()
	case c == '$':
		return l.dollar()
	default:
		l.put(l.take(1))
	}
	return nil
}

// operator is the one that begins here. An & or ; inside a word is part of it, as in a URL
// that nobody quoted.
func (l *lexer) operator() string {
	for _, op := range []string{"\n", "&&", "||"} {
		if strings.HasPrefix(l.rest, op) {
			return op
		}
	}
	c := l.rest[:1]
	last := len(l.rest) == 1 || strings.ContainsAny(l.rest[1:2], " \t\n")
	if (c == ";" || c == "|" || c == "&") && (!l.open || c == ";") && last {
		return c
	}
	return ""
}

// single reads a part in single quotes; skip is the length of what opens it.
func (l *lexer) single(skip int) error {
	l.take(skip)
	n := strings.IndexByte(l.rest, '\'')
	if n < 0 {
		return errOpenQuote
	}
	l.put(l.take(n))
	l.quoted = true
	l.take(1)
	return nil
}

func (l *lexer) double() error {
	l.take(1)
	l.put("")
	l.quoted = true
	for l.rest != "" {
		switch c := l.rest[0]; {
		case c == '"':
			l.take(1)
			return nil
		case c == '\\' && len(l.rest) > 1 && strings.IndexByte(l.escapes(), l.rest[1]) >= 0:
			l.take(1)
			if escaped := l.take(1); escaped != "\n" {
				l.put(escaped)
			}
		case c == '$':
			if err := l.dollar(); err != nil {
				return err
			}
		default:
			l.put(l.take(1))
		}
	}
	return errOpenQuote
}

// escapes are what a backslash quotes inside double quotes.
func (l *lexer) escapes() string {
	if l.windows {
		return `"`
	}
	return "$`\"\\\n"
}

func (l *lexer) backslash() {
	l.take(1)
	blank := l.blankLine.FindString(l.rest) // blanks after it are a slip
	switch {
	case blank != "":
		l.take(len(blank))
	case l.rest == "":
	case l.windows && l.rest[0] != '"':
		l.put(`\`)
	default:
		l.put(l.take(1))
	}
}

// dollar turns a reference of the shell into one of ours.
func (l *lexer) dollar() error {
	switch {
	case strings.HasPrefix(l.rest, "$'"):
		return l.single(2)
	case strings.HasPrefix(l.rest, "$("):
		n := strings.IndexByte(l.rest, ')')
		if n < 0 {
			return errOpenBraces
		}
		if inner := l.take(n + 1); strings.TrimSpace(inner[2:n]) == "pwd" {
			l.put("${workspace}")
		} else {
			l.put(inner)
		}
		return nil
	}
	name := l.reference.FindString(l.rest)
	switch {
	case name == "":
		l.put(l.take(1))
		return nil
	case strings.Trim(name, "${}") == "PWD":
		l.put("${workspace}")
	default:
		l.put("${" + strings.Trim(name, "${}") + "}")
	}
	l.take(len(name))
	return nil
}
