package mcpconn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/tool"
)

// TestS04TheEnvironmentOfADefinitionOnlyAdds: the rest of the environment stays.
func TestS04TheEnvironmentOfADefinitionOnlyAdds(t *testing.T) {
	base := []string{"PATH=" + os.Getenv("PATH"), "HOME=/first", "HOME=/home/of/test", "KEPT=kept", "API_KEY=old"}
	c, _ := newRigIn(t, base).connect(t, target(mcptest.Definition("ok", mcptest.Env("API_KEY", "k"))))
	for name, want := range map[string]string{"API_KEY": "k", "HOME": "/home/of/test", "KEPT": "kept", "PATH": os.Getenv("PATH")} {
		wantText(t, call(t, c, "printenv", `{"name":"`+name+`"}`), want)
	}
}

// TestS15AFloodOnStderrBlocksNothing: 256 KiB before the handshake, 64 KiB with each call.
func TestS15AFloodOnStderrBlocksNothing(t *testing.T) {
	c, heard := newRig(t).connect(t, target(mcptest.Definition("stderrflood")))
	for range 50 {
		wantText(t, call(t, c, "echo", `{"text":"dry"}`), "dry")
	}
	heard.until(t, "the whole flood", func(e *ear) bool { return len(e.stderr) >= (256<<10+50*64<<10)/128 })
	_ = call(t, c, "die", `{}`)
	ended(t, c)
	size := 0
	for _, line := range c.Lost().Evidence.Stderr {
		size += len(line) + 1
	}
	if size == 0 || size > 64<<10 {
		t.Errorf("%d bytes of stderr are kept", size)
	}
}

// TestS18AHangingServerHoldsUpNoOther: three good ones beside one that never answers.
func TestS18AHangingServerHoldsUpNoOther(t *testing.T) {
	r := newRig(t)
	ctx, cancel := context.WithCancel(t.Context())
	hanging := make(chan error, 1)
	go func() {
		_, err := r.Dial(ctx, target(mcptest.Definition("hang")), newEar())
		hanging <- err
	}()
	var good sync.WaitGroup
	for _, name := range []string{"a", "b", "c"} {
		good.Go(func() {
			c, err := r.Dial(t.Context(), target(mcptest.Definition("ok", mcptest.Named(name))), newEar())
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			c.Close("the test is over")
		})
	}
	good.Wait()
	select {
	case err := <-hanging:
		t.Errorf("the hanging server ended first: %v", err)
	default:
	}
	cancel()
	if err := <-hanging; err == nil {
		t.Error("the hanging server connected")
	}
}

// TestOnlyTheStatelessRevision: servers that refuse initialize are never asked by it.
func TestOnlyTheStatelessRevision(t *testing.T) {
	server := newSDKServer()
	modern := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	for name, refuse := range map[string]func(http.ResponseWriter, json.RawMessage){
		"method not found": func(w http.ResponseWriter, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(id)+`,"error":{"code":-32601,"message":"method not found"}}`)
		},
		"unsupported version by HTTP 400": func(w http.ResponseWriter, id json.RawMessage) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":`+string(id)+`,"error":{"code":-32022,"message":"unsupported protocol version","data":{"supported":["2026-07-28"]}}}`)
		},
		"a bare HTTP 400": func(w http.ResponseWriter, _ json.RawMessage) { http.Error(w, "missing header", http.StatusBadRequest) },
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			refused := 0
			url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					return // the client is gone
				}
				var head struct {
					ID     json.RawMessage `json:"id"`
					Method string          `json:"method"`
				}
				_ = json.Unmarshal(body, &head) // the handler below says what is wrong with it
				if head.Method == "initialize" {
					mu.Lock()
					refused++
					mu.Unlock()
					refuse(w, head.ID)
					return
				}
				r.Body = io.NopCloser(bytes.NewReader(body))
				modern.ServeHTTP(w, r)
			}))
			rig := newRig(t)
			def := mcptest.Remote(mcpconf.StreamableHTTP, url)
			for range 2 {
				c, _ := rig.connect(t, target(def))
				if c.Info().Protocol != "2026-07-28" {
					t.Errorf("revision %s", c.Info().Protocol)
				}
				wantText(t, call(t, c, "echo", `{"text":"hi"}`), "hi")
				c.Close("again")
			}
			if refused != 0 {
				t.Errorf("initialize was tried %d times", refused)
			}
		})
	}
}

