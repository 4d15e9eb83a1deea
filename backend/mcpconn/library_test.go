package mcpconn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/tool"
)

// libraryOptions let a server take subscriptions and complete arguments.
func libraryOptions(o *mcp.ServerOptions) *mcp.ServerOptions {
	o.SubscribeHandler = func(_ context.Context, req *mcp.SubscribeRequest) error {
		if req.Params.URI == "test://secret" {
			return fmt.Errorf("not for you")
		}
		return nil
	}
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
	o.CompletionHandler = func(_ context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		res := &mcp.CompleteResult{}
		for _, value := range []string{"berlin", "bern", "paris"} {
			if strings.HasPrefix(value, req.Params.Argument.Value) {
				res.Completion.Values = append(res.Completion.Values, value)
			}
		}
		if known := req.Params.Context; known != nil && known.Arguments["country"] == "ch" {
			res.Completion.Values = []string{"bern"}
		}
		return res, nil
	}
	return o
}

// addLibrary gives a server resources and prompts. Reading test://grow adds one of each;
// reading test://touch tells that test://text changed.
func addLibrary(s *mcp.Server) {
	add := func(r *mcp.Resource, read func(ctx context.Context, uri string) *mcp.ResourceContents) {
		s.AddResource(r, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{read(ctx, req.Params.URI)}}, nil
		})
	}
	text := func(uri, text string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: text}
	}
	add(&mcp.Resource{URI: "test://text", Name: "text", Title: "A text", Description: "says hello", MIMEType: "text/plain", Size: 5},
		func(_ context.Context, uri string) *mcp.ResourceContents { return text(uri, "hello") })
	add(&mcp.Resource{URI: "test://image", Name: "image", MIMEType: "image/png"}, func(_ context.Context, uri string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "image/png", Blob: []byte("PNG")}
	})
	add(&mcp.Resource{URI: "test://secret", Name: "secret"}, func(_ context.Context, uri string) *mcp.ResourceContents { return text(uri, "") })
	add(&mcp.Resource{URI: "test://touch", Name: "touch"}, func(ctx context.Context, uri string) *mcp.ResourceContents {
		if err := s.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "test://text"}); err != nil {
			return text(uri, err.Error())
		}
		return text(uri, "touched")
	})
	add(&mcp.Resource{URI: "test://grow", Name: "grow"}, func(_ context.Context, uri string) *mcp.ResourceContents {
		add(&mcp.Resource{URI: "test://grown", Name: "grown"}, func(_ context.Context, uri string) *mcp.ResourceContents { return text(uri, "new") })
		s.AddPrompt(&mcp.Prompt{Name: "grown"}, greet)
		return text(uri, "growing")
	})
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://city/{name}", Name: "city", Description: "one city"}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{text(req.Params.URI, "a city")}}, nil
	})
	s.AddPrompt(&mcp.Prompt{Name: "greet", Title: "Greet", Description: "greets somebody", Arguments: []*mcp.PromptArgument{
		{Name: "who", Description: "whom to greet", Required: true}, {Name: "city"},
	}}, greet)
}

func greet(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	return &mcp.GetPromptResult{Description: "a greeting", Messages: []*mcp.PromptMessage{
		{Role: "user", Content: &mcp.TextContent{Text: "Greet " + req.Params.Arguments["who"] + "."}},
		{Role: "assistant", Content: &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "test://text", MIMEType: "text/plain", Text: "hello"}}},
	}}, nil
}

// TestContractOfTheLibrary is what holds of resources and prompts, whatever carries them.
func TestContractOfTheLibrary(t *testing.T) {
	for name, carrier := range carriers(t) {
		t.Run(name, func(t *testing.T) {
			c, heard := newRig(t).connect(t, target(carrier.def))
			checkLists(t, c)
			checkReads(t, c)
			checkPrompts(t, c)
			checkSubscription(t, c, heard)
			checkLibraryGrowth(t, c, heard)
			if err := c.Subscribe(t.Context(), "test://secret", true); err == nil || !strings.Contains(err.Error(), "not for you") {
				t.Errorf("a refused subscription: %v", err)
			}
			c.Close("paused")
			if _, err := c.Resources(t.Context()); err == nil || !strings.Contains(err.Error(), "paused") {
				t.Errorf("after close: %v", err)
			}
			if _, err := c.ReadResource(t.Context(), "test://text"); err == nil || !strings.Contains(err.Error(), "paused") {
				t.Errorf("read after close: %v", err)
			}
		})
	}
}

