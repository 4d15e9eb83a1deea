package proc

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestTreeShowsARealServerWithItsGrandchild(t *testing.T) {
	s := supervise(t)
	p := shell(t, s, `sleep 300 & echo ready; exec sleep 301`)
	readLine(t, p)
	var tree []Info
	eventually(t, "both are there by their own names", func() bool {
		var err error
		if tree, err = Tree(t.Context(), p.PID()); err != nil {
			t.Fatal(err)
		}
		// A name and a command are read one after the other: one look may see the shell's name and what replaced it.
		return len(tree) == 2 && strings.Join(tree[0].Command, " ") == "sleep 301" && tree[0].Name == "sleep" &&
			strings.Join(tree[1].Command, " ") == "sleep 300"
	})
	root, child := tree[0], tree[1]
	if root.PID != p.PID() || root.Parent != os.Getpid() || child.Parent != p.PID() || child.Depth != 1 || child.Group != p.PID() {
		t.Errorf("tree = %+v", tree)
	}
	if root.Memory <= 0 || root.Memory > 1<<30 {
		t.Errorf("root = %+v", root)
	}
	if age := time.Since(root.Started); age < -2*time.Second || age > patience {
		t.Errorf("the root started %v ago", age)
	}
	p.Kill()
	eventually(t, "the tree is empty", func() bool {
		tree, err := Tree(t.Context(), p.PID())
		return err == nil && len(tree) == 0
	})
}

func TestALongNameIsWhole(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(t.TempDir(), "a-name-that-the-kernel-cuts")
	if err := os.Symlink(sleep, long); err != nil {
		t.Fatal(err)
	}
	p := start(t, supervise(t), Spec{Path: long, Args: []string{"300"}})
	if tree, err := Tree(t.Context(), p.PID()); err != nil || len(tree) != 1 || tree[0].Name != filepath.Base(long) {
		t.Errorf("tree = %+v, %v", tree, err)
	}
}

func TestTreeShowsWhatADeadLeaderLeftBehind(t *testing.T) {
	s := supervise(t)
	p := shell(t, s, `sleep 302 >/dev/null 2>&1 & echo ready`)
	readLine(t, p)
	await(t, "the leader's end", p.Done())
	tree, err := Tree(t.Context(), p.PID())
	if err != nil || len(tree) != 1 || !tree[0].Orphan || tree[0].Group != p.PID() {
		t.Errorf("tree = %+v, %v", tree, err)
	}
}

// TestPSTellsWhatProcTells holds what macOS asks against what Linux reads.
func TestPSTellsWhatProcTells(t *testing.T) {
	ps, err := exec.LookPath("ps")
	if err != nil {
		t.Skip("no ps here: a bare system may lack procps, and Linux does not ask it")
	}
	p := shell(t, supervise(t), `echo ready; exec sleep 303`)
	readLine(t, p)
	cmd := exec.Command(ps, "-axwwo", psColumns)
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	out, err := cmd.Output()
	if err != nil {
		t.Skipf("this ps is another one: %v", err)
	}
	got, err := Tree(t.Context(), p.PID())
	if err != nil || len(got) != 1 {
		t.Fatalf("tree = %+v, %v", got, err)
	}
	told := grow(parsePS(string(out), time.Local), p.PID())
	if len(told) == 0 {
		t.Fatal("ps does not know the process")
	}
	each := told[0]
	if each.PID != got[0].PID || each.Parent != got[0].Parent || each.Group != got[0].Group {
		t.Errorf("ps tells %+v, proc %+v", each, got[0])
	}
	if off := each.Started.Sub(got[0].Started).Abs(); off > 2*time.Second {
		t.Errorf("ps and proc are %v apart", off)
	}
}
