package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"patchbay/backend/tool"
)

const (
	maxImage = 5 << 20
)

// plain is the text of a result as it stands.
func plain(r tool.Result) string {
	var parts []string
	for _, c := range r.Content {
		if c.Kind == tool.Text {
			parts = append(parts, c.Text)
		}
	}
	return strings.Join(parts, "\n")
}

// cutMiddle keeps head and tail of a long text.
func cutMiddle(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head, tail := limit*3/4, len(text)-limit/4
	for !utf8.RuneStart(text[head]) {
		head--
	}
	for !utf8.RuneStart(text[tail]) {
		tail++
	}
	return fmt.Sprintf("%s\n[… %d bytes left out …]\n%s", text[:head], tail-head, text[tail:])
}

// images are the pictures of a result that a model may be sent.
func images(r tool.Result) []tool.Content {
	var out []tool.Content
	for _, c := range r.Content {
		if c.Kind == tool.Image && len(c.Data) > 0 && len(c.Data) <= maxImage {
			out = append(out, c)
		}
	}
	return out
}
