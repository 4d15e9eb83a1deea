//go:build linux

package bench

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/benchtest"
)

const (
	boardServers = 500
	boardTools   = 20 // of each
)

// watchKeys notes for each input event the milliseconds until the frame after the next one
// begins: what the key changed is on the screen by then.
const watchKeys = `
window.__keys = [];
document.addEventListener("input", (e) => {
  const from = Math.min(e.timeStamp, performance.now());
  requestAnimationFrame(() => requestAnimationFrame(() => window.__keys.push(performance.now() - from)));
}, true);`

// BenchmarkBoard measures P8: a key in the board's filter until it is painted.
func BenchmarkBoard(b *testing.B) {
	for b.Loop() {
		p := newPlace(b)
		p.servers(b, remote(b))
		v := drive(b, p)
		v.eventually("every server is connected", `
const rows = window.__rows ?? []; window.go.app.MCP.Snapshot().then(s => { window.__rows = s.rows; });
return rows.filter(r => r.state === "connected").length === arguments[0] && rows.reduce((n, r) => n + r.toolCount, 0) === arguments[1]`, boardServers, boardServers*boardTools)
		v.run(watchKeys, nil)
		keys := typed(v)
		v.close()
		benchtest.Report(b,
			benchtest.Judged("P8", fmt.Sprintf("%d servers with %d tools: a key in the filter until it is painted, p95, milliseconds", boardServers, boardServers*boardTools), benchtest.Percentile(keys, 0.95), 50),
			benchtest.Plain("P8.p50", "the same, p50, milliseconds", benchtest.Median(keys)))
	}
}

// typed types names and deletes them again, twenty keys in all, each painted before the next.
func typed(v *driven) []float64 {
	v.tb.Helper()
	var keys []float64
	const deleted = "\ue003" // Backspace (W3C WebDriver, section 17.4.2)
	for i, key := range strings.Split("s,1,2,3,x,"+strings.Repeat(deleted+",", 5)+"4,9,9,z,q,"+strings.Repeat(deleted+",", 4)+deleted, ",") {
		v.keys("Filter servers", key)
		v.eventually("the key is painted", `return window.__keys.length > arguments[0]`, i)
	}
	v.run(`return window.__keys`, &keys)
	return keys
}

// remote are servers behind one address of this process, stateless, as many as the board
// is measured with.
func remote(tb testing.TB) map[string]map[string]any {
	tb.Helper()
	var mu sync.Mutex
	servers := map[string]*mcp.Server{}
	handler := mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		mu.Lock()
		defer mu.Unlock()
		name := strings.TrimPrefix(r.URL.Path, "/")
		if servers[name] == nil {
			servers[name] = offering(name)
		}
		return servers[name]
	}, &mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	address := httptest.NewServer(handler)
	tb.Cleanup(func() {
		address.CloseClientConnections()
		address.Close()
	})
	all := map[string]map[string]any{}
	for i := range boardServers {
		name := fmt.Sprintf("s%03d", i)
		all[name] = map[string]any{"type": "http", "url": address.URL + "/" + name}
	}
	return all
}

func offering(name string) *mcp.Server {
	type args struct {
		Path  string `json:"path" jsonschema:"what to read"`
		Limit int    `json:"limit,omitempty" jsonschema:"how much of it"`
	}
	s := mcp.NewServer(&mcp.Implementation{Name: name, Version: "1"}, nil)
	for i := range boardTools {
		mcp.AddTool(s, &mcp.Tool{Name: fmt.Sprintf("%s_tool_%d", name, i), Description: "Reads something of " + name + "."},
			func(context.Context, *mcp.CallToolRequest, args) (*mcp.CallToolResult, any, error) {
				return &mcp.CallToolResult{}, nil, nil
			})
	}
	return s
}
