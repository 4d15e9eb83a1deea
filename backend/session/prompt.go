package session

import (
	"fmt"
	"runtime"
	"strings"
	"time"

	"patchbay/backend/mcphost"
)

// systemPrompt tells the model where it is, what it may touch, and which opened servers
// are down.
func (s *Session) systemPrompt(allow []string) string {
	var b strings.Builder
	b.WriteString("You are the agent of Patchbay, a desktop application for developers. Answer in the language of the user, in Markdown, and to the point. ")
	b.WriteString("Use the tools you are given when they help; never invent a tool or a result. When a call is rejected by the user, do not repeat it: ask or go another way.\n\n")
	fmt.Fprintf(&b, "Today is %s. The system is %s/%s.\n", time.Now().Format("Monday, 2 January 2006"), runtime.GOOS, runtime.GOARCH)
	if s.workspace != "" {
		fmt.Fprintf(&b, "The workspace is %s. Paths are relative to it, and file tools cannot leave it. Change existing files with apply_patch; run commands with bash.\n", s.workspace)
	} else {
		b.WriteString("This is a plain chat without a workspace: there are no file tools and no shell.\n")
	}
	snap, _ := s.Rows().Get()
	if down := downServers(snap.Rows, allow); len(down) > 0 {
		b.WriteString("\nThese MCP servers are open in this session but not available now, so their tools are missing:\n")
		for _, line := range down {
			b.WriteString("- " + line + "\n")
		}
	}
	return b.String()
}

// shortReason is how many characters of a reason are told beside others: the row has it all.
const shortReason = 160

func short(text string) string {
	if runes := []rune(text); len(runes) > shortReason {
		return string(runes[:shortReason]) + "…"
	}
	return text
}

// downServers says which of the opened servers, or of those the workspace enables but
// nobody defined, a turn goes without, and why.
func downServers(rows []mcphost.Row, allow []string) []string {
	open := map[string]bool{}
	for _, name := range allow {
		open[name] = true
	}
	var down []string
	for _, r := range rows {
		if (open[r.Name] || r.State == mcphost.Missing) && r.State != mcphost.Connected {
			down = append(down, fmt.Sprintf("%s (%s: %s)", r.Name, r.State, short(unavailable(r))))
		}
	}
	return down
}
