package mcpconn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
)

func (e *ear) told() []mcpconn.Frame {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.frames)
}

// words are frames without what differs from run to run.
func words(frames []mcpconn.Frame) []string {
	var out []string
	for _, f := range frames {
		way := "<"
		if f.Out {
			way = ">"
		}
		out = append(out, strings.TrimSpace(fmt.Sprintf("%s %s %s", way, f.Kind, f.Method)))
	}
	return out
}

// One call is seen whole over every transport and in both eras, and nothing else than what
// went over the wire.
func TestFramesOfACall(t *testing.T) {
	for name, carrier := range carriers(t) {
		t.Run(name, func(t *testing.T) {
			c, heard := newRig(t).connect(t, target(carrier.def))
			hello := "initialize"
			if slices.Contains(words(heard.told()), "< response server/discover") {
				hello = "server/discover"
			}
			early := words(heard.told())
			for _, want := range []string{"> request " + hello, "< response " + hello, "> request tools/list", "< response tools/list"} {
				if !slices.Contains(early, want) {
					t.Errorf("no %q while connecting: %q", want, early)
				}
			}
			result := call(t, c, "progress", `{}`)
			wantText(t, result, "finished")
			frames := heard.told()
			if result.Frame == 0 || int(result.Frame) > len(frames) {
				t.Fatalf("the result names frame %d of %d", result.Frame, len(frames))
			}
			asked := frames[result.Frame-1]
			checkBody(t, asked, "tools/call")
			if asked.Kind != mcpconn.RequestFrame || asked.Method != "tools/call" || !asked.Out || !strings.Contains(string(asked.Body), `"name":"progress"`) {
				t.Errorf("the call's frame is %+v %s", asked, asked.Body)
			}
			answers := framesThat(frames, func(f mcpconn.Frame) bool { return f.Pair == result.Frame })
			if len(answers) != 1 || answers[0].Kind != mcpconn.ResponseFrame || answers[0].Method != "tools/call" || answers[0].Took <= 0 || answers[0].ID != asked.ID || answers[0].Out {
				t.Errorf("answers of the call: %+v", answers)
			}
			checkBody(t, answers[0], "finished")
			if n := len(framesThat(frames, func(f mcpconn.Frame) bool { return f.Method == "notifications/progress" && !f.Out })); n != 3 {
				t.Errorf("%d frames of progress, want 3", n)
			}
			for _, f := range frames {
				if f.At.IsZero() || f.Size != len(f.Body) {
					t.Errorf("%s %s: at %v, %d of %d bytes", f.Kind, f.Method, f.At, len(f.Body), f.Size)
				}
			}
		})
	}
}

func framesThat(frames []mcpconn.Frame, ok func(mcpconn.Frame) bool) []mcpconn.Frame {
	return slices.DeleteFunc(slices.Clone(frames), func(f mcpconn.Frame) bool { return !ok(f) })
}

// checkBody wants a JSON-RPC message that holds a part.
func checkBody(t *testing.T, f mcpconn.Frame, part string) {
	t.Helper()
	var m struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
	}
	if err := json.Unmarshal(f.Body, &m); err != nil || m.Version != "2.0" || string(m.ID) != f.ID || !strings.Contains(string(f.Body), part) {
		t.Errorf("body %s of id %s: %v", f.Body, f.ID, err)
	}
}

// A request of the server is paired with our answer: ids are counted by each side.
func TestFramesOfAServersRequest(t *testing.T) {
	c, heard := newRig(t).connect(t, target(mcptest.Definition("ok")))
	wantHas(t, "roots", textOf(call(t, c, "roots", `{}`)), "roots")
	frames := heard.told()
	at := slices.IndexFunc(frames, func(f mcpconn.Frame) bool { return f.Method == "roots/list" && f.Kind == mcpconn.RequestFrame })
	if at < 0 || frames[at].Out {
		t.Fatalf("no request of roots: %q", words(frames))
	}
	answers := framesThat(frames, func(f mcpconn.Frame) bool { return f.Pair == uint64(at+1) })
	if len(answers) != 1 || !answers[0].Out || answers[0].Method != "roots/list" {
		t.Errorf("answers %+v", answers)
	}
}

func TestFramesAreCut(t *testing.T) {
	c, heard := newRig(t).connect(t, target(mcptest.Definition("ok")))
	text := strings.Repeat("é", 100<<10)
	arguments, _ := json.Marshal(map[string]string{"text": text})
	result := call(t, c, "echo", string(arguments))
	wantText(t, result, text)
	for _, f := range framesThat(heard.told(), func(f mcpconn.Frame) bool { return f.Method == "tools/call" }) {
		if len(f.Body) != 64<<10 || f.Size < len(text) || f.Size > len(text)+1000 || !f.Cut() {
			t.Errorf("%s: %d bytes of %d kept", f.Kind, len(f.Body), f.Size)
		}
	}
}

