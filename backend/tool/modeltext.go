package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ModelTextLimit is how many bytes of a result the model reads.
const ModelTextLimit = 40_000

// ModelText is what the model reads of a result: text, structured content that no text
// says already, and notes in the place of media; a mark on errors; "(no output)" for
// nothing, since APIs refuse a message without content. What is longer than limit bytes is
// cut in the middle, and save, where it is not nil, keeps the whole and tells its path.
func ModelText(r Result, limit int, save func(full string) (path string, err error)) string {
	var parts []string
	for _, c := range r.Content {
		if part := partText(c, r.Content); part != "" {
			parts = append(parts, part)
		}
	}
	text := strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	if !r.OK && r.Reason != Rejected {
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
		return fmt.Sprintf("[%s %s, %s, shown to the user]", c.Kind, c.MIMEType, size(len(c.Data)))
	case Resource:
		if len(c.Data) > 0 {
			return fmt.Sprintf("[resource %s %s, %s, binary]", c.URI, c.MIMEType, size(len(c.Data)))
		}
		return strings.TrimSpace(fmt.Sprintf("[resource %s]\n%s", c.URI, c.Text))
	case ResourceLink:
		return strings.TrimSpace(fmt.Sprintf("[resource link %s] %s %s", c.URI, c.Name, c.Text))
	case Text:
		return c.Text
	}
	return c.Text
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

// cutText keeps head and tail, and says how much is left out and where it is.
func cutText(text string, limit int, save func(string) (string, error)) string {
	where := ""
	if save != nil {
		if path, err := save(text); err == nil {
			where = "; the full text is in " + path
		} else {
			where = "; the full text could not be kept: " + err.Error()
		}
	}
	head, tail := limit*2/3, limit/3
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	from := len(text) - tail
	for from < len(text) && !utf8.RuneStart(text[from]) {
		from++
	}
	return fmt.Sprintf("%s\n\n[… %s of %s left out%s …]\n\n%s", text[:head], size(from-head), size(len(text)), where, text[from:])
}