func uris(t *testing.T, c mcpconn.Conn) []string {
	t.Helper()
	list, err := c.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range list {
		all = append(all, r.URI)
	}
	return all
}

func checkLists(t *testing.T, c mcpconn.Conn) {
	t.Helper()
	list, err := c.Resources(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := mcpconn.Resource{URI: "test://text", Name: "text", Title: "A text", Description: "says hello", MIMEType: "text/plain", Size: 5}
	if !slices.Contains(list, want) || len(list) != 5 {
		t.Errorf("resources %+v", list)
	}
	templates, err := c.ResourceTemplates(t.Context())
	if err != nil || len(templates) != 1 || templates[0] != (mcpconn.ResourceTemplate{URITemplate: "test://city/{name}", Name: "city", Description: "one city"}) {
		t.Errorf("templates %+v, %v", templates, err)
	}
	prompts, err := c.Prompts(t.Context())
	if err != nil || len(prompts) != 1 || prompts[0].Name != "greet" || prompts[0].Title != "Greet" ||
		!slices.Equal(prompts[0].Arguments, []mcpconn.PromptArgument{{Name: "who", Description: "whom to greet", Required: true}, {Name: "city"}}) {
		t.Errorf("prompts %+v, %v", prompts, err)
	}
}

func checkReads(t *testing.T, c mcpconn.Conn) {
	t.Helper()
	for uri, want := range map[string]tool.Content{
		"test://text":       {Kind: tool.Resource, URI: "test://text", MIMEType: "text/plain", Text: "hello"},
		"test://image":      {Kind: tool.Image, URI: "test://image", MIMEType: "image/png", Data: []byte("PNG")},
		"test://city/paris": {Kind: tool.Resource, URI: "test://city/paris", MIMEType: "text/plain", Text: "a city"},
	} {
		got, err := c.ReadResource(t.Context(), uri)
		if err != nil || len(got) != 1 || fmt.Sprint(got[0]) != fmt.Sprint(want) {
			t.Errorf("%s: %+v, %v", uri, got, err)
		}
	}
	_, err := c.ReadResource(t.Context(), "test://nothing")
	if err == nil {
		t.Fatal("an unknown resource was read")
	}
	wantHas(t, "unknown resource", err.Error(), "refused to read test://nothing", "JSON-RPC error")
}

func checkPrompts(t *testing.T, c mcpconn.Conn) {
	t.Helper()
	got, err := c.GetPrompt(t.Context(), "greet", map[string]string{"who": "Ann"})
	if err != nil || got.Description != "a greeting" || len(got.Messages) != 2 {
		t.Fatalf("prompt %+v, %v", got, err)
	}
	if m := got.Messages[0]; m.Role != "user" || m.Content.Text != "Greet Ann." {
		t.Errorf("first message %+v", m)
	}
	if m := got.Messages[1]; m.Role != "assistant" || m.Content.Kind != tool.Resource || m.Content.URI != "test://text" {
		t.Errorf("second message %+v", m)
	}
	for _, one := range []struct {
		req  mcpconn.CompleteRequest
		want []string
	}{
		{mcpconn.CompleteRequest{Prompt: "greet", Argument: "city", Value: "ber"}, []string{"berlin", "bern"}},
		{mcpconn.CompleteRequest{Template: "test://city/{name}", Argument: "name", Value: "p"}, []string{"paris"}},
		{mcpconn.CompleteRequest{Prompt: "greet", Argument: "city", Known: map[string]string{"country": "ch"}}, []string{"bern"}},
	} {
		got, err := c.Complete(t.Context(), one.req)
		if err != nil || !slices.Equal(got.Values, one.want) {
			t.Errorf("complete %+v: %+v, %v", one.req, got, err)
		}
	}
}

func checkSubscription(t *testing.T, c mcpconn.Conn, heard *ear) {
	t.Helper()
	for range 2 { // the second changes nothing
		if err := c.Subscribe(t.Context(), "test://text", true); err != nil {
			t.Fatal(err)
		}
	}
	touch := func() {
		if got, err := c.ReadResource(t.Context(), "test://touch"); err != nil || got[0].Text != "touched" {
			t.Fatalf("touch: %+v, %v", got, err)
		}
	}
	touch()
	heard.until(t, "the change of test://text", func(e *ear) bool { return slices.Contains(e.library, "test://text") })
	for _, on := range []bool{false, true} {
		if err := c.Subscribe(t.Context(), "test://text", on); err != nil {
			t.Error(err)
		}
		heard.note(func() { heard.library = nil })
	}
	touch()
	heard.until(t, "the change after subscribing again", func(e *ear) bool { return slices.Contains(e.library, "test://text") })
	if err := c.Subscribe(t.Context(), "test://text", false); err != nil {
		t.Error(err)
	}
}

func checkLibraryGrowth(t *testing.T, c mcpconn.Conn, heard *ear) {
	t.Helper()
	if _, err := c.ReadResource(t.Context(), "test://grow"); err != nil {
		t.Fatal(err)
	}
	heard.until(t, "both changes", func(e *ear) bool {
		return slices.Contains(e.library, "resources") && slices.Contains(e.library, "prompts")
	})
	if got := uris(t, c); !slices.Contains(got, "test://grown") {
		t.Errorf("resources after growth: %v", got)
	}
	prompts, err := c.Prompts(t.Context())
	if err != nil || len(prompts) != 2 {
		t.Errorf("prompts after growth: %+v, %v", prompts, err)
	}
}

// rawLibrary is an HTTP server whose answers are written by a test.
type rawLibrary struct {
	revision string
	caps     string
	answer   func(method, cursor string) (result string, errorCode int)
	asked    sync.Map // method → *atomic.Int64
}

func (l *rawLibrary) count(method string) int64 {
	n, _ := l.asked.LoadOrStore(method, &atomic.Int64{})
	return n.(*atomic.Int64).Load()
}

func (l *rawLibrary) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Cursor string `json:"cursor"`
		} `json:"params"`
	}
	body, err := io.ReadAll(r.Body)
	if err != nil || json.Unmarshal(body, &m) != nil || len(m.ID) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	n, _ := l.asked.LoadOrStore(m.Method, &atomic.Int64{})
	n.(*atomic.Int64).Add(1)
	result, code := "", 0
	modern := l.revision >= "2026-07-28"
	switch {
	case m.Method == "initialize" && !modern:
		result = `{"protocolVersion":"` + l.revision + `","serverInfo":{"name":"raw","version":"1"},"capabilities":` + l.caps + `}`
	case m.Method == "server/discover" && modern:
		result = `{"supportedVersions":["2026-07-28"],"serverInfo":{"name":"raw","version":"1"},"capabilities":` + l.caps + `}`
	case m.Method == "tools/list":
		result = `{"tools":[]}`
	case m.Method == "initialize" || m.Method == "server/discover":
		code = -32601
	default:
		result, code = l.answer(m.Method, m.Params.Cursor)
	}
	w.Header().Set("Content-Type", "application/json")
	if code != 0 {
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, m.ID, code)
		return
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)
}

