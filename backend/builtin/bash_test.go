//go:build unix

package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

// bashPatience is the ceiling of every wait: a loaded machine may be very slow.
const bashPatience = 40 * time.Second

type bashRig struct {
	*Bash
	t         *testing.T
	workspace string
	output    string
}

func newBashRig(t *testing.T) *bashRig {
	t.Helper()
	leaks := goleak.IgnoreCurrent()
	workspace, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := proc.NewSupervisor(proc.SupervisorOptions{})
	output := filepath.Join(t.TempDir(), "output")
	b := NewBash(BashOptions{
		Supervisor:  s,
		Environment: proc.NewEnvironment(os.Environ(), proc.EnvironmentOptions{Probe: proc.ProbeNever}),
		Workspace:   workspace,
		OutputDir:   output,
	})
	t.Cleanup(func() {
		b.Close()
		s.Close()
		goleak.VerifyNone(t, leaks)
	})
	return &bashRig{Bash: b, t: t, workspace: workspace, output: output}
}

func (r *bashRig) call(ctx context.Context, args map[string]any) tool.Result {
	r.t.Helper()
	raw, err := json.Marshal(args)
	if err != nil {
		r.t.Fatal(err)
	}
	result := r.Entry().Invoke(ctx, tool.Call{Name: "bash", Arguments: raw}, nil)
	if len(result.Content) != 1 || result.Content[0].Kind != tool.Text {
		r.t.Fatalf("content %+v", result.Content)
	}
	return result
}

func (r *bashRig) run(command string) execResult {
	r.t.Helper()
	return decode[execResult](r.t, r.call(r.t.Context(), map[string]any{"action": "exec", "command": command, "timeoutMs": 60_000}), true)
}

func (r *bashRig) startProcess(command string) ProcessInfo {
	r.t.Helper()
	return decode[ProcessInfo](r.t, r.call(r.t.Context(), map[string]any{"action": "start", "command": command}), true)
}

func (r *bashRig) on(id, action string, more ...any) tool.Result {
	r.t.Helper()
	args := map[string]any{"action": action, "processId": id}
	for i := 0; i < len(more); i += 2 {
		args[more[i].(string)] = more[i+1]
	}
	return r.call(r.t.Context(), args)
}

func (r *bashRig) eventually(what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(bashPatience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within %v: %s", bashPatience, what)
		}
	}
}

func (r *bashRig) awaitLog(id, want string) processLogs {
	r.t.Helper()
	var logs processLogs
	r.eventually("log has "+want, func() bool {
		logs = decode[processLogs](r.t, r.on(id, "logs"), true)
		return strings.Contains(logs.Content, want)
	})
	return logs
}

// readPID reads a process id that a command wrote.
func (r *bashRig) readPID(name string) int {
	r.t.Helper()
	pid := 0
	r.eventually(name+" is written", func() bool {
		raw, _ := os.ReadFile(filepath.Join(r.workspace, name))
		pid, _ = strconv.Atoi(strings.TrimSpace(string(raw)))
		return pid > 0
	})
	return pid
}

