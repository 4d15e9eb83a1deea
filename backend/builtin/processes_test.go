//go:build unix

package builtin

import (
	"fmt"
	"strings"
	"testing"

	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

func TestBackgroundProcess(t *testing.T) {
	r := newBashRig(t)
	info := r.startProcess("echo $$ > pid; echo ready; read line; echo got $line >&2; read line; exit 5")
	if !strings.HasPrefix(info.ProcessID, "proc_") || len(info.ProcessID) != 37 || info.Status != ProcessRunning ||
		info.PID != r.readPID("pid") || info.ExitCode != nil || info.EndedAt != nil || !info.ControlAvailable {
		t.Errorf("started %+v", info)
	}
	id := info.ProcessID
	first := r.awaitLog(id, "[stdout] ready\n")
	wrote := decode[struct {
		Process      ProcessInfo
		BytesWritten int
	}](t, r.on(id, "write", "input", "hello\n"), true)
	if wrote.BytesWritten != 6 || wrote.Process.ProcessID != id {
		t.Errorf("wrote %+v", wrote)
	}
	r.awaitLog(id, "[stderr] got hello\n")
	rest := decode[processLogs](t, r.on(id, "logs", "offset", first.NextOffset), true)
	if rest.Content != "[stderr] got hello\n" || rest.Truncated || rest.Status != ProcessRunning {
		t.Errorf("rest %+v", rest)
	}
	r.on(id, "write", "input", "\n")
	r.eventually("it exits", func() bool {
		info = decode[ProcessInfo](t, r.on(id, "status"), true)
		return info.Status == ProcessExited
	})
	if info.ExitCode == nil || *info.ExitCode != 5 || info.EndedAt == nil || info.ControlAvailable {
		t.Errorf("ended %+v", info)
	}
	if refused := r.on(id, "write", "input", "x"); refused.OK || !strings.Contains(refused.Content[0].Text, "has ended") {
		t.Errorf("write: %+v", refused)
	}
	list := decode[[]ProcessInfo](t, r.call(t.Context(), map[string]any{"action": "list"}), true)
	if len(list) != 1 || list[0].ProcessID != id {
		t.Errorf("list %+v", list)
	}
}

func TestListOfNothingIsAnArray(t *testing.T) {
	r := newBashRig(t)
	if got := r.call(t.Context(), map[string]any{"action": "list"}); got.Content[0].Text != "[]" {
		t.Errorf("got %q", got.Content[0].Text)
	}
}

func TestStopEndsTheWholeGroup(t *testing.T) {
	r := newBashRig(t)
	info := r.startProcess("trap '' TERM; sh -c 'echo $$ > pid; while :; do sleep 0.2; done' & wait")
	pid := r.readPID("pid")
	if got := decode[ProcessInfo](t, r.on(info.ProcessID, "stop"), true); got.Status != ProcessStopped || !dead(pid) {
		t.Errorf("stopped %+v, dead %v", got, dead(pid))
	}
	again := decode[ProcessInfo](t, r.on(info.ProcessID, "stop"), true)
	if again.Status != ProcessStopped {
		t.Errorf("second stop: %+v", again)
	}
}

func TestUnfinishedLineShows(t *testing.T) {
	r := newBashRig(t)
	r.awaitLog(r.startProcess("printf 'Password: '; sleep 3600").ProcessID, "[stdout] Password: ")
}

func TestCloseEndsBackgroundAndExec(t *testing.T) {
	r := newBashRig(t)
	r.startProcess("echo $$ > a; exec sleep 3600")
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Entry().Invoke(t.Context(), tool.Call{Arguments: []byte(`{"command":"echo $$ > b; exec sleep 3600","timeoutMs":600000}`)}, nil)
	}()
	a, b := r.readPID("a"), r.readPID("b")
	r.Close()
	if !dead(a) || !dead(b) {
		t.Errorf("dead: %v %v", dead(a), dead(b))
	}
	<-done
	if got := r.call(t.Context(), map[string]any{"command": "true"}); got.OK || !strings.Contains(got.Content[0].Text, "closing") {
		t.Errorf("exec after Close: %+v", got)
	}
}

