//go:build linux

package e2e

import (
	"fmt"
	"net/http/httptest"
	"testing"

	"patchbay/backend/mcpconn/mcptest"
)

// A server of each era connects by itself, and the Overview says what it speaks, what it
// offers and what of that is on its way out; a revision that does not exist is told.
func TestErasOfServers(t *testing.T) {
	old := httptest.NewServer(mcptest.NewSSE("ok"))
	t.Cleanup(func() {
		old.CloseClientConnections()
		old.Close()
	})
	demo := fmt.Sprintf(`{"command": %q, "args": ["demo-server"]}`, binary(t, "CLI_BIN"))
	a := start(t, options{
		files: map[string]string{
			"~/.ai4j/mcp.json": store(t,
				definition{"demo", demo},
				definition{"old", fmt.Sprintf(`{"type": "sse", "url": %q}`, old.URL+"/sse")},
				definition{"pinned", `{"command": "demo", "protocol": "2025-06-19"}`}),
			".ai4j/workspace.json": enablement("demo", "old", "pinned"),
		},
	})
	a.trustAll([]string{"demo", "old", "pinned"})
	a.reaches("connected", "demo", "old")
	a.because("pinned", "unsupported protocol: 2025-06-19", "2026-07-28")

	panel := a.detail("demo", "Overview")
	panel.by("region", "Protocol").says("the newest", has("2026-07-28", "the newest", "stdio", "tools"))
	a.accessible("overview of the newest revision")
	a.shot("eras-newest")
	panel.by("button", "Close details").click()

	panel = a.detail("old", "Overview")
	part := panel.by("region", "Protocol")
	part.says("the older", has("2024-11-05", "sse", "fake 1.2.3", "Leans on deprecated: the HTTP+SSE transport."))
	part.by("list", "Capabilities").says("what it declares", has("tools", "listChanged"))
	a.accessible("overview of an older revision")
	a.shot("eras-deprecated")
	a.theme("dark")
	a.shot("eras-deprecated-dark")
}