func (l *rawLibrary) connect(t *testing.T) (mcpconn.Conn, *ear) {
	t.Helper()
	def := mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, l))
	def.Protocol = l.revision
	return newRig(t).connect(t, target(def))
}

const everyCapability = `{"tools":{},"resources":{},"prompts":{},"completions":{}}`

// TestMalformedEntriesLoseNoOthers: neither entries nor lists that a server got wrong.
func TestMalformedEntriesLoseNoOthers(t *testing.T) {
	server := &rawLibrary{revision: "2025-06-18", caps: everyCapability, answer: func(method, _ string) (string, int) {
		switch method {
		case "resources/list":
			return `{"resources":[null,7,{"name":"no uri"},{"uri":5},{"uri":"a:1","name":9,"size":"big","annotations":[]},{"uri":"a:2","size":12.5,"mimeType":null}],"nextCursor":7}`, 0
		case "prompts/list":
			return `{"prompts":[{"name":""},{"name":"p","arguments":{"not":"a list"}},{"name":"q","arguments":[3,{"name":"x","required":"yes"}]}]}`, 0
		case "prompts/get":
			return `{"description":4,"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"hologram"}]},{"role":"user","content":{"type":"text","text":"b"}}]}`, 0
		case "completion/complete":
			return `{"completion":{"values":["a",3,"b"],"total":"many"}}`, 0
		}
		return "", -32601
	}}
	c, heard := server.connect(t)
	list, err := c.Resources(t.Context())
	if err != nil || !slices.Equal(list, []mcpconn.Resource{{URI: "a:1"}, {URI: "a:2", Size: 12}}) {
		t.Errorf("resources %+v, %v", list, err)
	}
	heard.until(t, "what was left out", func(e *ear) bool {
		return strings.Contains(strings.Join(e.logs, "\n"), "3 malformed entries were left out")
	})
	prompts, err := c.Prompts(t.Context())
	if err != nil || len(prompts) != 2 || len(prompts[0].Arguments) != 0 || len(prompts[1].Arguments) != 1 {
		t.Errorf("prompts %+v, %v", prompts, err)
	}
	if templates, err := c.ResourceTemplates(t.Context()); err != nil || len(templates) != 0 {
		t.Errorf("templates that the server does not know: %+v, %v", templates, err)
	}
	got, err := c.GetPrompt(t.Context(), "p", nil)
	if err != nil || len(got.Messages) != 3 || got.Messages[2].Content.Text != "b" {
		t.Errorf("prompt %+v, %v", got, err)
	}
	// total is no number: the values are lost with it, and that is no error.
	if _, err := c.Complete(t.Context(), mcpconn.CompleteRequest{Prompt: "p", Argument: "x"}); err != nil {
		t.Error(err)
	}
}

