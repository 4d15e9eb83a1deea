package mcpconn_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/proc"
)

// remembering is a rig whose dialer keeps what worked in a file, and waits for
// server/discover no longer than budget.
func remembering(t *testing.T, file string, budget time.Duration) rig {
	t.Helper()
	s := proc.NewSupervisor(proc.SupervisorOptions{})
	t.Cleanup(s.Close)
	return rig{supervisor: s, Dialer: mcpconn.NewDialer(mcpconn.Options{
		Version: "1.2.3", Supervisor: s, Eras: file, Probe: budget,
		Environment: proc.NewEnvironment(os.Environ(), proc.EnvironmentOptions{Probe: proc.ProbeNever, Supervisor: s}),
	})}
}

// starts is an option and what it counted.
func starts(t *testing.T) (mcptest.Option, func() int) {
	file := filepath.Join(t.TempDir(), "starts")
	return mcptest.Starts(file), func() int { return mcptest.Count(file) }
}

// once connects, calls and closes, and returns the revision.
func (r rig) once(t *testing.T, def mcpconf.Definition) string {
	t.Helper()
	c, _ := r.connect(t, target(def))
	wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
	c.Close("again")
	return c.Info().Protocol
}

// TestS21TheProbeCostsAtMostOneStart: a server that exits on server/discover is started
// again by initialize, and the next time at once; one that ignores it keeps its process.
func TestS21TheProbeCostsAtMostOneStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "eras.json")
	for mode, want := range map[string]int{"exitdiscover": 2, "mutediscover": 2, "ignorediscover": 1, "ok": 1} {
		t.Run(mode, func(t *testing.T) {
			counted, count := starts(t)
			def := mcptest.Definition(mode, counted)
			if got := remembering(t, file, 300*time.Millisecond).once(t, def); got != "2025-11-25" || count() != want {
				t.Errorf("revision %s after %d starts, want %d", got, count(), want)
			}
			// What worked is remembered by another run, for which the probe would be endless.
			if got := remembering(t, file, patience).once(t, def); got != "2025-11-25" || count() != want+1 {
				t.Errorf("the next run: revision %s after %d starts, want %d", got, count(), want+1)
			}
		})
	}
}

// TestS17OfTwoDeathsTheFirstIsTold: with as many starts as the probe may cost.
func TestS17OfTwoDeathsTheFirstIsTold(t *testing.T) {
	counted, count := starts(t)
	f, _ := newRig(t).fail(t, target(mcptest.Definition("exit1", counted)))
	wantHas(t, "message", f.Message, "Cannot find module 'foo'", "exit status 1")
	if n := count(); n > 2 {
		t.Errorf("%d starts, want at most 2", n)
	}
	// A server that only the probe kills says why it does not start when it is asked by initialize.
	f, _ = newRig(t).fail(t, target(mcptest.Definition("exitdiscover=initerror")))
	wantHas(t, "message", f.Message, "database is locked")
}

// TestALateAnswerIsDropped: a server that was only slow to know server/discover is used as
// what it can be now, and asked again the next time.
func TestALateAnswerIsDropped(t *testing.T) {
	file := filepath.Join(t.TempDir(), "eras.json")
	counted, count := starts(t)
	slow := mcptest.Definition("latediscover=1s", counted)
	if got := remembering(t, file, 200*time.Millisecond).once(t, slow); got != "2025-11-25" || count() != 1 {
		t.Errorf("revision %s after %d starts", got, count())
	}
	if got := remembering(t, file, patience).once(t, slow); got != "2026-07-28" || count() != 2 {
		t.Errorf("the next time: revision %s after %d starts", got, count())
	}
	// One that knows nothing else is asked again without a budget.
	counted, count = starts(t)
	only := mcptest.Definition("modernonly=1s", counted)
	if got := remembering(t, "", 200*time.Millisecond).once(t, only); got != "2026-07-28" || count() != 2 {
		t.Errorf("revision %s after %d starts", got, count())
	}
}

