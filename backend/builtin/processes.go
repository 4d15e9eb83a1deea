package builtin

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

// Limits of background processes.
const (
	mostRunning = 32
	mostEnded   = 64
	stopGrace   = time.Second
	drainLimit  = time.Second // for output that is on its way when the group is gone
	writeLimit  = 5 * time.Second
)

// ProcessStatus says what became of a background process.
type ProcessStatus string

// The statuses.
const (
	ProcessRunning ProcessStatus = "RUNNING"
	ProcessExited  ProcessStatus = "EXITED"
	ProcessStopped ProcessStatus = "STOPPED"
)

// AllProcessStatuses lists every ProcessStatus.
var AllProcessStatuses = []ProcessStatus{ProcessRunning, ProcessExited, ProcessStopped}

// ProcessInfo is one background process as the model and the window see it.
type ProcessInfo struct {
	ProcessID        string        `json:"processId"`
	Command          string        `json:"command"`
	WorkingDirectory string        `json:"workingDirectory"`
	Status           ProcessStatus `json:"status"`
	PID              int           `json:"pid"`
	ExitCode         *int          `json:"exitCode"` // of the shell, null while it runs; -1 after a signal
	StartedAt        time.Time     `json:"startedAt"`
	EndedAt          *time.Time    `json:"endedAt"`
	Restored         bool          `json:"restored"`         // always false: processes do not outlive the application
	ControlAvailable bool          `json:"controlAvailable"` // whether write and stop reach it
}

// processLogs is what logs answers.
type processLogs struct {
	ProcessID  string        `json:"processId"`
	Offset     int64         `json:"offset"`
	NextOffset int64         `json:"nextOffset"`
	Truncated  bool          `json:"truncated"`
	Content    string        `json:"content"`
	Status     ProcessStatus `json:"status"`
	ExitCode   *int          `json:"exitCode"`
}

// process is one shell with everything it started.
type process struct {
	id, command, dir string
	started          time.Time
	proc             *proc.Process
	log              ring
	stdout, stderr   capture
	finished         chan struct{} // the group is gone and the output read

	mu      sync.Mutex
	ended   time.Time
	stopped bool
	held    bool // something outside the group held the output open
}

// launch starts the shell and the reading of its output. With capturing, stdin is empty
// and the streams are captured for a result.
func (b *Bash) launch(ctx context.Context, args bashArgs, capturing bool) (*process, error) {
	dir, err := b.folder(args.CWD)
	if err != nil {
		return nil, err
	}
	spec := b.spec(ctx, args.Command, dir)
	spec.NoStdin = capturing
	if !b.enter() {
		return nil, errors.New("run command: the session is closing")
	}
	started, err := b.opts.Supervisor.Start(ctx, spec)
	if err != nil {
		b.wait.Done()
		return nil, fmt.Errorf("run command: %w", err)
	}
	p := &process{
		id: processID(), command: args.Command, dir: dir, started: time.Now(),
		proc: started, finished: make(chan struct{}),
	}
	p.stdout.sealed, p.stderr.sealed = !capturing, !capturing
	if b.opts.OutputDir != "" {
		p.stdout.path = filepath.Join(b.opts.OutputDir, p.id+"-stdout.log")
		p.stderr.path = filepath.Join(b.opts.OutputDir, p.id+"-stderr.log")
	}
	b.adopt(p)
	return p, nil
}

// enter counts one process before it exists, so that Close waits for it.
func (b *Bash) enter() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.wait.Add(1)
	}
	return !b.closed
}

// adopt makes p one of the living until it has finished. When the tool was closed
// meanwhile, p is stopped.
func (b *Bash) adopt(p *process) {
	b.mu.Lock()
	b.living[p] = struct{}{}
	closed := b.closed
	b.mu.Unlock()
	go func() {
		defer b.wait.Done()
		p.follow()
		b.mu.Lock()
		delete(b.living, p)
		b.mu.Unlock()
	}()
	if closed {
		p.end(proc.StopOptions{CloseStdin: -1, Term: killGrace})
	}
}

func processID() string {
	var raw [16]byte
	_, _ = rand.Read(raw[:]) // never fails
	return "proc_" + hex.EncodeToString(raw[:])
}

// follow reads the output until nothing of the process is left.
func (p *process) follow() {
	defer close(p.finished)
	var readers sync.WaitGroup
	readers.Go(func() { p.drain("stdout", p.proc.Stdout(), &p.stdout) })
	readers.Go(func() { p.drain("stderr", p.proc.Stderr(), &p.stderr) })
	drained := make(chan struct{})
	go func() { readers.Wait(); close(drained) }()
	<-p.proc.GroupDone()
	now := time.Now()
	held := false
	select {
	case <-drained:
	case <-time.After(drainLimit):
		held = true
	}
	p.mu.Lock()
	p.ended, p.held = now, held
	p.mu.Unlock()
	p.proc.Stop(proc.StopOptions{CloseStdin: -1, Term: -1}) // closes the pipes
	<-drained
}

func (p *process) drain(stream string, from io.Reader, to *capture) {
	buf := make([]byte, 16<<10)
	for {
		n, err := from.Read(buf)
		p.log.write(stream, buf[:n])
		to.write(buf[:n])
		if err != nil {
			return
		}
	}
}

