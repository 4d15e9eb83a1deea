package mcpconn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/tool"
)

const sdkEnv = "MCPCONN_SDK_SERVER"

// mainSDK serves the go-sdk server on stdio when this process was started for that.
func mainSDK() {
	if os.Getenv(sdkEnv) == "" {
		return
	}
	if err := newSDKServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

type textArgs struct {
	Text string `json:"text"`
}

type accounts struct {
	Accounts []int `json:"accounts"`
}

// newSDKServer is a real go-sdk server with one tool for each clause of the contract.
func newSDKServer() *mcp.Server { return newSDKServerUntil(nil) }

// newSDKServerUntil is one whose tool hang ends with over at the latest: a session that lost
// its client goes on.
func newSDKServerUntil(over <-chan struct{}) *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "sdk", Version: "9.8.7"}, libraryOptions(&mcp.ServerOptions{Instructions: "Say little."}))
	addLibrary(s)
	say := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	mcp.AddTool(s, &mcp.Tool{Name: "echo", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, func(_ context.Context, _ *mcp.CallToolRequest, a textArgs) (*mcp.CallToolResult, any, error) {
		return say(a.Text), nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "fail"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return nil, nil, fmt.Errorf("upstream 500")
	})
	mcp.AddTool(s, &mcp.Tool{Name: "accounts"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, accounts, error) {
		return nil, accounts{[]int{1}}, nil
	})
	s.AddTool(&mcp.Tool{Name: "image", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.ImageContent{MIMEType: "image/png", Data: []byte("PNG")}}}, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "progress"}, func(ctx context.Context, req *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		for i := range 3 {
			err := req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: req.Params.GetProgressToken(), Progress: float64(i + 1), Total: 3, Message: "working"})
			if err != nil {
				return nil, nil, err
			}
		}
		return say("finished"), nil, nil
	})
	cancelled := make(chan struct{}, 8)
	mcp.AddTool(s, &mcp.Tool{Name: "hang"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		select {
		case <-ctx.Done():
			cancelled <- struct{}{}
		case <-over:
		}
		return nil, nil, ctx.Err()
	})
	mcp.AddTool(s, &mcp.Tool{Name: "was_cancelled"}, func(ctx context.Context, _ *mcp.CallToolRequest, _ struct{}) (*mcp.CallToolResult, any, error) {
		select {
		case <-cancelled:
			return say("yes"), nil, nil
		case <-time.After(patience):
			return say("no"), nil, nil
		}
	})
	mcp.AddTool(s, &mcp.Tool{Name: "die"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		if os.Getenv(sdkEnv) == "" {
			return nil, nil, fmt.Errorf("not in the process of the tests")
		}
		fmt.Fprintln(os.Stderr, "Error: out of memory")
		os.Exit(9)
		return nil, nil, nil
	})
	mcp.AddTool(s, &mcp.Tool{Name: "grow"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		mcp.AddTool(s, &mcp.Tool{Name: "grown"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
			return say("grown"), nil, nil
		})
		return say("growing"), nil, nil
	})
	return s
}

// serveHTTP serves a handler until the end of the test.
func serveHTTP(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}

// carried is one row of the contract: a real go-sdk server over a transport in an era.
type carried struct {
	def      mcpconf.Definition
	revision string // that is spoken
	cut      func() // breaks the connection from the server's side; nil where only its process can
}

