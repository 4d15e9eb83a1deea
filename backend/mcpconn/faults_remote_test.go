package mcpconn_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
)

// serving is an HTTP server on loopback until the test ends.
func serving(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

func TestR01ARestartedServerGetsANewSession(t *testing.T) {
	h := mcptest.NewHTTP("ok")
	c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp")))
	wantText(t, call(t, c, "echo", `{"text":"one"}`), "one")
	h.Restart()
	wantText(t, call(t, c, "echo", `{"text":"two"}`), "two") // declared read-only: repeated
	if c.Recovered() != 1 {
		t.Errorf("recovered %d times, want 1", c.Recovered())
	}
	h.Restart()
	got := call(t, c, "big", `{"bytes":10}`) // not declared: not repeated, and it says so
	wantHas(t, "a call that may not be repeated", textOf(got), "not repeated")
	if got.OK {
		t.Error("a call that was not made is OK")
	}
	if got = call(t, c, "big", `{"bytes":10}`); !got.OK {
		t.Errorf("the next call: %+v", got)
	}
}

func TestR05AGetWithoutHeadersHoldsNothingUp(t *testing.T) {
	h := mcptest.NewHTTP("gethang")
	c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp")))
	wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
}

func TestR06AnIdleStreamThatIsCutKillsNothing(t *testing.T) {
	h := mcptest.NewHTTP("idleclose=20ms")
	c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp")))
	for end := time.Now().Add(4 * time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
	}
	if n := h.Requests(http.MethodGet); n < 2 || n > 20 {
		t.Errorf("%d streams were opened, want some and no storm", n)
	}
	select {
	case <-c.Done():
		t.Fatalf("the connection ended: %v", c.Lost())
	default:
	}
}

func TestR10OnlyAProvenOtherTransportIsSuggested(t *testing.T) {
	tests := []struct {
		name  string
		kind  mcpconf.Transport
		h     http.Handler
		cause mcpconn.Cause
		text  string
	}{
		{"an SSE server asked by streamable_http", mcpconf.StreamableHTTP, mcptest.NewSSE("post=405"), mcpconn.WrongTransport, "sse"},
		{"a streamable server asked by sse", mcpconf.SSE, mcptest.NewHTTP("ok"), mcpconn.WrongTransport, "streamable_http"},
		{"a 500", mcpconf.StreamableHTTP, mcptest.NewHTTP("status=500"), mcpconn.HTTPError, "500"},
		{"a 405 from neither", mcpconf.StreamableHTTP, mcptest.NewHTTP("status=405"), mcpconn.HTTPError, "405"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f, _ := newRig(t).fail(t, target(mcptest.Remote(tt.kind, serving(t, tt.h)+"/mcp")))
			if f.Cause != tt.cause || f.Evidence.HTTPStatus == 0 {
				t.Errorf("cause %s, status %d; want %s and a status", f.Cause, f.Evidence.HTTPStatus, tt.cause)
			}
			wantHas(t, "message", f.Message, tt.text)
			if tt.cause == mcpconn.HTTPError && strings.Contains(f.Message, "type to") {
				t.Errorf("%q suggests another transport without a proof", f.Message)
			}
		})
	}
}

func TestR11ASignInIsAskedForWithoutAStorm(t *testing.T) {
	for _, mode := range []string{"401", "401nohdr"} {
		h := mcptest.NewHTTP(mode)
		f, _ := newRig(t).fail(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp")))
		if f.Cause != mcpconn.SignIn || f.Evidence.HTTPStatus != 401 || h.Requests(http.MethodPost) > 2 {
			t.Errorf("%s: %s, %+v after %d requests", mode, f.Cause, f.Evidence, h.Requests(http.MethodPost))
		}
		wantHas(t, mode, f.Message, "127.0.0.1", "Authorization")
	}
	h := mcptest.NewHTTP("bearer=right")
	url := serving(t, h) + "/mcp"
	r := newRig(t)
	r.fail(t, target(mcptest.Remote(mcpconf.StreamableHTTP, url, mcptest.Header("Authorization", "Bearer wrong-token"))))
	c, _ := r.connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, url, mcptest.Header("Authorization", "Bearer right"))))
	wantText(t, call(t, c, "echo", `{"text":"in"}`), "in")
}

func TestR13RedirectsKeepSecretsWithinTheOrigin(t *testing.T) {
	secret := mcptest.Header("Authorization", "Bearer secret-token")
	t.Run("the same origin", func(t *testing.T) {
		h := mcptest.NewHTTP("slash")
		c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp", secret)))
		wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
		for _, header := range h.Headers() {
			if header.Get("Authorization") != "Bearer secret-token" {
				t.Fatal("a request came without the header")
			}
		}
	})
	for _, status := range []string{"302", "307"} {
		t.Run("another origin by "+status, func(t *testing.T) {
			other := mcptest.NewHTTP("ok")
			to := serving(t, other) + "/mcp"
			h := mcptest.NewHTTP("redirect=" + status + " " + to)
			f, _ := newRig(t).fail(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp", secret)))
			wantHas(t, "message", f.Message, to)
			if len(other.Headers()) > 0 {
				t.Error("the other origin was asked")
			}
			if strings.Contains(f.Message, "secret-token") {
				t.Error("the message holds the secret")
			}
		})
	}
}

func TestR08ACallOnASilentServerEndsAtItsLimit(t *testing.T) {
	h := mcptest.NewHTTP("ok")
	c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp")))
	h.SetMode("blackhole")
	got := c.Call(t.Context(), "echo", []byte(`{"text":"x"}`), mcpconn.CallLimits{Idle: 300 * time.Millisecond, Most: patience}, nil)
	wantHas(t, "the call", textOf(got), "echo", "300ms")
	if err := c.Check(t.Context()); err == nil {
		t.Error("a silent server passes the check")
	}
	ended(t, c)
	if lost := c.Lost(); lost == nil || lost.Cause != mcpconn.Lost {
		t.Errorf("lost = %+v", lost)
	}
}
