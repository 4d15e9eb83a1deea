package proc

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestUnmapColdGivesBackTheProgramsOwnPages, and the program goes on.
func TestUnmapColdGivesBackTheProgramsOwnPages(t *testing.T) {
	path, err := os.Readlink("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path) // into the system's cache, so that a fault maps what is around it
	if err != nil || len(program) == 0 {
		t.Fatal(err)
	}
	before := ownPages(t, path)
	UnmapCold()
	if after := ownPages(t, path); after >= before {
		t.Errorf("%d kB of the program are mapped, %d before", after, before)
	}
	if got := fmt.Sprintf("%x", strings.Repeat("on", 2)); got != "6f6e6f6e" {
		t.Errorf("the program says %q", got)
	}
}

// ownPages is how much of a file this process has mapped and in memory, in kB.
func ownPages(t *testing.T, path string) int {
	t.Helper()
	data, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	total, own := 0, false
	for line := range strings.Lines(string(data)) {
		if head, _, _ := strings.Cut(line, " "); !strings.HasSuffix(head, ":") {
			own = strings.HasSuffix(strings.TrimSpace(line), path)
			continue
		}
		var kB int
		if _, err := fmt.Sscanf(line, "Rss: %d kB", &kB); err == nil && own {
			total += kB
		}
	}
	return total
}