// TestTooLargeAResource is refused: before it is asked for, where the server says its size.
func TestTooLargeAResource(t *testing.T) {
	server := &rawLibrary{revision: "2025-06-18", caps: everyCapability, answer: func(method, _ string) (string, int) {
		if method == "resources/list" {
			return `{"resources":[{"uri":"a:said","size":90000000}]}`, 0
		}
		return `{"contents":[{"uri":"a:unsaid","text":"` + strings.Repeat("x", 9<<20) + `"}]}`, 0
	}}
	c, _ := server.connect(t)
	uris(t, c)
	for _, uri := range []string{"a:said", "a:unsaid"} {
		if _, err := c.ReadResource(t.Context(), uri); err == nil || !strings.Contains(err.Error(), uri+" is too large") {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if n := server.count("resources/read"); n != 1 {
		t.Errorf("asked for %d times", n)
	}
}

// TestListsThatDoNotEnd are errors, as tools/list is.
func TestListsThatDoNotEnd(t *testing.T) {
	pages := map[string]func(cursor string) string{
		"repeats its cursor": func(string) string { return `{"prompts":[{"name":"a"}],"nextCursor":"again"}` },
		"does not end":       func(cursor string) string { return `{"prompts":[{"name":"a"}],"nextCursor":"` + cursor + `x"}` },
		"without a list":     func(string) string { return `{"resources":[]}` },
		"no list":            func(string) string { return `[]` },
	}
	for want, page := range pages {
		t.Run(want, func(t *testing.T) {
			server := &rawLibrary{revision: "2025-06-18", caps: everyCapability, answer: func(_, cursor string) (string, int) { return page(cursor), 0 }}
			c, _ := server.connect(t)
			if _, err := c.Prompts(t.Context()); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v", err)
			}
		})
	}
}

// TestListsAreReadOnce and what is not declared is not asked for.
func TestListsAreReadOnce(t *testing.T) {
	server := &rawLibrary{revision: "2025-06-18", caps: `{"tools":{},"resources":{}}`, answer: func(_, cursor string) (string, int) {
		if cursor == "" {
			return `{"resources":[{"uri":"a:1"}],"nextCursor":"2"}`, 0
		}
		return `{"resources":[{"uri":"a:2"}]}`, 0
	}}
	c, _ := server.connect(t)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			if got, err := c.Resources(t.Context()); err != nil || len(got) != 2 {
				t.Errorf("resources %+v, %v", got, err)
			}
		})
	}
	readers.Wait()
	if n := server.count("resources/list"); n != 2 {
		t.Errorf("two pages were asked for %d times", n)
	}
	c.Forget()
	uris(t, c)
	if n := server.count("resources/list"); n != 4 {
		t.Errorf("after Forget: asked %d times, want 4", n)
	}
	if list, err := c.Prompts(t.Context()); err != nil || len(list) != 0 || server.count("prompts/list") != 0 {
		t.Errorf("prompts %+v, %v, asked %d times", list, err, server.count("prompts/list"))
	}
	if err := c.Subscribe(t.Context(), "a:1", true); err == nil || server.count("resources/subscribe") != 0 {
		t.Errorf("an undeclared subscription: %v", err)
	}
}

