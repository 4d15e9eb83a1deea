package builtin

import (
	"context"
	"fmt"
	"time"

	"patchbay/backend/proc"
	"patchbay/backend/tool"
)

// Limits of exec.
const (
	defaultTimeout = 30 * time.Second
	longestTimeout = 24 * time.Hour
	killGrace      = 300 * time.Millisecond // between TERM and KILL at the limit
	settleGrace    = 300 * time.Millisecond // for children to end with their shell
	progressEvery  = time.Second
)

const timeoutHint = "Command timed out before exit. If it is interactive or long-running, use bash action=start and then bash action=logs/status/write/stop instead of bash action=exec."

// execResult is what exec answers.
type execResult struct {
	Command              string `json:"command"`
	WorkingDirectory     string `json:"workingDirectory"`
	ExecutionEnvironment string `json:"executionEnvironment"`
	Stdout               string `json:"stdout"`
	Stderr               string `json:"stderr"`
	ExitCode             int    `json:"exitCode"`
	TimedOut             bool   `json:"timedOut"`

	Signal     string       `json:"signal,omitempty"`     // that ended the shell
	StdoutFile string       `json:"stdoutFile,omitempty"` // the full text where it was cut
	StderrFile string       `json:"stderrFile,omitempty"`
	Background *ProcessInfo `json:"backgroundProcess,omitempty"` // what the shell left running
	Note       string       `json:"note,omitempty"`
}

// exec runs a command to its end, its limit or that of ctx; only the first leaves anything
// running, and that becomes a background process.
func (b *Bash) exec(ctx context.Context, args bashArgs, onProgress func(tool.Progress)) tool.Result {
	p, err := b.launch(ctx, args, true)
	if err != nil {
		return bashFailure(ctx, err)
	}
	limit := defaultTimeout
	if ms := args.TimeoutMs.or(0); ms > 0 {
		limit = time.Duration(min(ms, longestTimeout.Milliseconds())) * time.Millisecond
	}
	why := p.await(ctx, limit, onProgress)
	if why == tool.ReasonNone {
		p.settle()
	} else {
		p.end(proc.StopOptions{CloseStdin: -1, Term: killGrace})
	}
	result := p.result()
	if why != tool.ReasonNone {
		return stoppedExec(ctx, result, why)
	}
	if p.running() {
		b.keep(p)
		info := p.snapshot()
		result.Background = &info
		result.Note = "A background process of this command is still running as " + info.ProcessID + ": read it with action=logs, end it with action=stop."
	} else if p.heldOpen() {
		result.Note = "A process that detached itself held the output open; what it writes from now on is lost."
	}
	return jsonResult(result)
}

func stoppedExec(ctx context.Context, result execResult, why tool.Reason) tool.Result {
	result.ExitCode = -1
	if why == tool.TimedOut {
		result.TimedOut = true
		if result.Stderr != "" && result.Stderr[len(result.Stderr)-1] != '\n' {
			result.Stderr += "\n"
		}
		result.Stderr += timeoutHint
	} else {
		result.Note = fmt.Sprintf("The command was stopped with everything it started: %v.", context.Cause(ctx))
	}
	return tool.Failed(why, jsonText(result))
}

func bashFailure(ctx context.Context, err error) tool.Result {
	if ctx.Err() != nil {
		return tool.Failed(tool.Cancelled, err.Error())
	}
	return tool.Failed(tool.ReasonNone, err.Error())
}

// await waits for the shell and tells meanwhile how far its output is. It returns why the
// shell has to be stopped, ReasonNone when it ended.
func (p *process) await(ctx context.Context, limit time.Duration, onProgress func(tool.Progress)) tool.Reason {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	told := int64(0)
	for {
		select {
		case <-p.proc.Done():
			return tool.ReasonNone
		case <-timer.C:
			return tool.TimedOut
		case <-ctx.Done():
			return tool.Cancelled
		case <-tick.C:
			if line, at := p.log.lastLine(); onProgress != nil && at > told {
				told = at
				onProgress(tool.Progress{Progress: float64(at), Message: line})
			}
		}
	}
}

// settle gives children a moment to end with their shell. Where they do not, it returns
// all the same: a child that holds the pipe must not hold the turn.
func (p *process) settle() {
	timer := time.NewTimer(settleGrace)
	defer timer.Stop()
	select {
	case <-p.finished:
		return
	case <-timer.C:
	}
	if !p.running() {
		<-p.finished // within drainLimit
	}
}

// result reads what was captured and ends the capturing.
func (p *process) result() execResult {
	r := execResult{
		Command: p.command, WorkingDirectory: p.dir, ExecutionEnvironment: "local",
	}
	r.Stdout, r.StdoutFile = p.stdout.seal()
	r.Stderr, r.StderrFile = p.stderr.seal()
	r.ExitCode, r.Signal, _ = p.proc.ExitCode()
	return r
}
