package mcphost

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/watch"
)

// keptLines is how many lines of a server's stderr and log are kept for readers.
const keptLines = 2000

// LogLine is one line that a server wrote.
type LogLine struct {
	Seq   uint64 // grows within a Host, with each connection that is made anew too
	At    time.Time
	Level string // "stderr", or the level of a log message
	Text  string
}

// phase is where a link is.
type phase int

const (
	starting phase = iota // an attempt runs, or is about to
	up                    // connected
	waiting               // lost; the next try is scheduled
	failed                // nothing happens until somebody retries
)

// linkState is what views see of a link.
type linkState struct {
	phase    phase
	gen      uint64 // of the attempt, growing by one with each
	stage    mcpconn.Stage
	progress string
	began    time.Time     // of the attempt
	entered  time.Time     // when stage began
	stages   []StageTime   // finished ones of the last start; replaced, never changed in place
	conn     mcpconn.Conn  // while up
	gone     chan struct{} // while up: closed when conn is out of sight
	info     mcpconn.Info  // of the last connection
	held     []mcpconn.Tool
	lost     *mcpconn.Failure // why the reconnect series runs, nil outside one
	failure  *mcpconn.Failure // of the last attempt, nil after a success
	nextTry  time.Time        // while waiting
	tries    int              // of the reconnect series
	returned int              // times it came back by itself
	again    bool             // a retry is due and has not begun
	start    uint64           // number of the last start in the timeline
	pid      int              // of the process that runs, 0 when there is none
	library  libraryState
}

// tools is the list that claims are made for: the latest of a connection, or the last one
// of a connection that is on its way back.
func (s linkState) tools() []mcpconn.Tool {
	if s.phase == up {
		return s.conn.Tools()
	}
	return s.held
}

// link owns one pooled connection through its life: attempts, loss, reconnects, retries.
// One goroutine (run) makes the connection what is wanted; everybody else reads its state.
type link struct {
	host         *Host
	berth        berth
	name         string
	log          *watch.Log[LogLine]
	number       uint64 // of the link within its host: no other has it
	predecessors []*link
	cancel       context.CancelCauseFunc
	ending       chan struct{} // closed when the last view left
	over         chan struct{} // closed when everything of it is gone
	poke         chan struct{} // capacity 1: something for run to look at
	latency      atomic.Int64  // nanoseconds of the last heartbeat or call
	questions    atomic.Uint64 // asked of the person so far
	timeline     *timeline     // of its place
	traffic      *traffic      // of its place
	secrets      *secrets      // of its definition

	mu         sync.Mutex
	views      []*Runtime // replaced, never changed in place
	state      linkState
	lastClick  time.Time
	due        time.Time      // of the retry that state.again announces
	calling    map[string]int // calls that run, by session
	level      string         // of log messages that was asked for, "" for none
	progressAt time.Time      // when views were last told of progress
}

func newLink(h *Host, b berth, number uint64) *link {
	return &link{
		host: h, berth: b, name: b.def.Name, number: number,
		log:      watch.NewLog[LogLine](keptLines),
		cancel:   func(error) {},
		ending:   make(chan struct{}),
		over:     make(chan struct{}),
		poke:     make(chan struct{}, 1),
		timeline: h.timelineLocked(b.place()),
		traffic:  h.trafficLocked(b.place()),
		secrets:  &secrets{def: b.def},
		calling:  map[string]int{},
		state:    linkState{stage: mcpconn.Resolve, began: time.Now()},
	}
}

// refuse makes l a failed link that never runs.
func (l *link) refuse(why error) {
	l.state.phase = failed
	l.state.failure = &mcpconn.Failure{Cause: mcpconn.Lost, Message: "not started: " + why.Error()}
	close(l.over)
}

func (l *link) addView(rt *Runtime) (others []*Runtime) {
	l.mu.Lock()
	defer l.mu.Unlock()
	others = l.views
	l.views = append(slices.Clone(l.views), rt)
	return others
}

func (l *link) dropView(rt *Runtime) (others []*Runtime) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.views = slices.DeleteFunc(slices.Clone(l.views), func(v *Runtime) bool { return v == rt })
	return l.views
}

// viewers are the runtimes that use l.
func (l *link) viewers() []*Runtime {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.views
}

func (l *link) snapshot() linkState {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state
}

