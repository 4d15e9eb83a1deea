package proc

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestATreeIsWhatTheRootStarted(t *testing.T) {
	at := func(seconds int) time.Time { return time.Unix(1_700_000_000+int64(seconds), 0) }
	all := []Info{
		{PID: 1, Parent: 0, Group: 1, Started: at(0)},
		{PID: 40, Parent: 10, Group: 10, Started: at(13)},
		{PID: 10, Parent: 1, Group: 10, Started: at(10)},
		{PID: 20, Parent: 10, Group: 10, Started: at(12)},
		{PID: 21, Parent: 20, Group: 21, Started: at(14)},      // left the group
		{PID: 5, Parent: 10, Group: 5, Started: at(2)},         // older than 10: another had that number
		{PID: 30, Parent: 1, Group: 10, Started: at(11)},       // its parent ended
		{PID: 31, Parent: 30, Group: 10, Started: at(15)},      // its child
		{PID: 50, Parent: 1, Group: 50, Started: at(16)},       // somebody else's
		{PID: 60, Parent: 40, Group: 10, Started: time.Time{}}, // hidden from us
		{PID: 70, Parent: 70, Group: 70, Started: time.Time{}}, // its own parent, as Windows has it
		{PID: 51, Parent: 50, Group: 50, Started: at(17)},      // somebody else's child
		{PID: 22, Parent: 20, Group: 10, Started: at(14)},      // as old as 21
	}
	var got []string
	for _, p := range grow(all, 10) {
		line := strings.Repeat("-", p.Depth) + fmt.Sprint(p.PID)
		if p.Orphan {
			line += "?"
		}
		got = append(got, line)
	}
	if want := "10 -20 --21 --22 -40 --60 -30? --31"; strings.Join(got, " ") != want {
		t.Errorf("tree = %s, want %s", strings.Join(got, " "), want)
	}
	if tree := grow(all, 99); len(tree) != 0 {
		t.Errorf("the tree of nobody is %v", tree)
	}
	if tree := grow(all, 70); len(tree) != 1 {
		t.Errorf("a process that is its own parent has the tree %v", tree)
	}
	// The leader is gone, what it left in its group is not.
	if tree := grow(all[7:9], 10); len(tree) != 1 || tree[0].PID != 31 || !tree[0].Orphan {
		t.Errorf("the rest of a group is %+v", tree)
	}
}

func TestPSIsReadAsMacOSAndLinuxWriteIt(t *testing.T) {
	out := `    1     0     1 Ss    11904   0:04.31 Mon Dec  1 08:02:11 2026     /sbin/launchd
  501     1   501 S+    90112   1:02:03 Tue Nov 10 23:59:59 2026     /opt/homebrew/bin/node /x/server.js --port 80
  502   501   501 Z         0 2-01:00:00 Tue Nov 10 23:59:59 2026     <defunct>
bad line
  abc     1     1 S         0   0:00.00 Tue Nov 10 23:59:59 2026     x
`
	all := parsePS(out, time.UTC)
	if len(all) != 3 {
		t.Fatalf("%d processes, want 3: %+v", len(all), all)
	}
	node := all[1]
	if node.PID != 501 || node.Parent != 1 || node.Group != 501 || node.Memory != 90112<<10 || !node.Shared ||
		node.CPU != time.Hour+2*time.Minute+3*time.Second || node.Name != "node" || len(node.Command) != 4 ||
		!node.Started.Equal(time.Date(2026, 11, 10, 23, 59, 59, 0, time.UTC)) {
		t.Errorf("node = %+v", node)
	}
	if all[0].CPU != 4310*time.Millisecond || all[0].Zombie || !all[2].Zombie || all[2].CPU != 49*time.Hour {
		t.Errorf("times = %v, %v, zombie %v", all[0].CPU, all[2].CPU, all[2].Zombie)
	}
}

func TestTimesOfPS(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0:00.03": 30 * time.Millisecond, "10:00": 10 * time.Minute, "01:02:03": time.Hour + 2*time.Minute + 3*time.Second,
		"1-00:00:01": 24*time.Hour + time.Second, "": 0, "x:1": 0, "1:2:3:4": 0, "y-1:1": 0,
	} {
		if got := psTime(text); got != want {
			t.Errorf("%q = %v, want %v", text, got, want)
		}
	}
}
