package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"patchbay/backend/mcpconf"
)

func testCore(t *testing.T) *core {
	t.Helper()
	return &core{ctx: t.Context(), logger: slog.New(slog.DiscardHandler), limit: callLimit}
}

func TestCallAlwaysAnswers(t *testing.T) {
	tests := []struct {
		name     string
		run      func(context.Context) (any, error)
		wantCode string
		wantText string
	}{
		{"a panic", func(context.Context) (any, error) { panic("boom") }, CodeInternal, "boom"},
		{"a nil dereference", func(context.Context) (any, error) { var c *core; return c.limit, nil }, CodeInternal, "nil pointer"},
		{"a result that is no JSON", func(context.Context) (any, error) { return math.NaN(), nil }, CodeInternal, "NaN"},
		{"a channel", func(context.Context) (any, error) { return make(chan int), nil }, CodeInternal, "cannot be shown"},
		{"an error", func(context.Context) (any, error) { return nil, errors.New("no such thing") }, CodeInvalid, "no such thing"},
		{"an empty error", func(context.Context) (any, error) { return nil, errors.New("") }, CodeInvalid, "says nothing"},
		{"a command error, wrapped", func(context.Context) (any, error) {
			return nil, fmt.Errorf("do it: %w", &CommandError{Code: CodeBusy, Message: "a turn runs"})
		}, CodeBusy, "a turn runs"},
		{"a file error", func(context.Context) (any, error) {
			return nil, &mcpconf.FileError{Path: "/x/mcp.json", Line: 3, Column: 7, Message: "bad"}
		}, CodeUnreadable, "mcp.json"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			value, err := call(testCore(t), "Test", tt.run)
			var command *CommandError
			if !errors.As(err, &command) || value != nil {
				t.Fatalf("call = %v, %v; want a CommandError", value, err)
			}
			if command.Code != tt.wantCode || !strings.Contains(command.Message, tt.wantText) {
				t.Errorf("call = %s %q, want %s with %q", command.Code, command.Message, tt.wantCode, tt.wantText)
			}
			data, err := json.Marshal(formatError(command))
			if err != nil || !strings.Contains(string(data), `"code":"`+tt.wantCode+`"`) {
				t.Errorf("the page gets %s, %v", data, err)
			}
		})
	}
}

func TestCallThatHangsAnswersBusyWithinTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		release := make(chan struct{})
		began := time.Now()
		_, err := call(testCore(t), "Slow", func(context.Context) (int, error) { <-release; return 1, nil })
		var command *CommandError
		if !errors.As(err, &command) || command.Code != CodeBusy || !strings.Contains(command.Message, "Slow") {
			t.Fatalf("call = %v, want busy that names it", err)
		}
		if took := time.Since(began); took != callLimit {
			t.Errorf("it answered after %s, want %s", took, callLimit)
		}
		close(release)
	})
}

func TestCallWhileClosingSaysSo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := testCore(t)
	c.ctx = ctx
	block := make(chan struct{})
	defer close(block)
	_, err := call(c, "Late", func(context.Context) (int, error) { <-block; return 0, nil })
	if err == nil || !strings.Contains(err.Error(), "closing") {
		t.Fatalf("call = %v, want that the window is closing", err)
	}
}

func TestWebAddress(t *testing.T) {
	tests := []struct {
		in string
		ok bool
	}{
		{"https://example.com/a?b#c", true}, {"http://localhost:8080", true}, {"HTTPS://EXAMPLE.com", true},
		{"file:///etc/passwd", false}, {"javascript:alert(1)", false}, {"https:", false}, {"https:opaque", false},
		{"//host", false}, {"", false}, {" https://a", false}, {"vscode://x/y", false}, {"http://a b/", false},
	}
	for _, tt := range tests {
		if _, err := webAddress(tt.in); (err == nil) != tt.ok {
			t.Errorf("webAddress(%q) = %v, want ok %v", tt.in, err, tt.ok)
		}
	}
}