// change applies edit to the state and tells every view. edit runs under the lock.
func (l *link) change(edit func(*linkState)) {
	l.mu.Lock()
	edit(&l.state)
	views := l.views
	l.mu.Unlock()
	wakeAll(views)
}

// retry asks for one more attempt. The first of a burst runs at once; those that follow it
// closely, or come while its attempt is young, are merged into one more.
func (l *link) retry() {
	quiet := l.host.opts.Timing.RetryQuiet
	l.change(func(s *linkState) {
		now := time.Now()
		burst := now.Sub(l.lastClick) < quiet || s.phase == starting && now.Sub(s.began) < l.host.opts.Timing.RetryPatience
		l.lastClick, l.due, s.again = now, now, true
		if burst {
			l.due = now.Add(quiet)
		}
	})
	l.wakeRun()
}

func (l *link) retryIfFailed() {
	if s := l.snapshot(); s.phase == failed && !s.again {
		l.retry()
	}
}

func (l *link) wakeRun() {
	select {
	case l.poke <- struct{}{}:
	default:
	}
}

// retryDue reports whether a retry is to begin now and, when one is due later, in how long.
// A running attempt is not cut short while it is young.
func (l *link) retryDue() (now bool, in time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.state.again {
		return false, 0
	}
	at := l.due
	if l.state.phase == starting {
		if patient := l.state.began.Add(l.host.opts.Timing.RetryPatience); patient.After(at) {
			at = patient
		}
	}
	in = time.Until(at)
	return in <= 0, max(in, 0)
}

func (l *link) httpKind() bool { return l.berth.def.Type == mcpconf.StreamableHTTP }

// active reports whether a session that is shown or in a turn uses l.
func (l *link) active() bool {
	return slices.ContainsFunc(l.viewers(), (*Runtime).isActive)
}

// observer hears a connection of one generation; a later generation makes it deaf.
type observer struct {
	link *link
	gen  uint64
}

func (o observer) heard(edit func(*linkState)) {
	o.link.change(func(s *linkState) {
		if s.gen == o.gen {
			edit(s)
		}
	})
}

// LeansOn notes what the newest revision deprecates and the server uses.
func (o observer) LeansOn(feature mcpconn.Deprecated) {
	o.heard(func(s *linkState) {
		if !slices.Contains(s.info.Deprecated, feature) {
			s.info.Deprecated = append(slices.Clone(s.info.Deprecated), feature)
		}
	})
}

// Stage notes the stage that begins and how long the one before it took.
func (o observer) Stage(stage mcpconn.Stage) {
	o.heard(func(s *linkState) {
		if s.phase == starting && stage != s.stage {
			s.finishStage(time.Now())
			s.stage = stage
			o.link.timeline.edit(s.start, func(t *Start) { t.Stages, t.Stage, t.Entered = s.stages, stage, s.entered })
		}
	})
}

// Spawned notes the process, which may hang before it is connected.
func (o observer) Spawned(pid int) {
	o.heard(func(s *linkState) {
		if s.phase == starting {
			s.pid = pid
			o.link.timeline.edit(s.start, func(t *Start) { t.PID = pid })
		}
	})
}

// Stderr keeps the line; while connecting it is the progress that the row shows.
func (o observer) Stderr(line string) {
	o.Log("stderr", line)
	l := o.link
	l.mu.Lock()
	if l.state.gen != o.gen || l.state.phase != starting {
		l.mu.Unlock()
		return
	}
	l.state.progress = line
	var views []*Runtime
	if now := time.Now(); now.Sub(l.progressAt) >= gap { // a flood of lines is not a flood of passes
		l.progressAt, views = now, l.views
	}
	l.mu.Unlock()
	wakeAll(views)
}

// Log keeps the line.
func (o observer) Log(level, text string) {
	l := o.link
	l.log.Append(func(seq uint64) LogLine {
		return LogLine{Seq: l.sequence(seq), At: time.Now(), Level: level, Text: text}
	})
}

// ToolsChanged makes every view claim again.
func (o observer) ToolsChanged() { o.heard(func(*linkState) {}) }

// Health notes how long the server took to answer.
func (o observer) Health(ok bool, d time.Duration) {
	if ok {
		o.link.latency.Store(int64(d))
		o.heard(func(*linkState) {})
	}
}
