package mcpconn_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/proc"
)

// stateless is a server of 2026-07-28 over HTTP; every request that arrives is seen first.
func stateless(t *testing.T, server *mcp.Server, see func(*http.Request)) mcpconf.Definition {
	t.Helper()
	h := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	return mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		see(r)
		h.ServeHTTP(w, r)
	})))
}

// watchful is a rig that looks often whether a list of tools still holds.
func watchful(t *testing.T) rig {
	t.Helper()
	s := proc.NewSupervisor(proc.SupervisorOptions{})
	t.Cleanup(s.Close)
	return rig{supervisor: s, Dialer: mcpconn.NewDialer(mcpconn.Options{
		Version: "1.2.3", Supervisor: s, LeastTools: 50 * time.Millisecond,
		Environment: proc.NewEnvironment(os.Environ(), proc.EnvironmentOptions{Probe: proc.ProbeNever, Supervisor: s}),
	})}
}

func said(text string) (*mcp.CallToolResult, error) {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}

const routed = `{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},
	"at":{"type":"object","properties":{"depth":{"type":"integer","x-mcp-header":"Depth"},"dry":{"type":"boolean","x-mcp-header":"Dry-Run"}}},
	"plain":{"type":"string"}}}`

// TestArgumentsAreMirroredInHeaders: a go-sdk server compares them with the body.
func TestArgumentsAreMirroredInHeaders(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "routed", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "route", InputSchema: json.RawMessage(routed)}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return said(string(req.Params.Arguments))
	})
	var mu sync.Mutex
	var last http.Header
	c, _ := newRig(t).connect(t, target(stateless(t, server, func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if r.Header.Get("Mcp-Method") == "tools/call" {
			last = r.Header.Clone()
		}
	})))
	for _, test := range []struct {
		arguments string
		want      map[string]string // "" is absent
	}{
		{`{"region":"us-west1","at":{"depth":42,"dry":true},"plain":"p"}`, map[string]string{"Region": "us-west1", "Depth": "42", "Dry-Run": "true", "Plain": ""}},
		{`{"region":"Zürich"}`, map[string]string{"Region": "=?base64?WsO8cmljaA==?=", "Depth": ""}},
		{`{"region":" padded "}`, map[string]string{"Region": "=?base64?IHBhZGRlZCA=?="}},
		{`{"region":"=?base64?eA==?="}`, map[string]string{"Region": "=?base64?PT9iYXNlNjQ/ZUE9PT89?="}},
		{`{"region":"two\nlines"}`, map[string]string{"Region": "=?base64?dHdvCmxpbmVz?="}},
		{`{"region":null,"at":{}}`, map[string]string{"Region": "", "Depth": ""}},
		{`{}`, map[string]string{"Region": ""}},
	} {
		got := call(t, c, "route", test.arguments)
		if !got.OK {
			t.Errorf("%s: %s", test.arguments, textOf(got))
		}
		mu.Lock()
		for name, want := range test.want {
			if value := last.Get("Mcp-Param-" + name); value != want {
				t.Errorf("%s: Mcp-Param-%s is %q, want %q", test.arguments, name, value, want)
			}
		}
		if last.Get("Mcp-Name") != "route" {
			t.Errorf("Mcp-Name is %q", last.Get("Mcp-Name"))
		}
		mu.Unlock()
	}
}

// TestAChangedSchemaIsReadAgain: a call that is refused because its headers do not fit was
// not run, so it is sent again with those of the new schema.
func TestAChangedSchemaIsReadAgain(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "routed", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	add := func(schema string) {
		server.AddTool(&mcp.Tool{Name: "route", InputSchema: json.RawMessage(schema)}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return said(string(req.Params.Arguments))
		})
	}
	add(`{"type":"object"}`)
	c, _ := newRig(t).connect(t, target(stateless(t, server, func(*http.Request) {})))
	add(routed)
	wantText(t, call(t, c, "route", `{"region":"eu"}`), `{"region":"eu"}`)
}

// TestASchemaThatBreaksTheRulesOfHeaders loses its tool, with the reason, where there are
// headers at all.
func TestASchemaThatBreaksTheRulesOfHeaders(t *testing.T) {
	bad := map[string]string{
		"space":  `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"Not A Name"}}}`,
		"empty":  `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":""}}}`,
		"number": `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":7}}}`,
		"object": `{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}`,
		"twice":  `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"},"b":{"type":"string","x-mcp-header":"a"}}}`,
		"items":  `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string","x-mcp-header":"A"}}}}`,
		"root":   `{"type":"object","x-mcp-header":"A"}`,
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "routed", Version: "1"}, nil)
	bad["good"] = `{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A","default":{"x-mcp-header":"no schema"}}}}`
	server.AddTool(&mcp.Tool{Name: "good", InputSchema: json.RawMessage(bad["good"])}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return said("ran") })
	server.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler { // go-sdk adds no such tools
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			result, err := next(ctx, method, req)
			if list, ok := result.(*mcp.ListToolsResult); ok {
				list.Tools = nil
				for name, schema := range bad {
					list.Tools = append(list.Tools, &mcp.Tool{Name: name, InputSchema: json.RawMessage(schema)})
				}
			}
			return result, err
		}
	})
	c, _ := newRig(t).connect(t, target(stateless(t, server, func(*http.Request) {})))
	if len(c.Tools()) != len(bad) {
		t.Errorf("%d tools, want %d", len(c.Tools()), len(bad))
	}
	for _, tool := range c.Tools() {
		if (tool.Skipped == "") != (tool.Name == "good") {
			t.Errorf("%s: skipped %q", tool.Name, tool.Skipped)
		}
	}
}