func TestWriteToWhoDoesNotRead(t *testing.T) {
	r := newBashRig(t)
	info := r.startProcess("exec sleep 3600")
	got := r.on(info.ProcessID, "write", "input", strings.Repeat("x", 1<<20))
	if got.OK || !strings.Contains(got.Content[0].Text, "does not read its stdin") {
		t.Errorf("got %+v", got)
	}
}

func TestTooManyProcessesAreRefused(t *testing.T) {
	r := newBashRig(t)
	for range mostRunning {
		r.startProcess("exec sleep 3600")
	}
	got := r.call(t.Context(), map[string]any{"action": "start", "command": "true"})
	if got.OK || !strings.Contains(got.Content[0].Text, "action=stop") {
		t.Errorf("got %+v", got)
	}
}

func TestOldestEndedAreForgotten(t *testing.T) {
	r := newBashRig(t)
	stay := r.startProcess("exec sleep 3600")
	p, ok := r.find(r.startProcess("true").ProcessID)
	if !ok {
		t.Fatal("not listed")
	}
	<-p.finished
	for range mostEnded + 10 {
		r.keep(p)
	}
	if list := r.Processes(); len(list) != mostEnded+1 || list[0].ProcessID != stay.ProcessID {
		t.Errorf("%d listed, first %+v", len(list), list[0])
	}
}

func TestRing(t *testing.T) {
	var r ring
	r.write("stdout", []byte("a\nb"))
	r.write("stderr", []byte("x\n"))
	r.write("stdout", []byte("c\n"))
	want := "[stdout] a\n[stdout] b\n[stderr] x\n[stdout] c\n"
	if got, next, cut := r.read(0, 1000); got != want || next != int64(len(want)) || cut {
		t.Errorf("got %q %d %v", got, next, cut)
	}
	if got, next, cut := r.read(11, 8); got != "[stdout]" || next != 19 || !cut {
		t.Errorf("part: %q %d %v", got, next, cut)
	}
	if got, next, cut := r.read(9999, 8); got != "" || next != int64(len(want)) || cut {
		t.Errorf("past the end: %q %d %v", got, next, cut)
	}
}

func TestRingIsBoundedAndKeepsCharactersWhole(t *testing.T) {
	var r ring
	for i := range 40_000 {
		r.write("stdout", fmt.Appendf(nil, "é%d\n", i))
	}
	if len(r.data) > 2*ringBytes {
		t.Errorf("holds %d bytes", len(r.data))
	}
	text, next, cut := r.read(0, 1<<30)
	if len(text) > ringBytes+3 || !cut || !strings.HasSuffix(text, "é39999\n") {
		t.Errorf("%d bytes, cut %v", len(text), cut)
	}
	from := next - int64(len("é39999\n"))
	if got, at, _ := r.read(from, 1); got != "é39" || at != from+4 {
		t.Errorf("a limit below one character: %q to %d", got, at-from)
	}
	var all strings.Builder
	for at := next - 1000; at < next; {
		part, to, _ := r.read(at, 7)
		if to == at {
			t.Fatalf("no progress at %d", at)
		}
		all.WriteString(part)
		at = to
	}
	if strings.Contains(strings.TrimLeft(all.String(), "\uFFFD"), "\uFFFD") {
		t.Error("pages cut a character")
	}
}

func TestSupervisorThatClosedIsAnError(t *testing.T) {
	r := newBashRig(t)
	r.opts.Supervisor.Close()
	got := r.call(t.Context(), map[string]any{"command": "true"})
	if got.OK || !strings.Contains(got.Content[0].Text, proc.ErrClosed.Error()) {
		t.Errorf("got %+v", got)
	}
}