// TestOlderRevisionsAreAccepted, and a definition can ask for one.
func TestOlderRevisionsAreAccepted(t *testing.T) {
	r := newRig(t)
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		c, _ := r.connect(t, target(mcptest.Definition("version="+revision)))
		if c.Info().Protocol != revision {
			t.Errorf("revision %s, want %s", c.Info().Protocol, revision)
		}
		wantText(t, call(t, c, "echo", `{"text":"hi"}`), "hi")
	}
	heard := filepath.Join(t.TempDir(), "heard")
	def := mcptest.Definition("version=2025-03-26", mcptest.Heard(heard))
	def.Protocol = "2025-03-26"
	r.connect(t, target(def))
	wantHas(t, "initialize", read(t, heard), `"protocolVersion":"2025-03-26"`, `"name":"patchbay"`, `"roots":{"listChanged":true}`)
	if strings.Contains(read(t, heard), "sampling") || strings.Contains(read(t, heard), "elicitation") {
		t.Errorf("a capability is declared that nobody answers: %s", read(t, heard))
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestPrettyPrintedFrames: a message over several lines is one message.
func TestPrettyPrintedFrames(t *testing.T) {
	c, heard := newRig(t).connect(t, target(mcptest.Definition("pretty")))
	wantText(t, call(t, c, "echo", `{"text":"hi"}`), "hi")
	if lines := heard.lines(); lines != "" {
		t.Errorf("taken for noise: %s", lines)
	}
}

// TestWhatAServerAsksAndSays: roots, its log, and a list that changed four times at once.
func TestWhatAServerAsksAndSays(t *testing.T) {
	to := target(mcptest.Definition("ok"))
	to.Workspace = t.TempDir()
	c, heard := newRig(t).connect(t, to)
	wantHas(t, "roots", textOf(call(t, c, "roots", `{}`)), "file://"+filepath.ToSlash(to.Workspace))
	wantText(t, call(t, c, "log", `{"text":"slow query"}`), "logged")
	heard.until(t, "the log", func(e *ear) bool { return slices.Contains(e.logs, "warning db: slow query") })
	wantText(t, call(t, c, "grow", `{}`), "grown")
	heard.until(t, "tools changed", func(e *ear) bool { return e.changes > 0 })
	if !slices.Contains(toolNames(c), "grown_0") {
		t.Errorf("tools %v", toolNames(c))
	}
	heard.mu.Lock()
	defer heard.mu.Unlock()
	if heard.changes > 2 {
		t.Errorf("four notices made %d lists", heard.changes)
	}
}

// TestContentOfEveryKind: what is unknown loses nothing else.
func TestContentOfEveryKind(t *testing.T) {
	c, _ := newRig(t).connect(t, target(mcptest.Definition("ok")))
	for name, want := range map[string]tool.Content{
		"audio":    {Kind: tool.Audio, MIMEType: "audio/wav", Data: []byte("RIFF")},
		"resource": {Kind: tool.Resource, URI: "file:///a.txt", MIMEType: "text/plain", Text: "inside"},
		"link":     {Kind: tool.ResourceLink, URI: "file:///b.txt", Name: "b.txt"},
		"scontent": {Kind: tool.Structured, JSON: json.RawMessage(`{"accounts":[1]}`)},
	} {
		got := call(t, c, name, `{}`)
		if !got.OK || len(got.Content) != 1 || got.Content[0].Kind != want.Kind || got.Content[0].Text != want.Text ||
			got.Content[0].URI != want.URI || got.Content[0].Name != want.Name || got.Content[0].MIMEType != want.MIMEType ||
			!bytes.Equal(got.Content[0].Data, want.Data) || !bytes.Equal(got.Content[0].JSON, want.JSON) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
	got := call(t, c, "hologram", `{}`)
	if !got.OK || len(got.Content) != 2 || got.Content[1].Text != "beside it" || !strings.Contains(got.Content[0].Text, "hologram") {
		t.Errorf("hologram: %+v", got)
	}
	got = call(t, c, "refuse", `{}`)
	if got.OK || got.Reason != tool.ProtocolFailed {
		t.Errorf("refuse: %+v", got)
	}
	wantHas(t, "refuse", textOf(got), "no such city", "-32602")
	big := call(t, c, "big", `{"bytes":2000000}`)
	if !big.OK || len(textOf(big)) != 2000000 {
		t.Errorf("big: ok=%v, %d bytes", big.OK, len(textOf(big)))
	}
}

// TestManyCallsAtOnce: none waits for another, and none hears another's progress.
func TestManyCallsAtOnce(t *testing.T) {
	c, _ := newRig(t).connect(t, target(mcptest.Definition("ok")))
	hung, stop := context.WithCancel(t.Context())
	var hanging sync.WaitGroup
	hanging.Go(func() { c.Call(hung, "hang", nil, limits(), nil) })
	var calls sync.WaitGroup
	for n := 1; n <= 20; n++ {
		calls.Go(func() {
			arguments, err := json.Marshal(map[string]any{"n": n, "each": "1ms"})
			if err != nil {
				t.Error(err)
				return
			}
			heard := 0
			got := c.Call(t.Context(), "progress", arguments, limits(), func(p tool.Progress) {
				if heard++; p.Progress != float64(heard) || p.Total != float64(n) {
					t.Errorf("call %d heard %+v as its %dth", n, p, heard)
				}
			})
			if !got.OK || heard != n {
				t.Errorf("call %d: ok=%v, heard %d", n, got.OK, heard)
			}
		})
	}
	calls.Wait()
	stop()
	hanging.Wait()
}

// TestCloseIsBounded: a server that ignores TERM and the end of stdin, and one that answers
// nothing any more.
func TestCloseIsBounded(t *testing.T) {
	closes := func(t *testing.T, def mcpconf.Definition, before func()) {
		t.Helper()
		c, _ := newRig(t).connect(t, target(def))
		before()
		began := time.Now()
		c.Close("quit")
		if took := time.Since(began); took > patience/2 {
			t.Errorf("close took %s", took)
		}
		ended(t, c)
	}
	t.Run("stdio", func(t *testing.T) { closes(t, mcptest.Definition("ignoreterm"), func() {}) })
	t.Run("streamable", func(t *testing.T) {
		server := mcptest.NewHTTP("stream")
		closes(t, mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, server)), func() { server.SetMode("blackhole") })
	})
}

// TestASubscriptionThatIsCutIsOpenedAgain: in 2026-07-28 a change that came while it was cut
// is seen too, and a server that is gone is noticed.
func TestASubscriptionThatIsCutIsOpenedAgain(t *testing.T) {
	server := newSDKServer()
	modern := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	subscribed := make(chan struct{}, 8)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "subscriptions/listen" {
			subscribed <- struct{}{}
		}
		modern.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	def := mcptest.Remote(mcpconf.StreamableHTTP, s.URL)
	def.Protocol = "2026-07-28"
	c, heard := newRig(t).connect(t, target(def))
	<-subscribed
	s.CloseClientConnections()
	server.AddTool(&mcp.Tool{Name: "later", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{}, nil
	})
	heard.until(t, "tools changed", func(e *ear) bool { return e.changes > 0 })
	if !slices.Contains(toolNames(c), "later") {
		t.Errorf("tools %v", toolNames(c))
	}
	s.Listener.Close()
	s.CloseClientConnections()
	ended(t, c)
	wantHas(t, "lost", c.Lost().Message, "nothing listens")
}
