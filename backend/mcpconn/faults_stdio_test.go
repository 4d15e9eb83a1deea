package mcpconn_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

func TestS01ACommandOfTheLoginShellIsFound(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, ".nvm", "versions", "node", "v22.14.0", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bin, "fake-npx"), []byte("#!/bin/sh\nexec "+self+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := newRigIn(t, []string{"PATH=/usr/bin:/bin", "HOME=" + home, "SHELL=/bin/sh"})
	def := mcptest.Definition("ok")
	def.Command = "fake-npx"
	c, _ := r.connect(t, target(def))
	wantText(t, call(t, c, "echo", `{"text":"found"}`), "found")
	def.Command = "no-such-tool"
	f, _ := r.fail(t, target(def))
	wantHas(t, "message", f.Message, "no-such-tool", "/usr/bin")
	if f.Cause != mcpconn.NotFound || f.Evidence.Stage != mcpconn.Resolve {
		t.Errorf("%s at %s, want not_found at resolve", f.Cause, f.Evidence.Stage)
	}
}

func TestS11ABannerOnStdoutIsNoise(t *testing.T) {
	for _, mode := range []string{"banner", "banneremoji", "bannerblank", "bannerjson", "bannerflood", "pretty"} {
		t.Run(mode, func(t *testing.T) {
			c, heard := newRig(t).connect(t, target(mcptest.Definition(mode)))
			wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
			if mode != "bannerblank" && mode != "pretty" && !strings.Contains(heard.lines(), "[stdout]") {
				t.Errorf("the banner is not kept: %q", heard.lines())
			}
		})
	}
}

func TestS17TheReasonOfAnEarlyDeathIsShown(t *testing.T) {
	f, _ := newRig(t).fail(t, target(mcptest.Definition("exit1")))
	wantHas(t, "message", f.Message, "Cannot find module 'foo'", "exit status 1")
	if f.Cause != mcpconn.Exited || f.Evidence.ExitCode == nil || *f.Evidence.ExitCode != 1 || len(f.Evidence.Stderr) == 0 {
		t.Errorf("%s with %+v", f.Cause, f.Evidence)
	}
}

func TestS19ProgressOnStderrExtendsTheLimit(t *testing.T) {
	starts := filepath.Join(t.TempDir(), "starts")
	slow := mcpconn.Target{Definition: mcptest.Definition("slow=3s", mcptest.Starts(starts)), Timeout: time.Second, MaxTimeout: patience}
	newRig(t).connect(t, slow)
	if n := mcptest.Count(starts); n != 1 {
		t.Errorf("%d processes were started, want 1", n)
	}
	quiet := within(mcptest.Definition("quietslow=30s"), time.Second)
	if f, _ := newRig(t).fail(t, quiet); f.Cause != mcpconn.Timeout {
		t.Errorf("a quiet start ends as %s, want timeout", f.Cause)
	}
	endless := mcpconn.Target{Definition: mcptest.Definition("slow=60s"), Timeout: time.Second, MaxTimeout: 2 * time.Second}
	if f, _ := newRig(t).fail(t, endless); f.Cause != mcpconn.Timeout {
		t.Errorf("an endless start ends as %s, want timeout", f.Cause)
	}
}

func TestS21AServerThatDiesOfUnknownMethodsConnects(t *testing.T) {
	for _, mode := range []string{"exitdiscover", "ignorediscover"} {
		starts := filepath.Join(t.TempDir(), "starts")
		c, _ := newRig(t).connect(t, within(mcptest.Definition(mode, mcptest.Starts(starts)), 10*time.Second))
		wantText(t, call(t, c, "echo", `{"text":"x"}`), "x")
		if n := mcptest.Count(starts); n > 2 {
			t.Errorf("%s: %d starts, want at most 2", mode, n)
		}
	}
}

func TestS23CloseLeavesNoGrandchild(t *testing.T) {
	s := proc.NewSupervisor(proc.SupervisorOptions{})
	t.Cleanup(s.Close)
	d := mcpconn.NewDialer(mcpconn.Options{Supervisor: s, Environment: proc.NewEnvironment(os.Environ(), proc.EnvironmentOptions{Probe: proc.ProbeNever, Supervisor: s})})
	marker := fmt.Sprintf("PATCHBAY_TEST_MARKER_%d", time.Now().UnixNano())
	for _, mode := range []string{"grandchild", "ignoreterm"} {
		c, err := d.Dial(t.Context(), target(mcptest.Definition(mode, mcptest.Env(marker, "1"))), newEar())
		if err != nil {
			t.Fatal(err)
		}
		c.Close("the test is over")
		if left := marked(marker); len(left) > 0 {
			t.Errorf("%s: %v outlive the connection", mode, left)
		}
	}
}

// marked lists the processes that carry a variable.
func marked(name string) []string {
	var left []string
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // none where there is no /proc
	for _, path := range paths {
		if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), name+"=") {
			left = append(left, path)
		}
	}
	return left
}

