package mcpauth

import (
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// What a server says is shown, logged and copied, so there is a limit to it, in bytes.
const (
	saidMost  = 200 // of a text inside a sentence
	errorMost = 500 // of a sentence
)

// brief is a text of a server on one line, without what changes how the text around it is
// read, and no longer than most bytes.
func brief(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text[:min(len(text), 4*most)])
	if text = strings.Join(strings.Fields(text), " "); len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// briefError is an error with as much of its text as may be shown.
type briefError struct{ err error }

func (e *briefError) Error() string { return brief(e.err.Error(), errorMost) }
func (e *briefError) Unwrap() error { return e.err }

func briefly(err error) error {
	if err == nil {
		return nil
	}
	return &briefError{err}
}

// secretFields are those of a form that nobody but the server may read.
var secretFields = []string{"code", "code_verifier", "refresh_token", "client_secret", "client_assertion", "assertion", "subject_token", "token"}

// without hides what a form holds that is secret, and more, in what a server said to it.
func without(text string, form url.Values, more ...string) string {
	const least = 4 // shorter ones are in every word
	for _, name := range secretFields {
		more = append(more, form[name]...)
	}
	slices.SortFunc(more, func(a, b string) int { return len(b) - len(a) })
	for _, secret := range more {
		if len(secret) < least {
			continue
		}
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret)} {
			text = strings.ReplaceAll(text, form, "•••")
		}
	}
	return text
}