func TestFramesOfNoise(t *testing.T) {
	_, heard := newRig(t).connect(t, target(mcptest.Definition("banner")))
	noise := framesThat(heard.told(), func(f mcpconn.Frame) bool { return f.Kind == mcpconn.NoiseFrame })
	if len(noise) == 0 || noise[0].Out || len(noise[0].Body) == 0 {
		t.Errorf("no noise in %q", words(heard.told()))
	}
}

// A handshake that fails is the one that people look at.
func TestFramesOfAFailedHandshake(t *testing.T) {
	for name, tt := range map[string]struct {
		def  func() mcpconf.Definition
		kind mcpconn.FrameKind
		body string
	}{
		"refused by the server": {func() mcpconf.Definition { return served(t, "initerror") }, mcpconn.ErrorFrame, `"code"`},
		"a page":                {func() mcpconf.Definition { return served(t, "html") }, mcpconn.FailedFrame, "<title>Sign in"},
		"a status":              {func() mcpconf.Definition { return served(t, "status=503") }, mcpconn.FailedFrame, "HTTP 503"},
		"nobody listens": {func() mcpconf.Definition {
			return mcptest.Remote(mcpconf.StreamableHTTP, "http://127.0.0.1:9/mcp?token=planted")
		}, mcpconn.FailedFrame, "refused"},
		"it exits": {func() mcpconf.Definition { return mcptest.Definition("exit1") }, mcpconn.FailedFrame, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, heard := newRig(t).fail(t, target(tt.def()))
			frames := framesThat(heard.told(), func(f mcpconn.Frame) bool { return f.Method == "initialize" || f.Method == "server/discover" })
			if len(frames) < 2 || frames[0].Kind != mcpconn.RequestFrame {
				t.Fatalf("frames %q", words(frames))
			}
			last := frames[len(frames)-1]
			if last.Kind != tt.kind || last.Pair == 0 {
				t.Fatalf("frames %q", words(frames))
			}
			wantHas(t, "body", string(last.Body), tt.body)
			if strings.Contains(string(last.Body), "planted") {
				t.Errorf("an address with its query: %s", last.Body)
			}
		})
	}
}

// A call that is cancelled, and one whose server goes, say so; neither waits for ever.
func TestFramesWithoutAResponse(t *testing.T) {
	for name, def := range map[string]mcpconf.Definition{"stdio": mcptest.Definition("ok"), "http": served(t, "ok")} {
		t.Run(name, func(t *testing.T) {
			c, heard := newRig(t).connect(t, target(def))
			ctx, cancel := context.WithCancel(t.Context())
			over := make(chan uint64, 2)
			go func() { over <- c.Call(ctx, "hang", nil, limits(), nil).Frame }()
			sent := func(e *ear) bool { return slices.Contains(words(e.frames), "> request tools/call") }
			heard.until(t, "the call", sent)
			cancel()
			cancelled := <-over
			heard.until(t, "the cancellation", func(e *ear) bool {
				return len(framesThat(e.frames, func(f mcpconn.Frame) bool {
					return f.Pair == cancelled && f.Method == "notifications/cancelled" && f.Out
				})) == 1
			})
			go func() { over <- c.Call(t.Context(), "hang", nil, limits(), nil).Frame }()
			heard.until(t, "the second call", func(e *ear) bool {
				return len(framesThat(e.frames, func(f mcpconn.Frame) bool { return f.Method == "tools/call" && f.Kind == mcpconn.RequestFrame })) == 2
			})
			c.Close("the test ends it")
			lost := <-over
			heard.until(t, "why there is no response", func(e *ear) bool {
				return len(framesThat(e.frames, func(f mcpconn.Frame) bool {
					return f.Pair == lost && (f.Kind == mcpconn.FailedFrame || f.Method == "notifications/cancelled")
				})) >= 1
			})
			if n := len(framesThat(heard.told(), func(f mcpconn.Frame) bool { return f.Pair == cancelled && f.Kind == mcpconn.FailedFrame })); n != 0 {
				t.Errorf("the cancelled call failed %d times too", n)
			}
		})
	}
}

// An event that is no message is seen too.
func TestFramesOfAStrayEvent(t *testing.T) {
	inner := mcptest.NewHTTP("stream")
	url := serveHTTP(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = fmt.Fprint(w, "data: {\"hello\":\"world\"}\n\n")
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		inner.ServeHTTP(w, r)
	}))
	_, heard := newRig(t).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, url+"/mcp")))
	heard.until(t, "the event", func(e *ear) bool {
		return len(framesThat(e.frames, func(f mcpconn.Frame) bool {
			return f.Kind == mcpconn.NoiseFrame && string(f.Body) == `{"hello":"world"}`
		})) == 1
	})
}

// served is a Streamable HTTP server in a mode.
func served(t *testing.T, mode string) mcpconf.Definition {
	return mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, mcptest.NewHTTP(mode))+"/mcp")
}