func TestT01EveryPageIsRead(t *testing.T) {
	for _, mode := range []string{"pages", "pagesnull", "pagesempty"} {
		c, _ := newRig(t).connect(t, target(mcptest.Definition(mode)))
		if n := len(c.Tools()); n != 101 {
			t.Errorf("%s: %d tools, want 101", mode, n)
		}
	}
	for _, mode := range []string{"cursorloop", "cursorendless"} {
		if f, _ := newRig(t).fail(t, target(mcptest.Definition(mode))); f.Cause != mcpconn.ListInvalid {
			t.Errorf("%s: %s, want list_invalid", mode, f.Cause)
		}
	}
}

func TestT03OneMalformedToolLosesNoOther(t *testing.T) {
	for _, mode := range []string{"badann", "descarr", "toolnotobject"} {
		c, _ := newRig(t).connect(t, target(mcptest.Definition(mode)))
		good, skipped := false, false
		for _, tool := range c.Tools() {
			good = good || tool.Name == "good" && tool.Skipped == ""
			skipped = skipped || tool.Skipped != ""
		}
		if !good || !skipped {
			t.Errorf("%s: tools %+v; want the good one, and the other with a reason", mode, c.Tools())
		}
	}
}

func TestT18T20ResultsKeepWhatTheyHold(t *testing.T) {
	c, _ := newRig(t).connect(t, target(mcptest.Definition("ok")))
	got := call(t, c, "scontent", `{}`)
	if !got.OK || !slices.ContainsFunc(got.Content, func(part tool.Content) bool { return part.Kind == tool.Structured && json.Valid(part.JSON) }) {
		t.Errorf("T18: structured content alone gives %+v", got)
	}
	if failed := call(t, c, "fail", `{}`); failed.OK || textOf(failed) == "" {
		t.Errorf("T20: isError gives %+v", failed)
	}
	if odd := call(t, c, "hologram", `{}`); !odd.OK || !strings.Contains(textOf(odd), "hologram") {
		t.Errorf("an unknown kind of content gives %+v", odd)
	}
}

func TestT28LongCallsLiveByProgressAndHangingOnesEnd(t *testing.T) {
	heardFile := filepath.Join(t.TempDir(), "heard")
	c, _ := newRig(t).connect(t, target(mcptest.Definition("ok", mcptest.Heard(heardFile))))
	seen := 0
	short := mcpconn.CallLimits{Idle: time.Second, Most: patience}
	got := c.Call(t.Context(), "progress", json.RawMessage(`{"n":6,"each":"400ms"}`), short, func(tool.Progress) { seen++ })
	if !got.OK || seen == 0 {
		t.Errorf("a call with progress: %+v after %d reports", got, seen)
	}
	hung := c.Call(t.Context(), "hang", nil, mcpconn.CallLimits{Idle: 300 * time.Millisecond, Most: patience}, nil)
	if hung.Reason != tool.TimedOut {
		t.Errorf("a hanging call ends as %q", hung.Reason)
	}
	wantHas(t, "the text", textOf(hung), "hang", "300ms")
	wantText(t, call(t, c, "echo", `{"text":"after"}`), "after")
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if stopped := c.Call(ctx, "hang", nil, limits(), nil); stopped.Reason != tool.Cancelled {
		t.Errorf("a stopped call ends as %q", stopped.Reason)
	}
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if data, _ := os.ReadFile(heardFile); strings.Count(string(data), "notifications/cancelled") >= 2 {
			break
		}
		if time.Now().After(end) {
			t.Fatal("the server was not told that its calls were cancelled")
		}
	}
}

func TestACallEndsAtOnceWhenItsServerDies(t *testing.T) {
	c, _ := newRig(t).connect(t, target(mcptest.Definition("ok")))
	got := call(t, c, "die", `{}`)
	if got.Reason != tool.ServerGone {
		t.Errorf("reason %q, want server_gone", got.Reason)
	}
	wantHas(t, "the text", textOf(got), "out of memory")
	ended(t, c)
	if lost := c.Lost(); lost == nil || lost.Evidence.ExitCode == nil || *lost.Evidence.ExitCode != 9 {
		t.Errorf("lost = %+v", lost)
	}
}

func TestNoSecretInAFailure(t *testing.T) {
	f, heard := newRig(t).fail(t, target(mcptest.Definition("leak", mcptest.Env("API_KEY", "sk-very-secret"))))
	if text := f.Message + strings.Join(f.Evidence.Stderr, " ") + heard.lines(); strings.Contains(text, "sk-very-secret") {
		t.Errorf("the key is shown: %s", text)
	}
	remote := mcptest.Remote(mcpconf.StreamableHTTP, "http://user:pass-word@127.0.0.1:1/mcp?token=query-secret")
	f, _ = newRig(t).fail(t, target(remote))
	if text := f.Message + f.Evidence.URL; strings.Contains(text, "pass-word") || strings.Contains(text, "query-secret") {
		t.Errorf("the address is shown whole: %s", text)
	}
}
