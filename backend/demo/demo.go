// Package demo is the demo server: a small real MCP server on stdio for the first minute
// and for tests.
package demo

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type echoArgs struct {
	Text string `json:"text" jsonschema:"what to say back"`
}

type addArgs struct {
	A float64 `json:"a" jsonschema:"the first number"`
	B float64 `json:"b" jsonschema:"the second number"`
}

type sumResult struct {
	Sum float64 `json:"sum"`
}

type timeArgs struct {
	Zone string `json:"zone,omitempty" jsonschema:"an IANA time zone such as Europe/Berlin; UTC when it is left out"`
}

type countArgs struct {
	To int `json:"to" jsonschema:"the last number, 1 to 50"`
}

// Run serves until ctx ends or stdin is closed.
func Run(ctx context.Context, stdin io.Reader, stdout io.Writer) error {
	return newServer().Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(stdin), Writer: nopCloser{stdout}})
}

type nopCloser struct{ io.Writer }

// Close does nothing: stdout belongs to the process.
func (nopCloser) Close() error { return nil }

func newServer() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "patchbay-demo", Title: "Patchbay demo", Version: "1.0.0"}, nil)
	reads := &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true}
	mcp.AddTool(s, &mcp.Tool{Name: "demo_echo", Description: "Says back what it is told.", Annotations: reads}, echo)
	mcp.AddTool(s, &mcp.Tool{Name: "demo_add", Description: "Adds two numbers.", Annotations: reads}, add)
	mcp.AddTool(s, &mcp.Tool{Name: "demo_time", Description: "Tells the time in a time zone.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}}, now)
	mcp.AddTool(s, &mcp.Tool{Name: "demo_count", Description: "Counts up to a number, five a second, and reports progress.", Annotations: reads}, count)
	return s
}

func said(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

func echo(_ context.Context, _ *mcp.CallToolRequest, args echoArgs) (*mcp.CallToolResult, any, error) {
	return said(args.Text), nil, nil
}

func add(_ context.Context, _ *mcp.CallToolRequest, args addArgs) (*mcp.CallToolResult, sumResult, error) {
	sum := sumResult{Sum: args.A + args.B}
	return said(fmt.Sprintf("%v + %v = %v", args.A, args.B, sum.Sum)), sum, nil
}

func now(_ context.Context, _ *mcp.CallToolRequest, args timeArgs) (*mcp.CallToolResult, any, error) {
	zone := time.UTC
	if args.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(args.Zone); err != nil {
			return nil, nil, fmt.Errorf("unknown time zone %q: use a name such as Europe/Berlin", args.Zone)
		}
	}
	return said(time.Now().In(zone).Format(time.RFC1123)), nil, nil
}

func count(ctx context.Context, req *mcp.CallToolRequest, args countArgs) (*mcp.CallToolResult, any, error) {
	if args.To < 1 || args.To > 50 {
		return nil, nil, fmt.Errorf("to is %d: it must be 1 to 50", args.To)
	}
	for i := 1; i <= args.To; i++ {
		select {
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
		if token := req.Params.GetProgressToken(); token != nil {
			progress := &mcp.ProgressNotificationParams{ProgressToken: token, Progress: float64(i), Total: float64(args.To), Message: fmt.Sprintf("%d of %d", i, args.To)}
			if err := req.Session.NotifyProgress(ctx, progress); err != nil {
				return nil, nil, fmt.Errorf("report progress: %w", err)
			}
		}
	}
	return said(fmt.Sprintf("Counted to %d.", args.To)), nil, nil
}