// carriers are the transports and the eras that go-sdk's servers have over them. What is not
// pinned speaks the newest that both sides have.
func carriers(t *testing.T) map[string]carried {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	stdio := mcpconf.Definition{Name: "stdio", Type: mcpconf.Stdio, Command: self, Env: map[string]string{sdkEnv: "1"}}
	pinned := func(def mcpconf.Definition, revision string) mcpconf.Definition {
		def.Protocol = revision
		return def
	}
	over := func(kind mcpconf.Transport, handler func(func(*http.Request) *mcp.Server) http.Handler) (mcpconf.Definition, func()) {
		gone := make(chan struct{})
		server := newSDKServerUntil(gone)
		s := httptest.NewServer(handler(func(*http.Request) *mcp.Server { return server }))
		stop := sync.OnceFunc(func() {
			s.Listener.Close()
			s.CloseClientConnections()
			close(gone)
			s.Close()
			for session := range server.Sessions() {
				_ = session.Close() // its client is gone
			}
		})
		t.Cleanup(stop)
		return mcptest.Remote(kind, s.URL), stop
	}
	sse, stopSSE := over(mcpconf.SSE, func(get func(*http.Request) *mcp.Server) http.Handler { return mcp.NewSSEHandler(get, nil) })
	streamable, stopStreamable := over(mcpconf.StreamableHTTP, func(get func(*http.Request) *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(get, nil)
	})
	modern, stopModern := over(mcpconf.StreamableHTTP, func(get func(*http.Request) *mcp.Server) http.Handler {
		return mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true})
	})
	return map[string]carried{
		"stdio legacy":      {pinned(stdio, "2025-11-25"), "2025-11-25", nil},
		"stdio oldest":      {pinned(stdio, "2024-11-05"), "2024-11-05", nil},
		"stdio modern":      {stdio, "2026-07-28", nil},
		"sse legacy":        {sse, "2025-11-25", stopSSE},
		"streamable legacy": {streamable, "2025-11-25", stopStreamable},
		"streamable modern": {modern, "2026-07-28", stopModern},
	}
}

// TestContract is what holds of every connection, whatever carries it; of resources and
// prompts, TestContractOfTheLibrary.
func TestContract(t *testing.T) {
	for name, carrier := range carriers(t) {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			c, heard := r.connect(t, target(carrier.def))
			checkInfo(t, c, carrier)
			checkCalls(t, c)
			checkProgress(t, c)
			checkCancel(t, c)
			checkGrowth(t, c, heard)
			checkClose(t, c)
			again, _ := r.connect(t, target(carrier.def))
			checkLoss(t, again, carrier)
		})
	}
}

func checkInfo(t *testing.T, c mcpconn.Conn, carrier carried) {
	t.Helper()
	info := c.Info()
	if info.ServerName != "sdk" || info.Version != "9.8.7" || info.ConnectTime <= 0 || (info.PID != 0) != (carrier.def.Type == mcpconf.Stdio) {
		t.Errorf("info %+v", info)
	}
	if info.Instructions != "Say little." {
		t.Errorf("instructions %q", info.Instructions)
	}
	if !slices.Contains(info.Capabilities, "tools.listChanged") {
		t.Errorf("capabilities %v", info.Capabilities)
	}
	if info.Protocol != carrier.revision {
		t.Errorf("revision %s, want %s", info.Protocol, carrier.revision)
	}
	if sse := slices.Contains(info.Deprecated, mcpconn.LeansOnSSE); sse != (carrier.def.Type == mcpconf.SSE) {
		t.Errorf("leans on %v", info.Deprecated)
	}
	if names := toolNames(c); !slices.Contains(names, "echo") || len(names) != 9 {
		t.Errorf("tools %v", names)
	}
	for _, one := range c.Tools() {
		if one.Skipped != "" || !json.Valid(one.InputSchema) || one.Annotations.SaysReadOnly() != (one.Name == "echo") {
			t.Errorf("tool %+v", one)
		}
	}
	if c.Lost() != nil || c.Recovered() != 0 || c.LastSeen().IsZero() {
		t.Errorf("lost %v, recovered %d, last seen %s", c.Lost(), c.Recovered(), c.LastSeen())
	}
}

func checkCalls(t *testing.T, c mcpconn.Conn) {
	t.Helper()
	wantText(t, call(t, c, "echo", `{"text":"héllo"}`), "héllo")
	failed := call(t, c, "fail", ``)
	if failed.OK || failed.Reason != tool.ReasonNone || textOf(failed) != "upstream 500" {
		t.Errorf("fail: %+v", failed)
	}
	image := call(t, c, "image", `{}`)
	if !image.OK || len(image.Content) != 1 || image.Content[0].Kind != tool.Image || string(image.Content[0].Data) != "PNG" {
		t.Errorf("image: %+v", image)
	}
	structured := call(t, c, "accounts", `{}`)
	last := structured.Content[len(structured.Content)-1]
	if !structured.OK || last.Kind != tool.Structured || string(last.JSON) != `{"accounts":[1]}` {
		t.Errorf("structured: %+v", structured)
	}
	unknown := call(t, c, "nonsense", `{}`)
	if unknown.OK || unknown.Reason != tool.ProtocolFailed {
		t.Errorf("unknown tool: %+v", unknown)
	}
}

