//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"testing"
)

// A turn is stopped, a call is rejected, a server is paused under a running call and under
// an open question, and each time the next message works. What bash started outlives a
// rebuild and ends with the window.
func TestTurnsAreStoppedRejectedAndCutOff(t *testing.T) {
	dir := t.TempDir()
	nap := link(t, dir, "nap", "/bin/sleep")
	t.Cleanup(func() { // after the window is closed
		if pids := running(t, nap); len(pids) > 0 {
			t.Errorf("what bash started outlived the window: %v", pids)
		}
	})
	a, program := withDemo(t)
	connect(t, a, program)
	a.stops()
	a.rejects()
	a.cutsOff()
	a.rebuilds(t, nap)
}

// counting starts a call that takes ten seconds and waits until it reports progress.
func (a *app) counting() {
	a.t.Helper()
	a.say(`call demo_count with {"to": 50}`)
	a.answer("demo_count", "Allow once")
	a.conversation("progress", has(" of 50"))
}

// echoes sends a message and waits for what the demo server says back.
func (a *app) echoes(text string) {
	a.t.Helper()
	a.say(fmt.Sprintf(`call demo_echo with {"text": %q}`, text))
	a.conversation("the answer", has("demo_echo answered: "+text))
	a.idle()
}

func (a *app) stops() {
	a.t.Helper()
	a.counting()
	a.shot("chat-1-counting")
	a.by("button", "Stop").click()
	a.idle()
	a.conversation("that the turn was stopped", has("Stopped"))
	a.shot("chat-2-stopped")
	a.say(`call demo_echo with {"text": "after stop"}`)
	a.answer("demo_echo", "Allow for session")
	a.conversation("the answer", has("demo_echo answered: after stop"))
	a.idle()
}

func (a *app) rejects() {
	a.t.Helper()
	a.say(`call demo_add with {"a": 1, "b": 2}`)
	a.answer("demo_add", "Reject")
	a.by("article", "Tool call demo · demo_add").says("that it was rejected", has("reject"))
	a.idle()
	a.shot("chat-3-rejected")
	a.echoes("after the rejection")
}

func (a *app) cutsOff() {
	a.t.Helper()
	a.counting()
	a.by("row", "demo").by("button", "Pause demo").click()
	a.idle()
	a.conversation("why the call ended", has("MCP server demo: paused in this session"))
	a.reaches("paused", "demo")
	a.shot("chat-4-paused")
	a.by("row", "demo").by("button", "Resume demo").click()
	a.reaches("connected", "demo")
	a.echoes("after the pause")

	a.say(`call demo_time with {}`)
	a.by("group", "Approve demo_time").appears()
	a.by("row", "demo").by("button", "Pause demo").click()
	a.by("group", "Approve demo_time").goes()
	a.idle()
	a.by("row", "demo").by("button", "Resume demo").click()
	a.reaches("connected", "demo")
	a.echoes("after the question")
}

func (a *app) rebuilds(t *testing.T, nap string) {
	t.Helper()
	a.say(fmt.Sprintf(`call bash with {"action": "start", "command": %q}`, "exec "+nap+" 1000"))
	a.shot("chat-5-asks-for-bash")
	a.answer("bash", "Allow once")
	a.by("article", "Tool call bash").says("that it runs", has("ok"))
	a.idle()
	before, server := running(t, nap), a.serverPIDs()["demo"]
	if len(before) != 1 {
		t.Fatalf("bash started %v", before)
	}
	a.by("button", "Rebuild all").click()
	a.eventually("demo has a new process", func() error {
		if now := a.serverPIDs()["demo"]; now == server || now == 0 {
			return fmt.Errorf("it is %d and was %d", now, server)
		}
		return nil
	})
	a.reaches("connected", "demo")
	if now := running(t, nap); !slices.Equal(now, before) {
		t.Errorf("the background process was %v and is %v", before, now)
	}
	a.conversation("what was said before", has("demo_echo answered: after the question"))
	a.echoes("after the rebuild")
	a.shot("chat-6-rebuilt")
}
