package practice

import (
	"fmt"
	"strings"

	"patchbay/backend/model"
)

// attachments takes the attached resources off a message: what a server wrote asks for no
// call. It returns one line for each, with the beginning of its text.
func attachments(text string) (prompt string, lines []string) {
	parts := strings.Split("\n\n"+text, "\n\n"+model.AttachedMark)
	for _, part := range parts[1:] {
		head, rest, _ := strings.Cut(part, "\n")
		about, _, _ := strings.Cut(head, " What stands between")
		line := "- " + about
		if _, body, fenced := strings.Cut(rest, "\n"); fenced {
			first, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
			line += " It begins: " + cut(first, 160)
		}
		lines = append(lines, line)
	}
	return strings.TrimPrefix(parts[0], "\n\n"), lines
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