func checkProgress(t *testing.T, c mcpconn.Conn) {
	t.Helper()
	var seen []tool.Progress
	got := c.Call(t.Context(), "progress", nil, limits(), func(p tool.Progress) { seen = append(seen, p) })
	wantText(t, got, "finished")
	if len(seen) != 3 || seen[2] != (tool.Progress{Progress: 3, Total: 3, Message: "working"}) {
		t.Errorf("progress: %+v", seen)
	}
}

func checkCancel(t *testing.T, c mcpconn.Conn) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	stop := time.AfterFunc(100*time.Millisecond, cancel)
	defer stop.Stop()
	got := c.Call(ctx, "hang", nil, limits(), nil)
	if got.OK || got.Reason != tool.Cancelled {
		t.Errorf("cancelled: %+v", got)
	}
	wantText(t, call(t, c, "was_cancelled", `{}`), "yes")
}

func checkGrowth(t *testing.T, c mcpconn.Conn, heard *ear) {
	t.Helper()
	wantText(t, call(t, c, "grow", `{}`), "growing")
	heard.until(t, "tools changed", func(e *ear) bool { return e.changes > 0 })
	if !slices.Contains(toolNames(c), "grown") {
		t.Errorf("tools after growth: %v", toolNames(c))
	}
	wantText(t, call(t, c, "grown", `{}`), "grown")
}

// checkLoss breaks the connection from the server's side while a call hangs.
func checkLoss(t *testing.T, c mcpconn.Conn, carrier carried) {
	t.Helper()
	hanging := make(chan tool.Result, 1)
	go func() { hanging <- c.Call(background(), "hang", nil, limits(), nil) }()
	if carrier.cut != nil {
		carrier.cut()
	} else {
		go c.Call(background(), "die", nil, limits(), nil)
	}
	got := <-hanging
	if got.OK || got.Reason != tool.ServerGone {
		t.Errorf("in flight at the loss: %+v", got)
	}
	ended(t, c)
	lost := c.Lost()
	if lost == nil || lost.Cause != mcpconn.Lost || lost.Message == "" {
		t.Fatalf("lost %+v", lost)
	}
	if carrier.cut == nil {
		wantHas(t, "why it is lost", lost.Message, "exit status 9", "out of memory")
	}
	if after := call(t, c, "echo", `{}`); after.Reason != tool.ServerGone {
		t.Errorf("after the loss: %+v", after)
	}
	if _, err := c.Prompts(t.Context()); err == nil {
		t.Error("prompts of a lost server are listed")
	}
}

// checkClose ends the connection while a call hangs.
func checkClose(t *testing.T, c mcpconn.Conn) {
	t.Helper()
	if err := c.Check(t.Context()); err != nil {
		t.Errorf("check: %v", err)
	}
	hanging := make(chan tool.Result, 1)
	go func() { hanging <- c.Call(background(), "was_cancelled_never", nil, limits(), nil) }()
	<-hanging
	go func() { hanging <- c.Call(background(), "hang", nil, limits(), nil) }()
	time.Sleep(50 * time.Millisecond)
	c.Close("paused")
	got := <-hanging
	if got.OK || got.Reason != tool.ServerGone {
		t.Errorf("in flight at close: %+v", got)
	}
	wantHas(t, "in flight at close", textOf(got), "paused")
	ended(t, c)
	if c.Lost() != nil {
		t.Errorf("lost after close: %v", c.Lost())
	}
	if after := call(t, c, "echo", `{}`); after.Reason != tool.ServerGone {
		t.Errorf("after close: %+v", after)
	}
	c.Close("again")
}