// start is the action: a process in the background.
func (b *Bash) start(ctx context.Context, args bashArgs) tool.Result {
	if n := b.running(); n >= mostRunning {
		return tool.Failed(tool.ReasonNone, fmt.Sprintf("start process: %d are running already; end one with action=stop first", n))
	}
	p, err := b.launch(ctx, args, false)
	if err != nil {
		return bashFailure(ctx, err)
	}
	b.keep(p)
	return jsonResult(p.snapshot())
}

// keep lists p and forgets the oldest of those that ended.
func (b *Bash) keep(p *process) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.processes = append(b.processes, p)
	ended := 0
	for _, q := range slices.Backward(b.processes) {
		if !q.running() {
			ended++
		}
	}
	b.processes = slices.DeleteFunc(b.processes, func(q *process) bool {
		if ended <= mostEnded || q.running() {
			return false
		}
		ended--
		return true
	})
}

func (b *Bash) running() int {
	n := 0
	for _, p := range b.all() {
		if p.running() {
			n++
		}
	}
	return n
}

func (b *Bash) all() []*process {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.processes)
}

func (b *Bash) find(id string) (*process, bool) {
	for _, p := range b.all() {
		if p.id == id {
			return p, true
		}
	}
	return nil, false
}

// Processes lists the background processes in order of their start, with the last 64 of
// those that ended.
func (b *Bash) Processes() []ProcessInfo {
	infos := []ProcessInfo{}
	for _, p := range b.all() {
		infos = append(infos, p.snapshot())
	}
	return infos
}

// Close ends every process of this tool, all at once and within a few seconds, and refuses
// new ones. It may be called twice.
func (b *Bash) Close() {
	b.mu.Lock()
	b.closed = true
	living := slices.Collect(maps.Keys(b.living))
	b.mu.Unlock()
	var wait sync.WaitGroup
	for _, p := range living {
		wait.Go(func() { p.stop(context.Background()) })
	}
	wait.Wait()
	gone := make(chan struct{})
	go func() { b.wait.Wait(); close(gone) }()
	select {
	case <-gone:
	case <-time.After(2*stopGrace + drainLimit):
	}
}

// running reports whether the shell or anything it started in its group lives.
func (p *process) running() bool {
	select {
	case <-p.proc.GroupDone():
		return false
	default:
		return true
	}
}

func (p *process) heldOpen() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.held
}

// stop ends the process as a person's wish: afterwards it is STOPPED unless it had ended.
func (p *process) stop(ctx context.Context) {
	if !p.running() {
		return
	}
	p.mu.Lock()
	p.stopped = true
	p.mu.Unlock()
	term := stopGrace
	if ctx.Err() != nil {
		term = -1
	}
	p.end(proc.StopOptions{CloseStdin: -1, Term: term})
}

// end stops the whole group and waits until its output is read, or a moment.
func (p *process) end(o proc.StopOptions) {
	p.proc.Stop(o)
	select {
	case <-p.finished:
	case <-time.After(2 * drainLimit):
	}
}

func (p *process) snapshot() ProcessInfo {
	info := ProcessInfo{
		ProcessID: p.id, Command: p.command, WorkingDirectory: p.dir, Status: ProcessRunning,
		PID: p.proc.PID(), ExitCode: p.exitCode(), StartedAt: p.started, ControlAvailable: true,
	}
	if p.running() {
		return info
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	info.Status, info.ControlAvailable = ProcessExited, false
	if p.stopped {
		info.Status = ProcessStopped
	}
	ended := p.ended
	if ended.IsZero() {
		ended = time.Now() // it ended this moment, follow is about to say so
	}
	info.EndedAt = &ended
	return info
}

func (p *process) exitCode() *int {
	code, _, ok := p.proc.ExitCode()
	if !ok {
		return nil
	}
	return &code
}

func (p *process) logs(offset, limit int64) processLogs {
	if limit <= 0 {
		limit = defaultLogs
	}
	info := p.snapshot() // before the text: "EXITED" then means that nothing follows
	if info.Status != ProcessRunning {
		select {
		case <-p.finished:
		case <-time.After(2 * drainLimit):
		}
	}
	text, next, truncated := p.log.read(offset, min(limit, mostLogs))
	return processLogs{
		ProcessID: p.id, Offset: offset, NextOffset: next, Truncated: truncated,
		Content: text, Status: info.Status, ExitCode: info.ExitCode,
	}
}

// write sends text to stdin. A process that does not read must not hold the turn.
func (p *process) write(text string) tool.Result {
	stdin := p.proc.Stdin()
	if stdin == nil {
		return tool.Failed(tool.ReasonNone, "Process "+p.id+" was left running by bash exec and has no stdin; use action=start for programs that need input")
	}
	if !p.running() {
		return tool.Failed(tool.ReasonNone, "Process "+p.id+" has ended; nothing was written")
	}
	if f, ok := stdin.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = f.SetWriteDeadline(time.Now().Add(writeLimit)) // where pipes have none the write just waits
	}
	n, err := io.WriteString(stdin, text)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return tool.Failed(tool.ReasonNone, fmt.Sprintf("Process %s does not read its stdin: %d of %d bytes were written", p.id, n, len(text)))
	}
	if err != nil {
		return tool.Failed(tool.ReasonNone, fmt.Sprintf("write to process %s: its stdin is closed", p.id))
	}
	return jsonResult(struct {
		Process      ProcessInfo `json:"process"`
		BytesWritten int         `json:"bytesWritten"`
	}{p.snapshot(), n})
}
