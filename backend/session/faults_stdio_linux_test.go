package session

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"

	"patchbay/backend/mcpconn"
	"patchbay/backend/mcpconn/mcptest"
	"patchbay/backend/mcphost"
	"patchbay/backend/model/modeltest"
)

// faulty writes servers of the rig's modes, each under its mode's name and with a mark in
// its environment, and returns that mark.
func (r *rig) faulty(modes ...string) (mark string) {
	r.t.Helper()
	mark = "PATCHBAY_TEST_TREE=" + strings.ReplaceAll(r.home, "/", "_")
	name, value, _ := strings.Cut(mark, "=")
	var members []string
	for _, mode := range modes {
		def := mcptest.Definition(mode, mcptest.Env(name, value))
		text, err := json.Marshal(map[string]any{"command": def.Command, "env": def.Env})
		r.must(err)
		members = append(members, fmt.Sprintf("%q: %s", mode, text))
	}
	r.write(r.storePath(), `{"mcpServers": {`+strings.Join(members, ", ")+`}}`)
	return mark
}

// TestS23TheWholeTreeIsGoneWhateverLeaves: after disable, pause, remove and quit nothing of
// a server with a grandchild is left, nor of one that ignores TERM.
func TestS23TheWholeTreeIsGoneWhateverLeaves(t *testing.T) {
	for _, mode := range []string{"grandchild", "ignoreterm"} {
		t.Run(mode, func(t *testing.T) {
			r := newRig(t)
			mark := r.faulty(mode)
			m := r.open(Options{})
			s := r.session(m, mode)
			least := map[string]int{"grandchild": 2, "ignoreterm": 1}[mode]
			runs := func() {
				t.Helper()
				r.settle(s)
				r.wantState(s, mode, mcphost.Connected)
				if n := len(marked(mark)); n < least {
					t.Fatalf("%d processes run, want at least %d: the test would prove nothing", n, least)
				}
			}
			gone := func(after string) {
				t.Helper()
				r.eventually("nothing is left after "+after, func() bool { return len(marked(mark)) == 0 })
			}
			runs()
			r.must(s.Pause(mode))
			gone("pause")
			r.must(s.Resume(mode))
			runs()
			r.must(s.Disable(mode))
			gone("disable")
			r.must(s.Enable(mode))
			runs()
			r.must(m.Store().Remove(mode))
			gone("remove")
			r.faulty(mode)
			r.eventually("it is defined again", func() bool { return s.checkDefined(mode) == nil && r.row(s, mode).State == mcphost.Connected })
			runs()
			r.close(m)
			if left := marked(mark); len(left) > 0 {
				t.Errorf("left after quit: %v", left)
			}
		})
	}
}

// TestS17TheRowOfAServerThatDiesAtOnceSaysWhyAndOffersRetry, and tells it in its timeline.
func TestS17TheRowOfAServerThatDiesAtOnceSaysWhyAndOffersRetry(t *testing.T) {
	r := newRig(t)
	r.faulty("exit1")
	s := r.session(r.open(Options{}), "exit1")
	row := r.wantState(s, "exit1", mcphost.Error)
	if row.Cause != mcpconn.Exited || row.Action != mcphost.ActRetry || row.Evidence == nil || row.Evidence.ExitCode == nil || *row.Evidence.ExitCode != 1 ||
		!strings.Contains(strings.Join(row.Evidence.Stderr, "\n"), "Cannot find module 'foo'") || !strings.Contains(row.Error, "exit status 1") || !strings.Contains(row.Reason, "Cannot find module 'foo'") {
		t.Errorf("row = %+v, evidence %+v", row, row.Evidence)
	}
	starts, total, err := s.Starts("exit1")
	if err != nil || total != 1 || starts[0].Outcome != mcphost.StartFailed || starts[0].Message != row.Error || starts[0].Stage != mcpconn.Initialize || starts[0].PID == 0 {
		t.Errorf("starts = %+v, %v", starts, err)
	}
	r.must(s.Retry("exit1"))
	r.settle(s)
	if row := r.wantState(s, "exit1", mcphost.Error); row.Starts != 2 {
		t.Errorf("one Retry made it %d starts, want 2", row.Starts)
	}
}

// TestS23WhatAKilledProgramWithAKilledWatchdogLeftIsEndedByTheNext, which says so.
func TestS23WhatAKilledProgramWithAKilledWatchdogLeftIsEndedByTheNext(t *testing.T) {
	r := newRig(t, modeltest.Answer{Parts: []modeltest.Part{{Bytes: modeltest.Delta(map[string]any{"content": "half"})}}, Hold: true})
	mark := r.faulty("grandchild")
	text, err := os.ReadFile(r.storePath())
	r.must(err)
	r.write(r.storePath(), strings.Replace(string(text), `"grandchild":`, `"demo":`, 1)) // the name the program enables
	self, err := os.Executable()
	r.must(err)
	cmd := exec.Command(self, "turn", r.workspace, "hello")
	cmd.Stderr = os.Stderr
	r.must(cmd.Start())
	kill := sync.OnceFunc(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // killed: an error by design
	})
	defer kill()
	if !r.model.WaitRequests(1, patience) {
		t.Fatal("the program did not begin its turn")
	}
	for _, child := range children(t, cmd.Process.Pid) {
		line, err := os.ReadFile("/proc/" + child + "/cmdline")
		if err == nil && strings.Contains(string(line), "watchdog") {
			var pid int
			fmt.Sscan(child, &pid)
			r.must(syscall.Kill(pid, syscall.SIGKILL))
		}
	}
	kill()
	if len(marked(mark)) == 0 {
		t.Fatal("nothing is left behind: the test would prove nothing")
	}
	m := r.open(Options{})
	r.eventually("nothing is left", func() bool { return len(marked(mark)) == 0 })
	r.eventually("it is said", func() bool {
		text, _ := m.Swept().Get()
		return strings.Contains(text, "an earlier Patchbay") && strings.Contains(text, "(pid ")
	})
}
