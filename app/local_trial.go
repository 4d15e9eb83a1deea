package app

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
	"patchbay/backend/session"
	"patchbay/backend/watch"
)

// trials runs one dry run at a time and publishes how far it is.
type trials struct {
	out *watch.Value[Trial]
	wg  sync.WaitGroup

	mu      sync.Mutex
	closed  bool
	current *trialRun // the newest, over or not; nil before the first
}

// trialRun is one dry run. Its state is guarded by the mutex of its trials.
type trialRun struct {
	cancel context.CancelFunc
	gone   chan struct{} // closed when everything that it started is gone
	state  Trial
}

func newTrials(out *watch.Value[Trial]) *trials { return &trials{out: out} }

// start ends the trial that runs and begins this one when that is gone.
func (t *trials) start(trial *session.Trial) (id string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return "", &CommandError{Code: CodeBusy, Message: "Patchbay is closing"}
	}
	before := t.current
	if before != nil {
		before.cancel()
	}
	id = uuid.NewString()
	ctx, cancel := context.WithCancel(context.Background())
	run := &trialRun{cancel: cancel, gone: make(chan struct{}), state: Trial{
		ID: id, Name: trial.Definition.Name, Running: true, Stage: stageResolve,
		Stages: []StageTime{}, StartedMs: time.Now().UnixMilli(), Tools: []ServerTool{}, Conflicts: []Conflict{},
	}}
	t.current = run
	t.out.Set(run.state)
	t.wg.Go(func() {
		defer close(run.gone)
		defer cancel()
		if before != nil {
			<-before.gone
		}
		began := time.Now()
		trial.Run(ctx, id, func(r session.TrialReport) {
			t.change(run, func(state *Trial) { report(state, r, trial.Definition.Tools.Rename, began) })
		})
	})
	return id, nil
}

// stageResolve is where every start begins.
const stageResolve = "resolve"

// change edits the state of a trial that is not over and publishes it, unless another has
// taken its place.
func (t *trials) change(run *trialRun, edit func(*Trial)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !run.state.Running {
		return
	}
	edit(&run.state)
	if t.current == run {
		t.out.Set(run.state)
	}
}

// stop ends the trial that runs and waits until what it started is gone, or for ctx.
func (t *trials) stop(ctx context.Context) error {
	t.mu.Lock()
	run := t.current
	t.mu.Unlock()
	if run == nil {
		return nil
	}
	run.cancel()
	t.change(run, func(state *Trial) {
		state.Running, state.Reason, state.Progress = false, "stopped", ""
		state.TookMs = time.Now().UnixMilli() - state.StartedMs
	})
	select {
	case <-run.gone:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// close ends the trial that runs and lets none start any more; wait returns when all are
// gone.
func (t *trials) close() (wait func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	if t.current != nil {
		t.current.cancel()
	}
	return t.wg.Wait
}

// report is the state of a trial as its row says it. An outcome ends it.
func report(state *Trial, r session.TrialReport, rename map[string]string, began time.Time) {
	row := r.Row
	state.Running, state.OK = row.State == mcphost.Busy, row.State == mcphost.Connected
	state.Stages, state.StartedMs = toStages(r.Stages), began.UnixMilli()
	state.Progress = row.Progress
	if state.Running {
		state.Stage = string(row.Stage)
		return
	}
	state.TookMs = wholeMs(time.Since(began))
	state.Cause, state.Reason, state.Evidence = string(row.Cause), row.Reason, toEvidence(row.Evidence)
	switch {
	case state.OK:
		state.Stage = ""
	case row.Evidence != nil: // without any, it is the stage that ran
		state.Stage = string(row.Evidence.Stage)
	}
	if !state.OK { // the stage that failed is not a finished one
		state.Stages = slices.DeleteFunc(state.Stages, func(s StageTime) bool { return s.Stage == state.Stage })
	}
	state.Protocol, state.ServerName, state.ServerVersion = row.Protocol, row.ServerName, row.ServerVersion
	state.Tools = toTools(r.Tools, rename)
	for _, t := range r.Tools {
		if t.Visible != "" {
			state.SchemaTokens += t.Tokens
		}
	}
	for _, c := range row.Conflicts {
		state.Conflicts = append(state.Conflicts, Conflict(c))
	}
}

// Trials publishes the dry run.
func (l *Local) Trials() Source[Trial] { return l.trial }

// StartTrial runs a definition without saving it.
func (l *Local) StartTrial(_ context.Context, form ServerForm, edits string) (string, error) {
	s, err := l.current()
	if err != nil {
		return "", err
	}
	var old mcpconf.Definition
	if edits != "" {
		if old, err = s.Definition(edits); err != nil {
			return "", err
		}
	}
	def, err := fromForm(old, form)
	if err != nil {
		return "", err
	}
	trial, err := s.NewTrial(def, edits)
	if err != nil {
		return "", err
	}
	return l.trials.start(trial)
}

// StopTrial ends the dry run and what it started.
func (l *Local) StopTrial(ctx context.Context) error { return l.trials.stop(ctx) }
