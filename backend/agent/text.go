package agent

import (
	"strings"

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
