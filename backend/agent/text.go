package agent

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"patchbay/backend/tool"
)

const (
	maxText  = 40_000 // bytes of a result that the model reads
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

// modelText is what the model reads of a result where the options say no other way: text,
// notes in place of media, a mark on errors, cut in the middle when it is long.
func modelText(r tool.Result) string {
	var parts []string
	for _, c := range r.Content {
		if part := contentText(c); part != "" && (c.Kind != tool.Structured || plain(r) == "") {
			parts = append(parts, part)
		}
	}
	text := strings.ToValidUTF8(strings.Join(parts, "\n"), "\uFFFD")
	if strings.TrimSpace(text) == "" {
		text = "(no output)"
	}
	if !r.OK {
		text = "Error: " + text
	}
	return cutMiddle(text, maxText)
}

func contentText(c tool.Content) string {
	switch {
	case c.Kind == tool.Structured:
		return string(c.JSON)
	case len(c.Data) > 0:
		return fmt.Sprintf("[%s %s, %d bytes, shown to the user]", c.Kind, c.MIMEType, len(c.Data))
	case c.Kind == tool.Resource, c.Kind == tool.ResourceLink:
		return strings.TrimSpace(fmt.Sprintf("[%s %s %s]\n%s", c.Kind, c.Name, c.URI, c.Text))
	}
	return c.Text
}

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
