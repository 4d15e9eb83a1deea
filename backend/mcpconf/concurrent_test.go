package mcpconf

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

func (r rig) peer(t *testing.T, mode, name string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	cmd := exec.Command(os.Args[0], r.path(), r.dir, name)
	cmd.Env = append(os.Environ(), "MCPCONF_TEST_PEER="+mode)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &stderr
}

// readAllTheTime parses the file in a loop; the function it returns ends that and tells how
// often it was read.
func (r rig) readAllTheTime(t *testing.T) (stop func() int) {
	ended := make(chan struct{})
	var wg sync.WaitGroup
	reads := 0
	wg.Go(func() {
		for {
			select {
			case <-ended:
				return
			case <-time.After(time.Millisecond):
			}
			raw, err := os.ReadFile(r.path())
			if err != nil {
				t.Errorf("a reader: %v", err)
			} else if _, fe := ParseDefinitions(r.path(), raw); fe != nil {
				t.Errorf("a reader saw %d bytes: %v", len(raw), fe)
			}
			reads++
		}
	})
	return func() int {
		close(ended)
		wg.Wait()
		return reads
	}
}

// Two processes add fifty servers each, a third program edits by hand, and a reader parses
// all the time: the file is whole at every moment and nothing is lost.
func TestC09TwoProcessesAndAnEditorLoseNothing(t *testing.T) {
	r := newRig(t)
	r.write(t, "{\n  // by hand\n  \"mcpServers\": {\n    \"mine\": {\"command\": \"x\"}\n  }\n}\n")
	stop := r.readAllTheTime(t)
	a, errA := r.peer(t, "add", "a")
	b, errB := r.peer(t, "add", "b")
	edits := 0
	for range 5 { // the editor saves atomically, without any lock
		time.Sleep(20 * time.Millisecond)
		raw, err := os.ReadFile(r.path())
		if err != nil {
			t.Error(err)
			break
		}
		e := fmt.Sprintf("edit-%d", edits)
		next := strings.Replace(string(raw), "\"mcpServers\": {", "\"mcpServers\": {\n    \""+e+"\": {\"command\": \"x\"},", 1)
		tmp := filepath.Join(r.dir, "editor.tmp")
		put(t, tmp, next)
		if now, err := os.ReadFile(r.path()); err == nil && string(now) == string(raw) {
			if err := os.Rename(tmp, r.path()); err != nil {
				t.Error(err)
			}
			edits++
		}
	}
	for cmd, stderr := range map[*exec.Cmd]*strings.Builder{a: errA, b: errB} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a process: %v\n%s", err, stderr)
		}
	}
	reads := stop()
	s := r.store(t, "")
	defs, _ := s.Value().Get()
	have := map[string]bool{}
	for _, d := range defs.Servers {
		have[d.Name] = true
	}
	lost := 0
	for _, p := range []string{"a", "b"} {
		for i := range 50 {
			if !have[fmt.Sprintf("%s-%d", p, i)] {
				lost++
			}
		}
	}
	// The editor has no lock: between its own look and its rename it may overwrite an add,
	// which no other program can prevent. Ours never overwrite it, nor one another.
	if lost > edits || !have["mine"] || reads == 0 {
		t.Errorf("%d of 100 servers are lost (the editor saved %d times), mine is there: %t, %d reads", lost, edits, have["mine"], reads)
	}
	if raw, _ := os.ReadFile(r.path()); !strings.Contains(string(raw), "// by hand") {
		t.Error("the comment is gone")
	}
}

func TestC09TwoProcessesAddAHundred(t *testing.T) {
	r := newRig(t)
	r.write(t, "{}")
	stop := r.readAllTheTime(t)
	a, errA := r.peer(t, "add", "a")
	b, errB := r.peer(t, "add", "b")
	s := r.store(t, "") // and a window that watches
	for cmd, stderr := range map[*exec.Cmd]*strings.Builder{a: errA, b: errB} {
		if err := cmd.Wait(); err != nil {
			t.Errorf("a process: %v\n%s", err, stderr)
		}
	}
	if stop() == 0 {
		t.Error("nobody read meanwhile")
	}
	await(t, s.Value(), func(d Definitions) bool { return len(d.Servers) == 100 && d.Err == nil })
}

func TestKillInMidEditLeavesAWholeFileAndAFreeLock(t *testing.T) {
	r := newRig(t)
	r.write(t, two)
	for round := range 6 {
		cmd, _ := r.peer(t, "forever", "k")
		time.Sleep(time.Duration(60+13*round) * time.Millisecond)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		raw, err := os.ReadFile(r.path())
		if err != nil {
			t.Fatal(err)
		}
		defs, fe := ParseDefinitions(r.path(), raw)
		if fe != nil || indexOf(defs, "fetch") != 0 || indexOf(defs, "web") != 1 {
			t.Fatalf("after kill -9: %v, %v", defs, fe)
		}
		for _, d := range defs[2:] { // what the killed one left
			s, err := OpenStore(r.path(), r.opts)
			if err != nil {
				t.Fatal(err)
			}
			err = s.Remove(d.Name)
			s.Close()
			if err != nil {
				t.Fatalf("edit after kill -9: %v", err)
			}
		}
	}
	wantFile(t, r.path(), two)
}
