package agent

import (
	"context"
	"errors"
	"sync"

	"patchbay/backend/tool"
)

// errOneCall ends one call; the turn goes on.
var errOneCall = errors.New("the call was cancelled by the user")

// onceCancelled is what the model reads of such a call.
const onceCancelled = "The user cancelled this call. What it had begun may or may not have happened. Do not repeat it: go on without it, or ask the user what to do instead."

// running are the calls of a turn that are not answered yet, by their id. It may be used
// from several goroutines.
type running struct {
	mu    sync.Mutex
	calls map[string]context.CancelCauseFunc
}

// begin makes the context of a call; end forgets it.
func (r *running) begin(ctx context.Context, id string) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.calls == nil {
		r.calls = map[string]context.CancelCauseFunc{}
	}
	r.calls[id] = cancel
	return ctx, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.calls, id)
		cancel(nil)
	}
}

// CancelCall ends one call of the running turn, by its id, and reports whether it ran. An
// open question about it is withdrawn. The turn goes on with the next call.
func (l *Loop) CancelCall(id string) bool {
	l.running.mu.Lock()
	defer l.running.mu.Unlock()
	cancel := l.running.calls[id]
	if cancel != nil {
		cancel(errOneCall)
	}
	return cancel != nil
}

// orCancelled says that the person ended the call, where they did and it gave no answer.
func orCancelled(ctx context.Context, r tool.Result) tool.Result {
	if r.Reason == tool.ReasonNone || !errors.Is(context.Cause(ctx), errOneCall) {
		return r
	}
	cancelled := tool.Failed(tool.Cancelled, onceCancelled)
	cancelled.Took = r.Took
	return cancelled
}
