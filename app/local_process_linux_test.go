package app

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn/mcptest"
)

func (r *changeRig) timeline(name string) ServerTimeline {
	r.t.Helper()
	line, err := r.ServerTimeline(r.ctx(), name)
	if err != nil {
		r.t.Fatal(err)
	}
	return line
}

// wantNoSecret wants nothing that begins with planted in what crosses to the page.
func wantNoSecret(t *testing.T, value any) {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil || strings.Contains(string(text), "planted") || strings.Contains(string(text), "null") {
		t.Errorf("a secret or a null crosses, %v: %s", err, text)
	}
}

// TestProcessesAndTimelineOfAServerThatIsKilled: what runs is shown without secrets, its end
// and the start after it are told.
func TestProcessesAndTimelineOfAServerThatIsKilled(t *testing.T) {
	t.Setenv("PLANTED", "planted-by-reference")
	def := fake("tree", "grandchild", "echo", mcptest.Env("API_KEY", "planted-env"))
	def.Args = []string{"--api-key", "planted-flag", "plain", "${env:PLANTED}", "planted-env"}
	r := newServerRig(t, []mcpconf.Definition{def, mcptest.Remote(mcpconf.StreamableHTTP, "http://127.0.0.1:1/", mcptest.Named("web"))})
	p, err := r.ServerProcesses(r.ctx(), "tree")
	if err != nil || len(p.Processes) < 2 {
		t.Fatalf("processes = %+v, %v", p, err)
	}
	wantNoSecret(t, p)
	root := p.Processes[0]
	if !strings.Contains(root.Command, "--api-key ••• plain •••") || root.Depth != 0 || p.Processes[1].Depth == 0 || p.Memory < root.Memory || root.Memory <= 0 || root.StartedMs == 0 || p.Starts != 1 || p.LastEnd != "" {
		t.Errorf("processes = %+v", p)
	}
	if err := syscall.Kill(root.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.eventually("the end is told", func() bool { return r.timeline("tree").Starts[0].EndedMs > 0 })
	first := r.timeline("tree").Starts[0]
	if first.Reason != "first" || first.Outcome != "connected" || first.PID != root.PID || len(first.Stages) < 4 || !strings.Contains(first.End, "signal") {
		t.Errorf("first start = %+v", first)
	}
	if err := r.RetryServer(r.ctx(), "tree"); err != nil {
		t.Fatal(err)
	}
	r.eventually("it runs again", func() bool {
		line := r.timeline("tree")
		return line.Total == 2 && line.Starts[0].Outcome == "connected"
	})
	r.settle()
	if again := r.timeline("tree").Starts; again[0].Reason != "retry" || again[0].PID == root.PID || len(again) != 2 {
		t.Errorf("starts = %+v", again)
	}
	p, err = r.ServerProcesses(r.ctx(), "tree")
	if err != nil || p.Starts != 2 || !strings.Contains(p.LastEnd, "signal") || p.LastEndMs == 0 {
		t.Errorf("after the retry: %+v, %v", p, err)
	}
	web, err := r.ServerProcesses(r.ctx(), "web")
	if err != nil || len(web.Processes) != 0 || !strings.Contains(web.LastEnd, "127.0.0.1:1") {
		t.Errorf("a server that is reached by HTTP: %+v, %v", web, err)
	}
	for _, value := range []any{r.timeline("tree"), r.timeline("web"), web} {
		wantNoSecret(t, value)
	}
	if _, err := r.ServerProcesses(r.ctx(), "nobody"); err == nil {
		t.Error("a name that is nowhere has processes")
	}
	if _, err := r.ServerTimeline(r.ctx(), "nobody"); err == nil {
		t.Error("a name that is nowhere has a timeline")
	}
}

func TestDoctorCrossesWithoutStoredValues(t *testing.T) {
	t.Setenv("PLANTED", "planted-by-reference")
	def := fake("a", "ok", "echo", mcptest.Env("API_KEY", "planted-env"))
	def.Args = []string{"--api-key", "planted-flag", "${env:PLANTED}"}
	web := mcptest.Remote(mcpconf.StreamableHTTP, "http://127.0.0.1:1/?key=planted-query", mcptest.Named("web"), mcptest.Header("X-Key", "planted-header"))
	r := newServerRig(t, []mcpconf.Definition{def, web}, "a", "web")
	for name, line := range map[string]string{
		"a":   `PATCHBAY_FAKE_TOOLS="$PATCHBAY_FAKE_TOOLS" ` + def.Command + ` --api-key "$API_KEY_2" "$PLANTED"`,
		"web": `-H 'X-Key: '"$X_KEY"`,
	} {
		d, err := r.ServerDoctor(r.ctx(), "call "+name, name, false)
		if err != nil || !strings.Contains(d.Line, line) {
			t.Errorf("%s: %v, %s\nwant %s", name, err, d.Line, line)
		}
		wantNoSecret(t, d)
	}
	if _, err := r.ServerDoctor(r.ctx(), "", "a", false); err == nil {
		t.Error("an examination without an id could not be ended")
	}
	if err := r.StopDoctor(r.ctx(), "over long ago"); err != nil {
		t.Error(err)
	}
}