// TestTheTimeOfAList is honoured where the revision has it: 2026-07-28.
func TestTheTimeOfAList(t *testing.T) {
	ttl := atomic.Int64{}
	server := &rawLibrary{revision: "2026-07-28", caps: everyCapability, answer: func(string, string) (string, int) {
		return fmt.Sprintf(`{"resources":[{"uri":"a:1"}],"ttlMs":%d}`, ttl.Load()), 0
	}}
	c, heard := server.connect(t)
	uris(t, c)
	uris(t, c)
	if n := server.count("resources/list"); n != 2 {
		t.Errorf("a list that must not be kept was asked for %d times in 2 uses", n)
	}
	ttl.Store(1)
	uris(t, c)
	heard.until(t, "the end of the list's time", func(e *ear) bool { return slices.Contains(e.library, "resources") })
	before := server.count("resources/list")
	ttl.Store(3_600_000)
	uris(t, c)
	uris(t, c)
	if n := server.count("resources/list") - before; n != 1 {
		t.Errorf("a list that holds for an hour was asked for %d times in 2 uses", n)
	}
}

// TestTheLibraryEndsWithItsContext: a server that never answers holds nobody up.
func TestTheLibraryEndsWithItsContext(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	server := &rawLibrary{revision: "2025-06-18", caps: everyCapability, answer: func(string, string) (string, int) {
		<-release
		return "{}", 0
	}}
	c, _ := server.connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	results := make(chan error, 3)
	go func() { _, err := c.Resources(ctx); results <- err }()
	go func() { _, err := c.GetPrompt(ctx, "p", nil); results <- err }()
	go func() { _, err := c.Resources(background()); results <- err }()
	cancel()
	for range 2 {
		if err := <-results; err == nil || !strings.Contains(err.Error(), "ask MCP server") {
			t.Errorf("cancelled: %v", err)
		}
	}
	c.Close("paused here")
	if err := <-results; err == nil || !strings.Contains(err.Error(), "paused here") {
		t.Errorf("at close: %v", err)
	}
}

// TestARenewedSessionKeepsTheLibrary: subscriptions are made again, and what may have been
// missed is read again (R01).
func TestARenewedSessionKeepsTheLibrary(t *testing.T) {
	server := newSDKServer()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	var forgotten sync.Map
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, gone := forgotten.Load(r.Header.Get("Mcp-Session-Id")); gone {
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	c, heard := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, url)))
	uris(t, c)
	if err := c.Subscribe(t.Context(), "test://text", true); err != nil {
		t.Fatal(err)
	}
	for session := range server.Sessions() {
		forgotten.Store(session.ID(), true)
		t.Cleanup(func() { _ = session.Close() }) // nobody else ends it any more
	}
	if got, err := c.ReadResource(t.Context(), "test://text"); err != nil || got[0].Text != "hello" {
		t.Fatalf("after the session expired: %+v, %v", got, err)
	}
	heard.until(t, "the lists and the resource", func(e *ear) bool {
		return slices.Contains(e.library, "resources") && slices.Contains(e.library, "test://text")
	})
	heard.note(func() { heard.library = nil })
	if _, err := c.ReadResource(t.Context(), "test://touch"); err != nil {
		t.Fatal(err)
	}
	heard.until(t, "a change told to the new session", func(e *ear) bool { return slices.Contains(e.library, "test://text") })
}
