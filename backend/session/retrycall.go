package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"patchbay/backend/agent"
	"patchbay/backend/builtin"
	"patchbay/backend/mcphost"
	"patchbay/backend/model"
	"patchbay/backend/tool"
)

// RetryCall tries the server of a failed call once more and, when it is connected, makes
// the same call again in a turn of its own: at once when the tool is annotated read-only or
// idempotent, else as the approval mode says. While a turn runs only the server is tried.
// It returns when that is accepted; a call that was not made again is told by a notice.
func (s *Session) RetryCall(callID string) error {
	call, err := s.failedCall(callID)
	if err != nil {
		return err
	}
	if err := s.CheckName(call.Server); err != nil {
		return err
	}
	row := s.rowNow(call.Server)
	switch row.State {
	case mcphost.Disabled, mcphost.Paused, mcphost.Missing:
		return errors.New(call.not(row))
	}
	parts, err := s.parts(Prompt{Text: fmt.Sprintf("Run %s again.", call.Tool), Services: &[]string{}})
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return errClosed
	case s.retrying[call.Seq]:
		return nil // a second click
	case s.run != nil && !s.run.over:
		s.wg.Go(func() { s.tryAgain(row) })
		return nil
	}
	s.retrying[call.Seq] = true
	s.wg.Go(func() { s.callAgain(call, parts) })
	return nil
}

// failed is a failed call of an MCP server as the transcript tells it, and as the model
// made it.
type failed struct {
	agent.Event
	made model.ToolCall
}

// not says that the call was not made again because of its server.
func (f failed) not(row mcphost.Row) string {
	state := string(row.State)
	if row.State == mcphost.Error {
		state = "not connected"
	}
	return fmt.Sprintf("%s was not run again: %s is %s (%s)", f.Tool, f.Server, state, strings.TrimSuffix(short(unavailable(row)), "."))
}

// failedCall finds the newest call with that id: models use ids again in later turns.
func (s *Session) failedCall(id string) (failed, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var result *tool.Result
	for _, e := range slices.Backward(s.folded.Events()) {
		switch {
		case e.ID != id:
		case e.Kind == agent.ToolResult && result == nil:
			result = e.Result
		case e.Kind == agent.ToolCall:
			return failed{Event: e, made: s.madeLocked(e)}, refuseRetry(e, result)
		}
	}
	return failed{}, fmt.Errorf("there is no call %s in this conversation", id)
}

func refuseRetry(call agent.Event, result *tool.Result) error {
	switch {
	case result == nil:
		return fmt.Errorf("%s is still running", call.Tool)
	case result.OK:
		return fmt.Errorf("%s was answered: there is nothing to try again", call.Tool)
	case call.Server != "":
		return nil
	case slices.Contains(builtin.Names(), call.Tool):
		return fmt.Errorf("%s is a built-in tool: there is no server to try again. Ask the model to run it once more", call.Tool)
	}
	return fmt.Errorf("which server %s belongs to is not known: it was not open when it was called", call.Tool)
}

// madeLocked is the call as a message holds it, with what endpoints want echoed.
func (s *Session) madeLocked(call agent.Event) model.ToolCall {
	for _, m := range slices.Backward(s.messages) {
		for _, c := range m.ToolCalls {
			if c.ID == call.ID {
				return c
			}
		}
	}
	return model.ToolCall{Name: call.Tool, Arguments: string(call.Arguments)}
}

// callAgain waits for the server and makes the call.
func (s *Session) callAgain(call failed, parts turnParts) {
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.retrying, call.Seq)
	}()
	probe, cancel := context.WithTimeout(s.ctx, probeLimit)
	s.runtime.Probe(probe) // one that only looks connected is noticed
	cancel()
	row, again := s.rowNow(call.Server), ""
	if row.State == mcphost.Busy {
		row, again = s.settledRow(s.ctx, row), " again"
	}
	if row.State != mcphost.Connected {
		s.tryAgain(row)
		row, again = s.settledRow(s.ctx, row), " again"
	}
	why := s.whyNot(call, row)
	if why == "" {
		made := call.made
		made.ID = "call_" + strings.ReplaceAll(uuid.NewString(), "-", "")
		parts.text = fmt.Sprintf("Run %s again: %s is connected%s.", call.Tool, call.Server, again)
		parts.clicked = []model.ToolCall{made}
		snap, _ := s.runtime.Now()
		if parts.allow = s.litOf(snap.Rows); !slices.Contains(parts.allow, call.Server) {
			parts.allow = append(parts.allow, call.Server)
		}
		if err := s.begin(parts); errors.Is(err, ErrBusy) {
			why = call.Tool + " was not run again: another turn began meanwhile"
		}
	}
	if why != "" && s.ctx.Err() == nil {
		s.emit(agent.Event{RunID: s.RunID(), Kind: agent.Notice, AtMs: time.Now().UnixMilli(), Text: why + "."})
	}
}

// whyNot says why the call cannot be made as it was, "" when it can.
func (s *Session) whyNot(call failed, row mcphost.Row) string {
	if row.State != mcphost.Connected {
		return call.not(row)
	}
	_, tools := s.runtime.Now()
	switch e, ok := tools.Lookup(call.Tool); {
	case !ok || e.Server != call.Server:
		return fmt.Sprintf("%s was not run again: %s is connected, but no longer offers it", call.Tool, call.Server)
	case call.Hash != "" && e.Hash != call.Hash:
		return fmt.Sprintf("%s was not run again: %s is connected, but describes the tool differently now", call.Tool, call.Server)
	}
	return ""
}

// tryAgain asks for one more try of a server that is neither connected nor on its way.
func (s *Session) tryAgain(row mcphost.Row) {
	if row.State != mcphost.Error {
		return
	}
	if err := s.Retry(row.Name); err != nil {
		s.owners.Logger.Warn("try a server again", "server", row.Name, "error", err)
	}
	s.runtime.Apply(s.plan()) // now, so that what settles after this is the outcome
}

// settledRow waits until the server of a row is connected or its attempt is over.
func (s *Session) settledRow(ctx context.Context, before mcphost.Row) mcphost.Row {
	var wg sync.WaitGroup
	defer wg.Wait()
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	wg.Go(func() {
		defer stop() // nothing changes by itself any more
		_ = s.runtime.Settled(waiting)
	})
	for rev := uint64(0); ; {
		_, next, err := s.Rows().Wait(waiting, rev)
		row := s.rowNow(before.Name)
		over := row.State != mcphost.Busy && !row.Since.Equal(before.Since)
		if err != nil || over || row.State == mcphost.Connected {
			return row
		}
		rev = next
	}
}

// rowNow is a row of the latest pass, without a state when there is none of that name.
func (s *Session) rowNow(name string) mcphost.Row {
	snap, _ := s.runtime.Now()
	for _, r := range snap.Rows {
		if r.Name == name {
			return r
		}
	}
	return mcphost.Row{Name: name}
}

// takenOut reports whether a server that left was taken out by hand.
func (s *Session) takenOut(name string) bool {
	want, _ := s.wanted.Get()
	return want.paused.Has(name) || !s.IsEnabled(name) || s.checkDefined(name) != nil
}