// dead reports whether pid runs no more; a zombie that nobody reaps does not run.
func dead(pid int) bool {
	if syscall.Kill(pid, 0) == syscall.ESRCH {
		return true
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && strings.Contains(string(raw), ") Z ")
}

func TestBashExec(t *testing.T) {
	r := newBashRig(t)
	if err := os.Mkdir(filepath.Join(r.workspace, "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, command, cwd string
		want               execResult
	}{
		{"both streams", "echo out; echo err >&2", "", execResult{Stdout: "out\n", Stderr: "err\n"}},
		{"exit code", "exit 7", "", execResult{ExitCode: 7}},
		{"signal", "kill -TERM $$", "", execResult{ExitCode: -1, Signal: "SIGTERM"}},
		{"cwd", "pwd", "sub", execResult{Stdout: r.workspace + "/sub\n"}},
		{"stdin is empty", "cat; echo $?", "", execResult{Stdout: "0\n"}},
		{"no editor, no pager, no prompt", "echo $EDITOR $PAGER $GIT_TERMINAL_PROMPT", "", execResult{Stdout: "true cat 0\n"}},
		{"not UTF-8, markup", `printf 'a\377<b>'`, "", execResult{Stdout: "a\uFFFD<b>"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := decode[execResult](t, r.call(t.Context(), map[string]any{"command": tt.command, "cwd": tt.cwd}), true)
			tt.want.Command, tt.want.ExecutionEnvironment = tt.command, "local"
			tt.want.WorkingDirectory = filepath.Join(r.workspace, tt.cwd)
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
	if len(r.Processes()) != 0 {
		t.Errorf("exec left %v", r.Processes())
	}
}

func TestBashRefuses(t *testing.T) {
	r := newBashRig(t)
	if err := os.Symlink(t.TempDir(), filepath.Join(r.workspace, "away")); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ args, want string }{
		{`{}`, "bash exec requires a non-empty command"},
		{``, "bash exec requires a non-empty command"},
		{`{"action":"start","command":" "}`, "bash start requires a non-empty command"},
		{`{"action":"logs"}`, "bash logs requires a processId"},
		{`{"action":"status","processId":""}`, "bash status requires a processId"},
		{`{"action":"kill"}`, "unsupported bash action: kill"},
		{`{"action":"stop","processId":"proc_0"}`, "Unknown processId: proc_0"},
		{`{"command":"pwd","cwd":".."}`, "Path escapes workspace root: .."},
		{`{"command":"pwd","cwd":"away"}`, "Path escapes workspace root: away"},
		{`{"command":"pwd","cwd":"nope"}`, "use cwd nope: no such folder in the workspace"},
		{`{"command":"pwd","timeoutMs":"soon"}`, "not a whole number"},
		{`{"command":"a\u0000b"}`, "NUL character"},
		{`[]`, "read arguments of bash"},
	} {
		got := r.Entry().Invoke(t.Context(), tool.Call{Arguments: json.RawMessage(tt.args)}, nil)
		if got.OK || !strings.Contains(got.Content[0].Text, tt.want) {
			t.Errorf("%s: %v %q, want %q", tt.args, got.OK, got.Content[0].Text, tt.want)
		}
	}
}

func TestA32BackgroundChildDoesNotHoldExec(t *testing.T) {
	r := newBashRig(t)
	begin := time.Now()
	got := r.run("sleep 3600 & echo $! > pid; echo done")
	if took := time.Since(begin); took > bashPatience {
		t.Errorf("took %v", took)
	}
	if got.Stdout != "done\n" || got.ExitCode != 0 || got.Background == nil || !strings.Contains(got.Note, got.Background.ProcessID) {
		t.Fatalf("got %+v", got)
	}
	pid := r.readPID("pid")
	if dead(pid) {
		t.Error("the background process was ended")
	}
	if refused := r.on(got.Background.ProcessID, "write", "input", "x"); refused.OK || !strings.Contains(refused.Content[0].Text, "no stdin") {
		t.Errorf("write: %+v", refused)
	}
	info := decode[ProcessInfo](t, r.on(got.Background.ProcessID, "stop"), true)
	if info.Status != ProcessStopped || !dead(pid) {
		t.Errorf("after stop: %+v, dead %v", info, dead(pid))
	}
}

func TestA32DetachedHolderDoesNotHoldExec(t *testing.T) {
	r := newBashRig(t)
	got := r.run("setsid sh -c 'echo $$ > pid; exec sleep 3600' & while ! test -s pid; do sleep 0.05; done; echo done")
	pid := r.readPID("pid")
	t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
	if got.Stdout != "done\n" || !strings.Contains(got.Note, "detached") {
		t.Errorf("got %+v", got)
	}
}

func TestA32WholeGroupIsGoneAtTheLimit(t *testing.T) {
	for name, command := range map[string]string{
		"pipeline":           "sh -c 'echo $$ > pid; exec sleep 3600' | cat",
		"grandchild":         "echo early; sh -c 'echo $$ > pid; exec sleep 3600' & wait",
		"it does not listen": "trap '' TERM; sh -c 'echo $$ > pid; while :; do sleep 0.2; done'",
	} {
		t.Run(name, func(t *testing.T) {
			r := newBashRig(t)
			result := r.call(t.Context(), map[string]any{"command": command, "timeoutMs": 1500})
			got := decode[execResult](t, result, false)
			if result.Reason != tool.TimedOut || !got.TimedOut || got.ExitCode != -1 || !strings.HasSuffix(got.Stderr, timeoutHint) {
				t.Errorf("reason %q, %+v", result.Reason, got)
			}
			if pid := r.readPID("pid"); !dead(pid) {
				t.Errorf("process %d is left", pid)
			}
		})
	}
}

func TestCancelEndsTheWholeGroup(t *testing.T) {
	r := newBashRig(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() {
		r.readPID("pid")
		cancel(fmt.Errorf("the turn was stopped"))
	}()
	result := r.call(ctx, map[string]any{"command": "sh -c 'echo $$ > pid; exec sleep 3600' & wait", "timeoutMs": 600_000})
	got := decode[execResult](t, result, false)
	if result.Reason != tool.Cancelled || !strings.Contains(got.Note, "the turn was stopped") || got.TimedOut {
		t.Errorf("reason %q, %+v", result.Reason, got)
	}
	if pid := r.readPID("pid"); !dead(pid) {
		t.Errorf("process %d is left", pid)
	}
}

func TestLongOutputIsCutAndKept(t *testing.T) {
	r := newBashRig(t)
	got := r.run("echo first; head -c 300000 /dev/zero | tr '\\0' x; echo; echo last; echo short >&2")
	if len(got.Stdout) > captureBytes+1000 || !strings.HasPrefix(got.Stdout, "first\n") || !strings.HasSuffix(got.Stdout, "\nlast\n") {
		t.Errorf("%d bytes: %.40q … %q", len(got.Stdout), got.Stdout, got.Stdout[len(got.Stdout)-20:])
	}
	if got.Stderr != "short\n" || got.StderrFile != "" {
		t.Errorf("stderr %q in %q", got.Stderr, got.StderrFile)
	}
	full, err := os.ReadFile(got.StdoutFile)
	if err != nil || len(full) != len("first\n")+300000+len("\nlast\n") || !strings.Contains(got.Stdout, got.StdoutFile) {
		t.Errorf("file %q has %d bytes: %v", got.StdoutFile, len(full), err)
	}
	if info, err := os.Stat(got.StdoutFile); err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(got.StdoutFile) != r.output {
		t.Errorf("file %v %v", info, err)
	}
}

func TestCaptureWithoutAFolder(t *testing.T) {
	var c capture
	for range 100 {
		c.write([]byte(strings.Repeat("é", 500)))
	}
	text, file := c.seal()
	if file != "" || !strings.Contains(text, "[67232 bytes left out; the full output was not kept: no folder for it]") {
		t.Errorf("file %q, %d bytes", file, len(text))
	}
}

func TestProgressTellsTheLastLine(t *testing.T) {
	r := newBashRig(t)
	var told []tool.Progress
	raw := json.RawMessage(`{"command":"echo step one; while ! test -e go; do sleep 0.05; done","timeoutMs":60000}`)
	result := r.Entry().Invoke(t.Context(), tool.Call{Arguments: raw}, func(p tool.Progress) {
		told = append(told, p)
		_ = os.WriteFile(filepath.Join(r.workspace, "go"), nil, 0o644)
	})
	if !result.OK || len(told) == 0 || told[0].Message != "step one" || result.Took <= 0 {
		t.Errorf("told %+v, result %+v", told, result)
	}
}
