package session

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/fsx"
	"patchbay/backend/history"
	"patchbay/backend/mcphost"
	"patchbay/backend/model/modeltest"
	"patchbay/backend/proc"
)

// markOf is the environment entry that every process of a program carries.
func markOf(t *testing.T, pid int) string {
	t.Helper()
	env, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	if err != nil {
		t.Fatal(err)
	}
	for entry := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.HasPrefix(entry, []byte(proc.Mark+"=")) {
			return string(entry)
		}
	}
	t.Fatalf("process %d carries no mark", pid)
	return ""
}

// marked lists the living processes with a mark.
func marked(mark string) []string {
	var found []string
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is right
	for _, path := range paths {
		env, err := os.ReadFile(path) // gone meanwhile, or another user's
		if err != nil || !bytes.Contains(append([]byte{0}, env...), []byte("\x00"+mark+"\x00")) {
			continue
		}
		found = append(found, filepath.Base(filepath.Dir(path)))
	}
	return found
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// TestBackgroundProcessesOutliveRebuilds: servers are restarted, what bash started is not
// touched; closing ends all of it.
func TestBackgroundProcessesOutliveRebuilds(t *testing.T) {
	r := newRig(t,
		modeltest.Calls(shell("c1", `{"action":"start","command":"sleep 300 & echo begun; wait"}`)), modeltest.Text("started"),
		modeltest.Calls(shell("c2", `{"action":"list"}`)), modeltest.Text("listed"))
	m := r.open(Options{Mode: approval.Auto})
	s := r.session(m, "demo")
	events := r.send(s, Prompt{Text: "start it"})
	var process struct {
		ProcessID, Status string
		PID               int
	}
	result := ofKind(events, agent.ToolResult)[0]
	if err := json.Unmarshal([]byte(result.ModelText), &process); err != nil || process.PID == 0 {
		t.Fatalf("start: %s, %v", result.ModelText, err)
	}
	first := r.wantState(s, "demo", mcphost.Connected).PID
	s.RebuildAll()
	r.settle(s)
	second := r.wantState(s, "demo", mcphost.Connected).PID
	r.must(s.Retry("demo"))
	s.RetryFailed()
	r.settle(s)
	third := r.wantState(s, "demo", mcphost.Connected).PID
	if first == second || second == third {
		t.Errorf("the server was not restarted: %d, %d, %d", first, second, third)
	}
	if alive(first) || alive(second) || !alive(third) || !alive(process.PID) {
		t.Errorf("alive: %v %v %v, background %v", alive(first), alive(second), alive(third), alive(process.PID))
	}
	events = r.send(s, Prompt{Text: "list"})
	if text := ofKind(events, agent.ToolResult)[0].ModelText; !strings.Contains(text, process.ProcessID) || !strings.Contains(text, "RUNNING") {
		t.Errorf("list: %s", text)
	}
	mark := markOf(t, third)
	if got := markOf(t, process.PID); got != mark {
		t.Errorf("the background process carries %s, the server %s", got, mark)
	}
	if n := len(marked(mark)); n < 3 {
		t.Fatalf("%d processes carry the mark: the check below would prove nothing", n)
	}
	r.close(m)
	if left := marked(mark); len(left) != 0 {
		t.Errorf("processes are left after Close: %v", left)
	}
}

// TestDeleteEndsWhatTheSessionStarted, and leaves the servers that another session wants.
func TestDeleteEndsWhatTheSessionStarted(t *testing.T) {
	r := newRig(t, modeltest.Calls(shell("c1", `{"action":"start","command":"sleep 300"}`)), modeltest.Text("started"))
	m := r.open(Options{Mode: approval.Auto})
	s := r.session(m, "demo")
	result := ofKind(r.send(s, Prompt{Text: "start it"}), agent.ToolResult)[0]
	var process struct{ PID int }
	if err := json.Unmarshal([]byte(result.ModelText), &process); err != nil || !alive(process.PID) {
		t.Fatalf("start: %s, %v", result.ModelText, err)
	}
	other := r.session(m)
	pid := r.wantState(other, "demo", mcphost.Connected).PID
	if pid != r.row(s, "demo").PID {
		t.Error("two sessions of one workspace have two servers")
	}
	r.must(m.Delete(t.Context(), s.ID()))
	r.eventually("the background process ends", func() bool { return !alive(process.PID) })
	r.settle(other)
	if got := r.wantState(other, "demo", mcphost.Connected); got.PID != pid || !alive(pid) {
		t.Errorf("the other session's server: %+v", got)
	}
}

// TestKilledInMidTurnLosesNoFinishedMessage kills a program with SIGKILL while it waits for
// the model's second answer: what was finished is there for the next program, in a form that
// a strict endpoint accepts, and no process of it is left.
func TestKilledInMidTurnLosesNoFinishedMessage(t *testing.T) {
	r := newRig(t, modeltest.TextAndCalls("I look", echo("c1", "seen"), shell("c2", `{"action":"start","command":"sleep 300"}`)),
		modeltest.Answer{Parts: []modeltest.Part{{Bytes: modeltest.Delta(map[string]any{"content": "half an ans"})}}, Hold: true},
		modeltest.Text("back"))
	self, err := os.Executable()
	r.must(err)
	cmd := exec.Command(self, "turn", r.workspace, "remember me")
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	r.must(err)
	r.must(cmd.Start())
	killed := false
	kill := func() {
		if !killed {
			killed = true
			_ = cmd.Process.Kill()
			_ = cmd.Wait() // killed: an error by design
		}
	}
	defer kill()
	id, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("the program ended: %v", err)
	}
	id = strings.TrimSpace(id)
	if !r.model.WaitRequests(2, patience) {
		t.Fatal("the second request did not come")
	}
	mark := ""
	for _, pid := range children(t, cmd.Process.Pid) {
		if env, err := os.ReadFile(fmt.Sprintf("/proc/%s/environ", pid)); err == nil && bytes.Contains(env, []byte(proc.Mark+"=")) {
			var n int
			fmt.Sscan(pid, &n)
			mark = markOf(t, n)
		}
	}
	if mark == "" || len(marked(mark)) < 2 {
		t.Fatalf("mark %q: the program has no servers", mark)
	}

	m := r.open(Options{Mode: approval.Auto})
	var leased *history.LeasedError
	if _, err := m.OpenSession(t.Context(), id); !errors.As(err, &leased) || leased.PID != cmd.Process.Pid {
		t.Errorf("while the program lives: %v", err)
	}
	view, err := m.ViewSession(t.Context(), id)
	r.must(err)
	if events, _, _ := view.Transcript(); len(events) == 0 || events[0].Text != "remember me" {
		t.Errorf("to be read: %q", said(events))
	}
	if err := view.Send(Prompt{Text: "me too"}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("sent where it is only read: %v", err)
	}
	kill()
	r.eventually("nothing of the killed program is left", func() bool { return len(marked(mark)) == 0 })

	s, err := m.OpenSession(t.Context(), id)
	r.must(err)
	events, _, _ := s.Transcript()
	got := said(events)
	text := strings.Join(got, "\n")
	if len(got) != 6 || got[0] != "user remember me" || got[1] != "text I look" {
		t.Errorf("transcript %q", got)
	}
	for _, part := range []string{"call c1 demo demo_echo", "result c1 seen", "call c2  bash", "result c2 {\"processId\":"} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is lost: %q", part, got)
		}
	}
	r.wantDone(r.send(s, Prompt{Text: "next", Services: &[]string{}}), agent.EndTurn)
	requests := r.model.Requests()
	if n := len(requests[len(requests)-1].Chat.Messages); n != 6 { // system, user, assistant, two results, user
		t.Errorf("%d messages are sent", n)
	}
}

