package proc

import (
	"fmt"
	"strings"
)

// Ended is a process that Sweep ended.
type Ended struct {
	PID  int
	Name string // of its program
}

// EndedText is one sentence about what Sweep ended, "" when that is nothing.
func EndedText(ended []Ended) string {
	if len(ended) == 0 {
		return ""
	}
	var names []string
	for _, e := range ended {
		names = append(names, fmt.Sprintf("%s (pid %d)", e.Name, e.PID))
	}
	what := "a process that an earlier Patchbay had left behind was"
	if len(ended) > 1 {
		what = fmt.Sprintf("%d processes that an earlier Patchbay had left behind were", len(ended))
	}
	return what + " ended: " + strings.Join(names, ", ")
}
