package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// ModelTextLimit is how many bytes of a result the model reads.
const ModelTextLimit = 40_000

// ModelText is what the model reads of a result: text, structured content that no text
// says already, and notes in the place of media, never their bytes; a mark on errors;
// "(no output)" for nothing, since APIs refuse a message without content. It is valid
// UTF-8. What is longer than limit bytes is cut in the middle to about limit, and save,
// where it is not nil, keeps the whole and tells its path. A limit of 0 or less is
// ModelTextLimit.
func ModelText(r Result, limit int, save func(full string) (path string, err error)) string {
	if limit <= 0 {
		limit = ModelTextLimit
	}
	var parts []string
	for _, c := range r.Content {
		if part := partText(c, r.Content); part != "" {
			parts = append(parts, part)
		}
	}
	if r.Warning != "" {
		parts = append(parts, "[warning: "+r.Warning+"]")
	}
	text := strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	if !r.OK && r.Reason != Rejected && !strings.HasPrefix(text, "Error: ") {
		text = "Error: " + text
	}
	if len(text) <= limit {
		return text
	}
	return cutText(text, limit, save)
}

func partText(c Content, all []Content) string {
	switch c.Kind {
	case Structured:
		if saidAsText(c.JSON, all) {
			return ""
		}
		return string(c.JSON)
	case Image, Audio:
		return fmt.Sprintf("[%s, %s, shown to the user]", words(string(c.Kind), c.MIMEType), size(len(c.Data)))
	case Resource:
		if len(c.Data) > 0 {
			return fmt.Sprintf("[%s, %s, binary]", words("resource", c.URI, c.MIMEType), size(len(c.Data)))
		}
		return strings.TrimSpace(fmt.Sprintf("[%s]\n%s", words("resource", c.URI), c.Text))
	case ResourceLink:
		return words(fmt.Sprintf("[%s]", words("resource link", c.URI)), c.Name, c.Text)
	case Text:
		return c.Text
	}
	return c.Text
}

// words joins what is not empty.
func words(parts ...string) string {
	parts = slices.DeleteFunc(parts, func(part string) bool { return part == "" })
	return strings.Join(parts, " ")
}

// saidAsText reports whether a text part is the same JSON, as the specification asks
// servers to send for older clients (server/tools, structured content).
func saidAsText(raw json.RawMessage, all []Content) bool {
	want := canonical(raw)
	for _, c := range all {
		if c.Kind == Text && json.Valid([]byte(c.Text)) && bytes.Equal(canonical(json.RawMessage(c.Text)), want) {
			return true
		}
	}
	return false
}

func size(n int) string {
	switch {
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%d KB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}

// cutNote is about how many bytes the note of a cut takes beside the path it names.
const cutNote = 80

// cutText keeps head and tail, and says how much is left out and where it is.
func cutText(text string, limit int, save func(string) (string, error)) string {
	where := ""
	if save != nil {
		if path, err := save(text); err == nil {
			where = "; the full text is in " + path
		} else {
			where = "; the full text could not be kept: " + err.Error()
		}
		where = strings.ToValidUTF8(where, "\uFFFD")
	}
	room := max(limit-cutNote-len(where), limit/2) // a note that is long takes at most half
	head, from := room*2/3, len(text)-room/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return fmt.Sprintf("%s\n\n[… %s of %s left out%s …]\n\n%s", text[:head], size(from-head), size(len(text)), where, text[from:])
}