// TestRevisionsArePinned: each that a definition can name is the one that is used, or the
// server's refusal is told.
func TestRevisionsArePinned(t *testing.T) {
	pinned := func(def mcpconf.Definition, revision string) mcpconf.Definition {
		def.Protocol = revision
		return def
	}
	for _, revision := range mcpconf.Revisions {
		t.Run(revision, func(t *testing.T) {
			heard := filepath.Join(t.TempDir(), "heard")
			mode := "version=" + revision
			if revision == "2026-07-28" {
				mode = "modernonly=0s"
			}
			if got := newRig(t).once(t, pinned(mcptest.Definition(mode, mcptest.Heard(heard)), revision)); got != revision {
				t.Errorf("revision %s", got)
			}
			if first, _, _ := strings.Cut(read(t, heard), "\n"); strings.Contains(first, "server/discover") != (revision == "2026-07-28") {
				t.Errorf("first message %s", first)
			}
			counted, count := starts(t)
			other := "version=2024-11-05"
			if revision == "2024-11-05" {
				other = "version=2025-03-26"
			}
			f, _ := newRig(t).fail(t, target(pinned(mcptest.Definition(other, counted), revision)))
			wantHas(t, "message", f.Message, revision, `"auto"`)
			if f.Cause != mcpconn.Protocol || f.Evidence.Stage != mcpconn.Initialize || count() != 1 {
				t.Errorf("%s at %s after %d starts", f.Cause, f.Evidence.Stage, count())
			}
		})
	}
	speaks := mcp.SupportedProtocolVersions()
	slices.Sort(speaks)
	if !slices.Equal(speaks, mcpconf.Revisions) {
		t.Errorf("%v can be pinned, and go-sdk speaks %v", mcpconf.Revisions, speaks)
	}
	f, _ := newRig(t).fail(t, target(pinned(mcptest.Definition("exitdiscover"), "2026-07-28")))
	if f.Cause != mcpconn.Exited {
		t.Errorf("a server that dies of the pinned handshake: %s %s", f.Cause, f.Message)
	}
}

// TestTheMemoryOfEras is the file: what it holds and when it is not believed.
func TestTheMemoryOfEras(t *testing.T) {
	file := filepath.Join(t.TempDir(), "state", "eras.json")
	h := mcptest.NewHTTP("ok")
	def := mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, h)+"/mcp", mcptest.Header("Authorization", "Bearer very-secret"))
	asked := func(what string, want int) {
		t.Helper()
		before := h.Calls("server/discover")
		remembering(t, file, 0).once(t, def)
		if n := h.Calls("server/discover") - before; n != want {
			t.Errorf("%s: server/discover was asked %d times, want %d", what, n, want)
		}
	}
	asked("first", 1)
	asked("remembered", 0)
	text := read(t, file)
	if strings.Contains(text, "very-secret") || strings.Contains(text, "127.0.0.1") {
		t.Errorf("the file holds what a definition does: %s", text)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	rewrite := func(change func(e map[string]any)) {
		t.Helper()
		var all map[string]map[string]any
		if err := json.Unmarshal([]byte(read(t, file)), &all); err != nil || len(all) != 1 {
			t.Fatalf("%v: %s", err, read(t, file))
		}
		for _, e := range all {
			change(e)
		}
		data, err := json.Marshal(all)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rewrite(func(e map[string]any) { e["at"] = time.Now().Add(-8 * 24 * time.Hour) })
	asked("after more than a week", 1)
	asked("and from then on", 0)
	rewrite(func(e map[string]any) { e["version"] = "1.0.0" })
	asked("of another version", 0) // which is seen only now
	asked("after that", 1)
	for _, broken := range []string{"", "null", "{", `{"x":1}`} {
		if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		asked("by a file that holds "+broken, 1)
	}
}

// TestAServerThatSwallowsTheProbe connects by initialize, and the request it keeps is ended.
func TestAServerThatSwallowsTheProbe(t *testing.T) {
	left := make(chan struct{}, 4)
	legacy := mcptest.NewHTTP("ok")
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Method") == "server/discover" {
			_, _ = io.Copy(io.Discard, r.Body) // or the client's end is not noticed
			<-r.Context().Done()
			left <- struct{}{}
			return
		}
		legacy.ServeHTTP(w, r)
	})
	c, _ := remembering(t, "", 200*time.Millisecond).connect(t, target(mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, h)+"/mcp")))
	wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
	select {
	case <-left:
	case <-time.After(patience):
		t.Error("the probe is still open")
	}
}

// TestTheNewestOfBothIsSpoken: over every transport, by real servers.
func TestTheNewestOfBothIsSpoken(t *testing.T) {
	want := map[string]string{"stdio": "2026-07-28", "sse": "2025-11-25", "streamable": "2025-11-25", "stateless": "2026-07-28"}
	server := newSDKServer()
	get := func(*http.Request) *mcp.Server { return server }
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	defs := map[string]mcpconf.Definition{
		"stdio":      {Name: "stdio", Type: mcpconf.Stdio, Command: self, Env: map[string]string{sdkEnv: "1"}},
		"sse":        mcptest.Remote(mcpconf.SSE, serveHTTP(t, mcp.NewSSEHandler(get, nil))),
		"streamable": mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, mcp.NewStreamableHTTPHandler(get, nil))),
		"stateless":  mcptest.Remote(mcpconf.StreamableHTTP, serveHTTP(t, mcp.NewStreamableHTTPHandler(get, &mcp.StreamableHTTPOptions{Stateless: true, PropagateRequestCancellation: true}))),
	}
	for name, def := range defs {
		if got := newRig(t).once(t, def); got != want[name] {
			t.Errorf("%s: %s, want %s", name, got, want[name])
		}
	}
}
