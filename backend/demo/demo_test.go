package demo

import (
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is the ceiling of every wait.
const patience = 40 * time.Second

// connect serves over pipes, as stdio does, and returns a client's session.
func connect(t *testing.T, progress func(*mcp.ProgressNotificationParams)) *mcp.ClientSession {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Run(ctx, in, out) }()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, &mcp.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, req *mcp.ProgressNotificationClientRequest) {
			progress(req.Params)
		},
	})
	session, err := client.Connect(ctx, &mcp.IOTransport{Reader: fromServer, Writer: toServer}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close() // what it says is seen in served
		if err := <-served; err != nil {
			t.Errorf("the server ended with %v, want nil at the end of stdin", err)
		}
	})
	return session
}

func call(t *testing.T, session *mcp.ClientSession, name, arguments string) (string, *mcp.CallToolResult) {
	t.Helper()
	params := &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(arguments)}
	params.SetProgressToken("token")
	got, err := session.CallTool(t.Context(), params)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	text, ok := got.Content[0].(*mcp.TextContent)
	if !ok {
		t.Fatalf("%s: content %T", name, got.Content[0])
	}
	return text.Text, got
}

func TestEveryToolSaysWhatItDoes(t *testing.T) {
	session := connect(t, func(*mcp.ProgressNotificationParams) {})
	list, err := session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) < 4 {
		t.Errorf("%d tools", len(list.Tools))
	}
	for _, one := range list.Tools {
		if !strings.HasPrefix(one.Name, "demo_") || one.Description == "" || one.Annotations == nil || !one.Annotations.ReadOnlyHint {
			t.Errorf("%+v", one)
		}
	}
}

func TestCalls(t *testing.T) {
	session := connect(t, func(*mcp.ProgressNotificationParams) {})
	for _, test := range []struct {
		name, arguments, want string
		fails                 bool
	}{
		{"demo_echo", `{"text":"héllo"}`, "héllo", false},
		{"demo_add", `{"a":2,"b":0.5}`, "2 + 0.5 = 2.5", false},
		{"demo_time", `{}`, " UTC", false},
		{"demo_time", `{"zone":"Nowhere/Land"}`, `unknown time zone "Nowhere/Land"`, true},
		{"demo_count", `{"to":0}`, "to is 0", true},
		{"demo_count", `{"to":51}`, "1 to 50", true},
	} {
		text, got := call(t, session, test.name, test.arguments)
		if !strings.Contains(text, test.want) || got.IsError != test.fails {
			t.Errorf("%s %s: %q (error %v), want %q (error %v)", test.name, test.arguments, text, got.IsError, test.want, test.fails)
		}
	}
	if _, got := call(t, session, "demo_add", `{"a":2,"b":3}`); got.StructuredContent.(map[string]any)["sum"] != 5.0 {
		t.Errorf("structured: %v", got.StructuredContent)
	}
}

func TestCountReportsProgressAndStops(t *testing.T) {
	heard := make(chan float64, 8)
	session := connect(t, func(p *mcp.ProgressNotificationParams) { heard <- p.Progress })
	if text, _ := call(t, session, "demo_count", `{"to":2}`); text != "Counted to 2." {
		t.Errorf("got %q", text)
	}
	for _, want := range []float64{1, 2} {
		select {
		case got := <-heard:
			if got != want {
				t.Errorf("progress %v, want %v", got, want)
			}
		case <-time.After(patience):
			t.Fatal("no progress")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "demo_count", Arguments: json.RawMessage(`{"to":50}`)}); err == nil {
		t.Error("a cancelled count went on")
	}
}