// children lists the processes whose parent is pid.
func children(t *testing.T, pid int) []string {
	t.Helper()
	var found []string
	paths, _ := filepath.Glob("/proc/[0-9]*/stat") // the pattern is right
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if len(fields) > 1 && fields[1] == fmt.Sprint(pid) {
			found = append(found, filepath.Base(filepath.Dir(path)))
		}
	}
	return found
}

// TestWhatIsStartedIsRecordedForTheNextProcess, who would end it, until an orderly end.
func TestWhatIsStartedIsRecordedForTheNextProcess(t *testing.T) {
	r := newRig(t)
	m := r.open(Options{})
	s := r.session(m, "demo")
	pid := r.wantState(s, "demo", mcphost.Connected).PID
	folder := filepath.Join(fsx.AppDirs().Runtime, "procs")
	files, err := os.ReadDir(folder)
	if err != nil || len(files) != 1 {
		t.Fatalf("records %v, %v", files, err)
	}
	text, err := os.ReadFile(filepath.Join(folder, files[0].Name()))
	if err != nil || !strings.Contains(string(text), fmt.Sprintf("\nadd %d ", pid)) {
		t.Errorf("pid %d is not in %q, %v", pid, text, err)
	}
	if !strings.HasPrefix(folder, r.home) {
		t.Errorf("%s is outside of HOME", folder)
	}
	r.close(m)
	if files, err := os.ReadDir(folder); err != nil || len(files) != 0 {
		t.Errorf("after the end: %v, %v", files, err)
	}
}
