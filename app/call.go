package app

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"
)

// callLimit bounds a bound call: the page gets an answer within it, whatever happens.
const callLimit = 30 * time.Second

// toolLimit bounds a tool that a person tries: its server's own limits end it earlier.
const toolLimit = time.Hour

// testLimit bounds a test of a model profile.
const testLimit = 90 * time.Second

// core is what the bound structs share.
type core struct {
	ctx     context.Context // of the window's life; ended before the backend is closed
	backend Backend
	desktop desktop
	logger  *slog.Logger
	limit   time.Duration
	ready   func()
	focused *atomic.Bool // the window has the person's attention
}

// call runs one command of the page. Wails has no recover of its own and ends the program
// when a result cannot be marshalled, so both are caught here and become an error with
// code internal. A command that takes longer than the limit answers busy; its context has
// ended by then.
func call[T any](c *core, name string, run func(ctx context.Context) (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.limit)
	defer cancel()
	done := make(chan outcome, 1)
	go func() { // ends with run; a run that ignores its context leaves only this goroutine behind
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				c.logger.Error("a command panicked", "command", name, "panic", p, "stack", string(debug.Stack()))
				o.err = &CommandError{Code: CodeInternal, Message: fmt.Sprintf("%s ended unexpectedly: %v. The log has the details; nothing else is affected", name, p)}
			}
			done <- o
		}()
		o.value, o.err = run(ctx)
	}()
	select {
	case o := <-done:
		return settle(name, o.value, o.err)
	case <-ctx.Done():
		var zero T
		return zero, late(c.ctx, name, c.limit)
	}
}

// settle makes sure that what leaves can be marshalled and that an error says something.
func settle[T any](name string, value T, err error) (T, error) {
	var zero T
	if err != nil {
		return zero, commandError(err)
	}
	if _, err := json.Marshal(value); err != nil {
		return zero, &CommandError{Code: CodeInternal, Message: fmt.Sprintf("the result of %s cannot be shown: %v", name, err)}
	}
	return value, nil
}

func late(life context.Context, name string, limit time.Duration) error {
	if life.Err() != nil {
		return &CommandError{Code: CodeBusy, Message: "Patchbay is closing"}
	}
	return &CommandError{Code: CodeBusy, Message: fmt.Sprintf("%s did not finish within %s. It may still take effect; the table shows what is so", name, limit)}
}

// patiently is call for a command that waits for the person: the time limit of the others
// does not hold.
func patiently[T any](c *core, name string, run func(ctx context.Context) (T, error)) (T, error) {
	patient := *c
	patient.limit = pickLimit
	return call(&patient, name, run)
}

// do is call for a command without a result.
func do(c *core, name string, run func(ctx context.Context) error) error {
	_, err := call(c, name, func(ctx context.Context) (struct{}, error) { return struct{}{}, run(ctx) })
	return err
}

// stamped reads a source and sets the snapshot's revision.
func stamped[T any](c *core, name string, source func() Source[T], stamp func(*T, uint64)) (T, error) {
	return call(c, name, func(context.Context) (T, error) {
		v, rev := source().Get()
		stamp(&v, rev)
		return v, nil
	})
}
