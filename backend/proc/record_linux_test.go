package proc

import (
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// killed runs an application that records in dir and kills it together with its watchdog,
// so that its processes stay.
func killed(t *testing.T, dir string) (mark string) {
	t.Helper()
	app, mark, watchdog := runApp(t, dir)
	for _, pid := range []int{watchdog, app.Process.Pid} {
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	_ = app.Wait()
	eventually(t, "the watchdog is gone", func() bool { return !living(watchdog) })
	if n := len(marked(Mark + "=" + mark)); n < 3 {
		t.Fatalf("%d processes are left behind: the test would prove nothing", n)
	}
	return mark
}

func records(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func sweeper(t *testing.T, dir string, out *strings.Builder) *Supervisor {
	t.Helper()
	s := NewSupervisor(SupervisorOptions{Records: dir, Logger: slog.New(slog.NewTextHandler(out, nil))})
	t.Cleanup(s.Close)
	return s
}

func TestSweepEndsWhatAKilledApplicationWithAKilledWatchdogLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "procs")
	_, livingMark, _ := runApp(t, dir)
	mark := killed(t, dir)
	alive := marked(Mark + "=" + livingMark)
	var out strings.Builder
	s := sweeper(t, dir, &out)
	ended := s.Sweep()
	if left := marked(Mark + "=" + mark); len(left) > 0 {
		t.Errorf("%v are left", left)
	}
	if len(ended) < 3 || !slices.ContainsFunc(ended, func(e Ended) bool { return e.Name == "sh" }) {
		t.Errorf("ended = %v, want the server and what it started", ended)
	}
	if text := out.String(); !strings.Contains(text, "processes that an earlier Patchbay had left behind were ended: ") || !strings.Contains(text, fmt.Sprintf("sh (pid %d)", ended[0].PID)) {
		t.Errorf("the log says %q", text)
	}
	if now := marked(Mark + "=" + livingMark); !slices.Equal(now, alive) || len(alive) < 3 {
		t.Errorf("of an application that lives %v became %v", alive, now)
	}
	if left := records(t, dir); len(left) != 1 || !strings.Contains(left[0], livingMark) {
		t.Errorf("records left: %v", left)
	}
	if again := s.Sweep(); !slices.Equal(again, ended) {
		t.Errorf("a second call says %v", again)
	}
}

func TestTheFirstStartWaitsForTheSweep(t *testing.T) {
	dir := t.TempDir()
	mark := killed(t, dir)
	s := NewSupervisor(SupervisorOptions{Records: dir})
	t.Cleanup(s.Close)
	p := start(t, s, Spec{Path: "sleep", Args: []string{"300"}})
	if left := marked(Mark + "=" + mark); len(left) > 0 {
		t.Errorf("%v ran beside the first process", left)
	}
	if got := records(t, dir); len(got) != 1 || !strings.Contains(got[0], s.mark) {
		t.Errorf("records = %v, want its own", got)
	}
	p.Stop(StopOptions{CloseStdin: -1})
	s.Close()
	if got := records(t, dir); len(got) != 0 {
		t.Errorf("after an orderly end: %v", got)
	}
}

func TestManySweepsAtOnceEndTheSame(t *testing.T) {
	dir := t.TempDir()
	other := t.TempDir() // else the second application would sweep what the first left
	marks := []string{killed(t, dir), killed(t, other)}
	for _, path := range records(t, other) {
		if err := os.Rename(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() { sweep(dir, slog.New(slog.DiscardHandler)) })
	}
	wg.Wait()
	for _, mark := range marks {
		if left := marked(Mark + "=" + mark); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
	}
	if left := records(t, dir); len(left) > 0 {
		t.Errorf("records left: %v", left)
	}
}

// TestSweepTouchesNobodyElse: processes whose numbers stand in records of the dead, but who
// are others, and files that are no records.
func TestSweepTouchesNobodyElse(t *testing.T) {
	bystander := exec.Command("sleep", "300")
	bystander.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := bystander.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = bystander.Process.Kill(); _ = bystander.Wait() })
	pid := bystander.Process.Pid
	start, err := startTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	self, err := startTime(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	head := recordHead + machine() + "\n"
	boot, space, _ := strings.Cut(machine(), " ")
	add := fmt.Sprintf("add %d %s sleep\n", pid, start)
	tests := []struct {
		file, text string
		kept       bool
	}{
		{"3999999-1-A.procs", head + fmt.Sprintf("add %d 12345 sleep\n", pid), false}, // a number that came round again
		{"3999999-2-B.procs", head + add + fmt.Sprintf("remove %d %s\n", pid, start), false},
		{"3999999-3-C.procs", recordHead + "another-boot " + space + "\n" + add, false},
		{"3999999-4-D.procs", recordHead + boot + " pid:[1]\n" + add, true}, // another container's
		{"3999999-5-E.procs", "\x00\xff garbage " + add, false},
		{"3999999-6-F.procs", "", false},
		{"3999999-7-G.procs", head + "add 1 1 init\nadd -5 1\nadd x y\nadd 0 0 z\n" + add[:5], false},
		{fmt.Sprintf("%d-%s-H.procs", os.Getpid(), self), head + add, true}, // a living owner
		{fmt.Sprintf("%d-%s-I.procs", os.Getpid(), self), "garbage", true},  // a living owner, unreadable
		{fmt.Sprintf("%d-1-J.procs", os.Getpid()), head + add[:3], false},   // its number came round again
		{"notes.txt", add, true},
		{"1-1-K.procs", head + add, true},
		{"x-1-L.procs", head + add, true},
	}
	dir := t.TempDir()
	for _, tt := range tests {
		if err := os.WriteFile(filepath.Join(dir, tt.file), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "3999999-8-M.procs"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "notes.txt"), filepath.Join(dir, "3999999-9-N.procs")); err != nil {
		t.Fatal(err)
	}
	if ended := sweep(dir, slog.New(slog.DiscardHandler)); len(ended) > 0 {
		t.Errorf("ended = %v", ended)
	}
	if !living(pid) {
		t.Fatal("the bystander is gone")
	}
	for _, tt := range tests {
		if _, err := os.Lstat(filepath.Join(dir, tt.file)); (err == nil) != tt.kept {
			t.Errorf("%s: there %v, want %v", tt.file, err == nil, tt.kept)
		}
	}
	for _, name := range []string{"3999999-8-M.procs", "3999999-9-N.procs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			t.Errorf("%s is removed, and is no record", name)
		}
	}
	// What would have ended it: the same record with the right start time.
	if err := os.WriteFile(filepath.Join(dir, "3999999-1-A.procs"), []byte(head+add), 0o600); err != nil {
		t.Fatal(err)
	}
	if ended := sweep(dir, slog.New(slog.DiscardHandler)); len(ended) != 1 || ended[0] != (Ended{pid, "sleep"}) {
		t.Errorf("ended = %v, want the recorded one", ended)
	}
	eventually(t, "the recorded one is gone", func() bool { return !living(pid) })
}

func TestARecordThatCannotBeWrittenKeepsNothingFromStarting(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	s := sweeper(t, filepath.Join(file, "procs"), &out)
	for range 2 {
		start(t, s, Spec{Path: "sleep", Args: []string{"300"}})
	}
	if n := strings.Count(out.String(), "processes are not recorded"); n != 1 {
		t.Errorf("the log tells %d times: %s", n, out.String())
	}
}

func TestARecordDoesNotGrowForEver(t *testing.T) {
	dir := t.TempDir()
	s := NewSupervisor(SupervisorOptions{Records: dir})
	t.Cleanup(s.Close)
	for range 20 {
		p := start(t, s, Spec{Path: "true"})
		await(t, "the end of its group", p.GroupDone())
	}
	eventually(t, "only the head is left", func() bool {
		text, err := os.ReadFile(records(t, dir)[0])
		return err == nil && string(text) == recordHead+machine()+"\n"
	})
}
