package mcphost

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// keptStarts is how many starts of a server are kept for readers.
const keptStarts = 10

// StartReason says why a server was started.
type StartReason string

// The reasons.
const (
	StartFirst     StartReason = "first"     // since the application opened
	StartAgain     StartReason = "again"     // wanted again: it was disabled, paused or in nobody's use
	StartEdited    StartReason = "edited"    // its definition, or a value that it refers to, changed
	StartRetry     StartReason = "retry"     // somebody asked for it
	StartReconnect StartReason = "reconnect" // its connection was lost
)

// AllStartReasons lists every StartReason.
var AllStartReasons = []StartReason{StartFirst, StartAgain, StartEdited, StartRetry, StartReconnect}

// StartOutcome says what became of a start.
type StartOutcome string

// The outcomes.
const (
	StartRunning   StartOutcome = "running"
	StartConnected StartOutcome = "connected"
	StartFailed    StartOutcome = "failed"
	StartCut       StartOutcome = "cut" // given up before it had one
)

// AllStartOutcomes lists every StartOutcome.
var AllStartOutcomes = []StartOutcome{StartRunning, StartConnected, StartFailed, StartCut}

// Start is one attempt to connect a server, and what became of it.
type Start struct {
	Number  uint64 // among the server's starts since the application opened, from 1
	Reason  StartReason
	Try     int // of the reconnect series, 0 outside one
	Began   time.Time
	Took    time.Duration // to its outcome, 0 while it runs
	Stages  []StageTime   // finished ones in order; never changed in place
	Stage   mcpconn.Stage // that runs, or in which it failed or was cut; "" when connected
	Entered time.Time     // when Stage began
	Outcome StartOutcome
	Cause   mcpconn.Cause // of a failed one
	Message string        // why it failed or was cut, one sentence
	PID     int           // of its process, 0 when it had none
	Ended   time.Time     // of the connection that it led to, zero while that lives
	End     string        // why that ended, one sentence
}

// timeline is the last starts of one server. It belongs to the server's place, not to a
// link: an edit makes a new link and goes on with the same timeline.
type timeline struct {
	mu     sync.Mutex
	count  uint64
	key    string  // of the definition that was started last
	starts []Start // oldest first, at most keptStarts
}

// begin adds a start of the definition with that key. reason is why the link makes it, ""
// for the first start of a link: then the timeline tells.
func (t *timeline) begin(key string, s Start) (number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.Reason == "" {
		switch {
		case t.count == 0:
			s.Reason = StartFirst
		case t.key != key:
			s.Reason = StartEdited
		default:
			s.Reason = StartAgain
		}
	}
	t.count++
	t.key = key
	s.Number, s.Outcome = t.count, StartRunning
	t.starts = append(t.starts, s)
	if over := len(t.starts) - keptStarts; over > 0 {
		t.starts = slices.Delete(t.starts, 0, over)
	}
	return s.Number
}

// edit changes the start with that number, unless it is no longer kept.
func (t *timeline) edit(number uint64, change func(*Start)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.starts {
		if t.starts[i].Number == number {
			change(&t.starts[i])
		}
	}
}

// settle notes the outcome of a start that runs.
func (t *timeline) settle(number uint64, now time.Time, outcome StartOutcome, change func(*Start)) {
	t.edit(number, func(s *Start) {
		if s.Outcome != StartRunning {
			return
		}
		s.Outcome, s.Took = outcome, now.Sub(s.Began)
		change(s)
	})
}

// cut notes that a start was given up before it had an outcome.
func (t *timeline) cut(number uint64, why string) {
	t.settle(number, time.Now(), StartCut, func(s *Start) { s.Message = why })
}

// end notes that the connection of a start is over; a start without one is cut.
func (t *timeline) end(number uint64, why string) {
	t.cut(number, why)
	t.edit(number, func(s *Start) {
		if s.Outcome == StartConnected && s.Ended.IsZero() {
			s.Ended, s.End = time.Now(), why
		}
	})
}

// newest returns the kept starts, newest first, and how many there were altogether.
func (t *timeline) newest() ([]Start, uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	starts := slices.Clone(t.starts)
	slices.Reverse(starts)
	return starts, t.count
}

// total is how many starts there were.
func (t *timeline) total() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(t.count)
}

// failedAt notes why a start failed. A stage that did not run keeps its evidence's name.
func (t *timeline) failedAt(number uint64, s linkState, f *mcpconn.Failure) {
	t.settle(number, time.Now(), StartFailed, func(start *Start) {
		start.Stages, start.Stage = s.stages, cmp.Or(f.Evidence.Stage, s.stage)
		start.Cause, start.Message = f.Cause, f.Message
	})
}

// timelineLocked is that of a place, which is made when it is asked for.
func (h *Host) timelineLocked(place string) *timeline {
	t := h.timelines[place]
	if t == nil {
		t = &timeline{}
		h.timelines[place] = t
	}
	return t
}

// Starts lists the last starts of a server, newest first and at most ten, whoever asked for
// them, and how many there were since the application opened.
func (rt *Runtime) Starts(name string) ([]Start, int) {
	h := rt.host
	h.mu.Lock()
	t := h.timelines[rt.berth(mcpconf.Definition{Name: name}).place()]
	h.mu.Unlock()
	if t == nil {
		return nil, 0
	}
	starts, count := t.newest()
	if k := rt.current.Load().servers[name]; k.link != nil && len(starts) > 0 {
		s := k.link.snapshot()
		if own := k.checks.of(s); own != nil && starts[0].Number == s.start {
			starts[0].Stages = append(slices.Clone(starts[0].Stages), own...)
		}
	}
	return starts, int(count)
}

// Running is the process of a server.
type Running struct {
	PID   int       // of its leader, 0 when none runs
	Since time.Time // when its start began, zero when none runs
	// Definition is what it was started from, values expanded: to tell what is secret in
	// what the process shows, never to be shown.
	Definition mcpconf.Definition
}

// Running tells which process of a stdio server runs now, also while it still starts.
func (rt *Runtime) Running(name string) Running {
	k := rt.current.Load().servers[name]
	if k.link == nil {
		return Running{}
	}
	s := k.link.snapshot()
	if s.pid == 0 {
		return Running{}
	}
	return Running{PID: s.pid, Since: s.began, Definition: k.link.berth.def}
}
