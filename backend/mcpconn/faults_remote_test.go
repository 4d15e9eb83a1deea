package mcpconn_test

import (
	"bytes"
	"context"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/tool"
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

	// Nor does one that answers nothing at all: it ends at its limit, or when it is cancelled.
	silent := mcptest.Remote(mcpconf.StreamableHTTP, serving(t, mcptest.NewHTTP("blackhole"))+"/mcp")
	if f, _ := newRig(t).fail(t, within(silent, 300*time.Millisecond)); f.Cause != mcpconn.Timeout {
		t.Errorf("a silent server ends as %s, want timeout", f.Cause)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if _, err := newRig(t).Dial(ctx, within(silent, patience), newEar()); err == nil || !strings.Contains(err.Error(), "given up") {
		t.Errorf("a cancelled connect ends as %v", err)
	}
}

// TestACallWaitsForTheStream: a server may ask by it during the call, and drops what it
// cannot send at once.
func TestACallWaitsForTheStream(t *testing.T) {
	h := mcptest.NewHTTP("stream")
	var open atomic.Bool
	early := make(chan struct{}, 1)
	url := serving(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			time.Sleep(200 * time.Millisecond)
			open.Store(true)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client is gone
		}
		if bytes.Contains(body, []byte("tools/call")) && !open.Load() {
			early <- struct{}{}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		h.ServeHTTP(w, r)
	}))
	c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, url+"/mcp")))
	wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
	select {
	case <-early:
		t.Error("the call came before the stream was open")
	default:
	}
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
		{"an SSE server asked by streamable_http, 400", mcpconf.StreamableHTTP, mcptest.NewSSE("post=400"), mcpconn.WrongTransport, "sse"},
		{"an SSE server asked by streamable_http, 404", mcpconf.StreamableHTTP, mcptest.NewSSE("post=404"), mcpconn.WrongTransport, "sse"},
		{"an SSE server asked by streamable_http, 405", mcpconf.StreamableHTTP, mcptest.NewSSE("post=405"), mcpconn.WrongTransport, "sse"},
		{"an SSE server asked by streamable_http, 411", mcpconf.StreamableHTTP, mcptest.NewSSE("post=411"), mcpconn.WrongTransport, "sse"},
		{"a streamable server asked by sse", mcpconf.SSE, mcptest.NewHTTP("ok"), mcpconn.WrongTransport, "streamable_http"},
		{"a stateless streamable server asked by sse", mcpconf.SSE, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(map[bool]int{true: http.StatusBadRequest, false: http.StatusMethodNotAllowed}[r.Method == http.MethodPost])
			_, _ = w.Write([]byte(`{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"unsupported protocol version"}}`))
		}), mcpconn.WrongTransport, "streamable_http"},
		{"a 500", mcpconf.StreamableHTTP, mcptest.NewHTTP("status=500"), mcpconn.HTTPError, "500"},
		{"a 500, asked by sse", mcpconf.SSE, mcptest.NewHTTP("status=500"), mcpconn.HTTPError, "500"},
		{"a 405 from neither", mcpconf.StreamableHTTP, mcptest.NewHTTP("status=405"), mcpconn.HTTPError, "405"},
	}
	for kind, other := range map[mcpconf.Transport]string{mcpconf.StreamableHTTP: "sse", mcpconf.SSE: "streamable_http"} {
		closed := httptest.NewServer(http.NotFoundHandler())
		closed.Close()
		f, _ := newRig(t).fail(t, target(mcptest.Remote(kind, closed.URL+"/mcp")))
		if f.Cause != mcpconn.Refused || strings.Contains(f.Message, other) {
			t.Errorf("a port where nothing listens, asked by %s: %s %q", kind, f.Cause, f.Message)
		}
	}
	c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.SSE, serving(t, mcptest.NewSSE("ok"))+"/mcp")))
	wantText(t, call(t, c, "echo", `{"text":"by sse"}`), "by sse")
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
	for _, status := range []string{"307", "308"} {
		t.Run("the same origin by "+status, func(t *testing.T) {
			h := mcptest.NewHTTP("slash=" + status)
			c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp", secret)))
			wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
			for _, header := range h.Headers() {
				if header.Get("Authorization") != "Bearer secret-token" {
					t.Fatal("a request came without the header")
				}
			}
		})
	}
	t.Run("the same origin by 301, which would lose the body", func(t *testing.T) {
		h := mcptest.NewHTTP("slash=301")
		url := serving(t, h)
		f, _ := newRig(t).fail(t, target(mcptest.Remote(mcpconf.StreamableHTTP, url+"/mcp", secret)))
		wantHas(t, "message", f.Message, url+"/mcp/")
	})
	t.Run("from https down to http", func(t *testing.T) {
		plain := mcptest.NewHTTP("ok")
		to := serving(t, plain) + "/mcp"
		secure := httptest.NewUnstartedServer(mcptest.NewHTTP("redirect=307 " + to))
		secure.Config.SetKeepAlivesEnabled(false)
		secure.StartTLS()
		t.Cleanup(secure.Close)
		trusted := filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(trusted, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw}), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0], "-test.run=^TestR13Child$", "-test.count=1")
		cmd.Env = append(os.Environ(), "SSL_CERT_FILE="+trusted, "PATCHBAY_TEST_SECURE="+secure.URL+"/mcp")
		out, err := cmd.CombinedOutput()
		if err != nil || len(plain.Headers()) > 0 {
			t.Errorf("%v, %d requests by http\n%s", err, len(plain.Headers()), out)
		}
		wantHas(t, "the child's message", string(out), to)
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

// TestR13Child is the part that trusts the test's certificate: the system's pool is read
// once in a process.
func TestR13Child(t *testing.T) {
	url := os.Getenv("PATCHBAY_TEST_SECURE")
	if url == "" {
		t.Skip("only within TestR13RedirectsKeepSecretsWithinTheOrigin")
	}
	f, _ := newRig(t).fail(t, target(mcptest.Remote(mcpconf.StreamableHTTP, url, mcptest.Header("Authorization", "Bearer secret-token"))))
	fmt.Println(f.Message)
}

func TestR08ACallOnASilentServerEndsAtItsLimit(t *testing.T) {
	h := mcptest.NewHTTP("ok")
	c, _ := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serving(t, h)+"/mcp")))
	h.SetMode("blackhole")
	got := c.Call(t.Context(), "echo", []byte(`{"text":"x"}`), mcpconn.CallLimits{Idle: 300 * time.Millisecond, Most: patience}, nil)
	wantHas(t, "the call", textOf(got), "echo", "300ms")
	ctx, stop := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, stop)
	if stopped := c.Call(ctx, "echo", []byte(`{"text":"x"}`), limits(), nil); stopped.Reason != tool.Cancelled {
		t.Errorf("a stopped call ends as %q, want cancelled", stopped.Reason)
	}
	if err := c.Check(t.Context()); err == nil {
		t.Error("a silent server passes the check")
	}
	ended(t, c)
	if lost := c.Lost(); lost == nil || lost.Cause != mcpconn.Lost {
		t.Errorf("lost = %+v", lost)
	}
}