// TestAListenThatEndsOnStdioIsOpenedAgain, and what changed meanwhile is seen.
func TestAListenThatEndsOnStdioIsOpenedAgain(t *testing.T) {
	c, heard := newRig(t).connect(t, target(mcptest.Definition("modern")))
	grown := func(name string) func(*ear) bool {
		return func(*ear) bool { return slices.Contains(toolNames(c), name) }
	}
	wantText(t, call(t, c, "grow", `{}`), "grown")
	heard.until(t, "a change that is told", grown("grown_0"))
	wantText(t, call(t, c, "cut", `{}`), "cut")
	wantText(t, call(t, c, "grow", `{}`), "grown") // nobody listens
	heard.until(t, "a change that was missed", grown("grown_1"))
	wantText(t, call(t, c, "grow", `{}`), "grown")
	heard.until(t, "a change that is told again", grown("grown_2"))
}

// TestAListThatMayBeOldIsReadAgain where its server does not tell of changes, and told of
// only when it is another.
func TestAListThatMayBeOldIsReadAgain(t *testing.T) {
	for _, mode := range []string{"modern=silent", "modern=refuses"} {
		t.Run(mode, func(t *testing.T) {
			c, heard := watchful(t).connect(t, target(mcptest.Definition(mode)))
			wantText(t, call(t, c, "grow", `{}`), "grown")
			heard.until(t, "the change", func(e *ear) bool { return e.changes > 0 })
			if !slices.Contains(toolNames(c), "grown_0") {
				t.Errorf("tools %v", toolNames(c))
			}
			time.Sleep(time.Second) // it looks again, and there is nothing new
			heard.mu.Lock()
			defer heard.mu.Unlock()
			if heard.changes != 1 {
				t.Errorf("told %d times", heard.changes)
			}
			if refused := strings.Contains(strings.Join(heard.logs, "\n"), "no streams here"); refused != (mode == "modern=refuses") {
				t.Errorf("log %v", heard.logs)
			}
		})
	}
}

// TestASignOfLifeShowsANewList: where it is a list, it is compared with the kept one.
func TestASignOfLifeShowsANewList(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "quiet", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}})
	add := func(name string) {
		server.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return said(name) })
	}
	add("first")
	c, heard := newRig(t).connect(t, target(stateless(t, server, func(*http.Request) {})))
	add("second")
	if err := c.Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	heard.until(t, "tools changed", func(e *ear) bool { return e.changes > 0 })
	if !slices.Contains(toolNames(c), "second") {
		t.Errorf("tools %v", toolNames(c))
	}
}

// TestWhatAServerLeansOn is seen as it is used, in both eras, and told once.
func TestWhatAServerLeansOn(t *testing.T) {
	check := func(t *testing.T, c mcpconn.Conn, heard *ear, want ...mcpconn.Deprecated) {
		t.Helper()
		heard.until(t, "what it leans on", func(e *ear) bool { return len(e.leans) >= len(want) })
		got := c.Info().Deprecated
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("leans on %v, want %v", got, want)
		}
		heard.mu.Lock()
		defer heard.mu.Unlock()
		if len(heard.leans) != len(want) {
			t.Errorf("told of %v, want each once", heard.leans)
		}
	}
	t.Run("roots and logging", func(t *testing.T) {
		c, heard := newRig(t).connect(t, target(mcptest.Definition("ok")))
		check(t, c, heard)
		for range 2 {
			call(t, c, "roots", `{}`)
			call(t, c, "log", `{"text":"x"}`)
		}
		check(t, c, heard, mcpconn.LeansOnRoots, mcpconn.LeansOnLogging)
	})
	t.Run("sse", func(t *testing.T) {
		c, heard := newRig(t).connect(t, target(mcptest.Remote(mcpconf.SSE, serveHTTP(t, mcptest.NewSSE("ok")))))
		check(t, c, heard, mcpconn.LeansOnSSE)
	})
	for name, def := range askingDefinitions(t) {
		t.Run("sampling, "+name, func(t *testing.T) {
			c, heard := askingConn(t, def, says("decline", ""))
			call(t, c, "sample", `{}`)
			check(t, c, heard, mcpconn.LeansOnSampling)
		})
	}
}

// TestPendingRequestsEndWithTheReason: not only calls of tools do.
func TestPendingRequestsEndWithTheReason(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "hanging", Version: "1"}, nil)
	asked := make(chan string, 8)
	server.AddResource(&mcp.Resource{URI: "test://hang", Name: "hang"}, func(ctx context.Context, _ *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		asked <- "resource"
		<-ctx.Done()
		return nil, ctx.Err()
	})
	server.AddPrompt(&mcp.Prompt{Name: "hang"}, func(ctx context.Context, _ *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		asked <- "prompt"
		<-ctx.Done()
		return nil, ctx.Err()
	})
	c, _ := newRig(t).connect(t, target(stateless(t, server, func(*http.Request) {})))
	answers := make(chan error, 2)
	go func() { _, err := c.ReadResource(background(), "test://hang"); answers <- err }()
	go func() { _, err := c.GetPrompt(background(), "hang", nil); answers <- err }()
	for range 2 {
		receive(t, "a request", asked)
	}
	c.Close("paused in this session")
	for range 2 {
		if err := <-answers; err == nil || !strings.Contains(err.Error(), "paused in this session") {
			t.Errorf("it ended as %v", err)
		}
	}
}
