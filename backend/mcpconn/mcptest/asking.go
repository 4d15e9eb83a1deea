//lint:file-ignore SA1019 sampling and logging are deprecated by MCP 2026-07-28, and servers of every earlier revision use them

package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// asking is the mode of NewAskingServer on stdio.
const asking = "asking"

func serveAsking() int {
	if err := NewAskingServer().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

const askedForm = `{"type":"object","properties":{
	"name":{"type":"string","title":"Name","minLength":2},
	"mail":{"type":"string","format":"email"},
	"size":{"type":"string","oneOf":[{"const":"s","title":"Small"},{"const":"l","title":"Large"}],"default":"l"},
	"extras":{"type":"array","items":{"type":"string","enum":["a","b"]}}
},"required":["name"]}`

// NewAskingServer is a real go-sdk server whose tools ask for something: form, link, locked
// (a refusal that names a link), sample, evil, script, endless and novel (what must not be asked), complete,
// takeback and form_then_hang (by requests of their own); beside them are talk (log
// messages), wait (until it is cancelled) and liar (a result that does not fit its schema); in the old era
// go-sdk turns what they ask into requests, in the new one into a result that asks.
func NewAskingServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "asking", Version: "1"}, &mcp.ServerOptions{Capabilities: &mcp.ServerCapabilities{Logging: &mcp.LoggingCapabilities{}}})
	asks := func(name string, request mcp.InputRequest) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			answer, answered := req.Params.InputResponses["it"]
			if !answered {
				return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"it": request}}, nil
			}
			raw, err := json.Marshal(answer)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(raw)}}}, err
		})
	}
	asks("form", &mcp.ElicitParams{Mode: "form", Message: "Who are you?", RequestedSchema: json.RawMessage(askedForm)})
	asks("evil", &mcp.ElicitParams{Mode: "form", Message: "x", RequestedSchema: json.RawMessage(`{"type":"object","properties":{},"allOf":[{"$ref":"#"}]}`)})
	asks("link", &mcp.ElicitParams{Mode: "url", Message: "Sign in", URL: "https://example.com/in?x=1", ElicitationID: "e1"})
	asks("script", &mcp.ElicitParams{Mode: "url", Message: "Sign in", URL: "javascript:alert(1)", ElicitationID: "e2"})
	asks("sample", &mcp.CreateMessageParams{
		SystemPrompt: "Be short.", MaxTokens: 7, Temperature: 0.5, StopSequences: []string{"END"},
		ModelPreferences: &mcp.ModelPreferences{Hints: []*mcp.ModelHint{{Name: "small"}}},
		Messages:         []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: "Say it"}}},
	})
	asks("endless", &mcp.ElicitParams{Mode: "form", Message: strings.Repeat("x", 64<<10), RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
	asks("novel", &mcp.CreateMessageParams{MaxTokens: 7, Messages: []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: strings.Repeat("x", 5<<20)}}}})
	var refused atomic.Int32
	s.AddTool(&mcp.Tool{Name: "locked", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if refused.Add(1)%2 == 1 {
			return nil, mcp.URLElicitationRequiredError([]*mcp.ElicitParams{{Mode: "url", Message: "Unlock", URL: "https://example.com/unlock", ElicitationID: "e3"}})
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "unlocked"}}}, nil
	})
	s.AddTool(&mcp.Tool{Name: "talk", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		for _, level := range []mcp.LoggingLevel{"debug", "error"} {
			if err := req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: level, Data: "said at " + string(level)}); err != nil {
				return nil, err
			}
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "talked"}}}, nil
	})
	s.AddTool(&mcp.Tool{
		Name: "liar", InputSchema: json.RawMessage(`{"type":"object"}`), OutputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`),
	}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{}, StructuredContent: map[string]any{"n": "three"}}, nil
	})
	direct(s)
	return s
}

// direct adds tools that send requests of their own, as servers until 2025-11-25 do.
func direct(s *mcp.Server) {
	add := func(name string, run func(ctx context.Context, ss *mcp.ServerSession) (string, error)) {
		s.AddTool(&mcp.Tool{Name: name, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			text, err := run(ctx, req.Session)
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, err
		})
	}
	add("complete", func(ctx context.Context, ss *mcp.ServerSession) (string, error) {
		answered := make(chan struct{})
		defer close(answered)
		go func() {
			for { // it cannot know when the question is open
				select {
				case <-answered:
					return
				case <-time.After(50 * time.Millisecond):
					_ = ss.NotifyElicitationComplete(ctx, &mcp.ElicitationCompleteParams{ElicitationID: "e9"})
				}
			}
		}()
		res, err := ss.Elicit(ctx, &mcp.ElicitParams{Mode: "url", Message: "Go there", URL: "https://example.com", ElicitationID: "e9"})
		if err != nil {
			return "", err
		}
		return res.Action, nil
	})
	add("takeback", func(ctx context.Context, ss *mcp.ServerSession) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
		defer cancel()
		_, err := ss.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: "Quick?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
		return fmt.Sprintf("without you: %v", err), nil
	})
	add("wait", func(ctx context.Context, _ *mcp.ServerSession) (string, error) {
		<-ctx.Done()
		return "", ctx.Err()
	})
	add("form_then_hang", func(ctx context.Context, ss *mcp.ServerSession) (string, error) {
		if _, err := ss.Elicit(ctx, &mcp.ElicitParams{Mode: "form", Message: "Well?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)}); err != nil {
			return "", err
		}
		<-ctx.Done()
		return "", ctx.Err()
	})
}
