package mcpconn

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/tool"
)

// Why a call ended before its answer.
var (
	errIdle = errors.New("no progress")
	errMost = errors.New("too long")
)

// The limits of a call where its caller sets none.
const (
	defaultIdle = 2 * time.Minute
	defaultMost = 30 * time.Minute
)

// Call calls a tool by the server's own name.
func (c *conn) Call(ctx context.Context, name string, arguments json.RawMessage, limits CallLimits, onProgress func(tool.Progress)) tool.Result {
	begin := time.Now()
	var frame atomic.Uint64
	ctx = context.WithValue(ctx, frameKey{}, &frame)
	result := c.call(ctx, name, arguments, limits, onProgress, true)
	result.Took, result.Frame = time.Since(begin), frame.Load()
	return result
}

func (c *conn) call(ctx context.Context, name string, arguments json.RawMessage, limits CallLimits, onProgress func(tool.Progress), mayRenew bool) tool.Result {
	limits.Idle, limits.Most = cmp.Or(limits.Idle, defaultIdle), cmp.Or(limits.Most, defaultMost)
	if c.life.Err() != nil {
		return c.ended(context.Cause(c.life), name, limits)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })
	defer stop()
	clock, stopClock := c.startClock(limits, cancel)
	defer stopClock()

	token, forget := c.expectProgress(func(p tool.Progress) {
		clock.heard()
		if onProgress != nil {
			onProgress(p)
		}
	})
	defer forget()
	session := c.session.Load()
	raw, err := c.exchange(ctx, session, name, arguments, token)
	switch {
	case err == nil:
		c.sawNow()
		return decodeResult(raw)
	case c.life.Err() != nil:
		return c.ended(context.Cause(c.life), name, limits)
	case ctx.Err() != nil:
		return c.ended(context.Cause(ctx), name, limits)
	case errors.Is(err, errExpired) || errors.Is(err, mcp.ErrSessionMissing):
		return c.callAgain(ctx, session, name, arguments, limits, onProgress, mayRenew)
	}
	return c.refusedCall(err, name)
}

// exchangeOnce sends the call and returns the raw result. It returns with ctx, whatever
// go-sdk does.
func (c *conn) exchangeOnce(ctx context.Context, session *mcp.ClientSession, name string, arguments json.RawMessage, token string) (json.RawMessage, error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	params := &mcp.CallToolParams{Meta: c.meta(), Name: name, Arguments: arguments}
	params.SetProgressToken(token)
	res, err := ask(ctx, c, func() (*mcp.CallToolResult, error) { return session.CallTool(ctx, params) })
	if err != nil {
		return nil, err
	}
	if t := c.wires.Load().tap; t != nil {
		if raw, ok := t.takeCall(token); ok {
			return raw, nil
		}
	}
	return json.Marshal(res)
}

// ask sends a request and returns with ctx, whatever go-sdk does. Of two errors it prefers
// what the transport saw.
func ask[T any](ctx context.Context, c *conn, send func() (T, error)) (T, error) {
	type answer struct {
		res T
		err error
	}
	done := make(chan answer, 1)
	go func() {
		res, err := send()
		done <- answer{res, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			return got.res, c.firstFault(got.err)
		}
		return got.res, nil
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

// listener hears the progress of one call.
type listener struct {
	heard   func(tool.Progress)
	running sync.WaitGroup
}

// expectProgress registers who hears the progress of one call. After forget nothing is
// heard any more.
func (c *conn) expectProgress(heard func(tool.Progress)) (token string, forget func()) {
	l := &listener{heard: heard}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tokens++
	token = "call-" + strconv.FormatUint(c.tokens, 10)
	c.progress[token] = l
	return token, func() {
		c.mu.Lock()
		delete(c.progress, token)
		c.mu.Unlock()
		l.running.Wait()
		if t := c.wires.Load().tap; t != nil {
			t.takeCall(token)
		}
	}
}

// heardProgress is called by the reader of the connection, so that all progress is heard
// before the answer.
func (c *conn) heardProgress(raw json.RawMessage) {
	var p struct {
		Token    any     `json:"progressToken"`
		Progress float64 `json:"progress"`
		Total    float64 `json:"total"`
		Message  string  `json:"message"`
	}
	_ = json.Unmarshal(raw, &p) // a sign of life, whatever else it is
	token, _ := p.Token.(string)
	c.mu.Lock()
	l := c.progress[token]
	if l != nil {
		l.running.Add(1)
	}
	c.mu.Unlock()
	if l != nil {
		defer l.running.Done()
		l.heard(tool.Progress{Progress: p.Progress, Total: p.Total, Message: p.Message})
	}
}

// ended answers a call that was cut short.
func (c *conn) ended(cause error, name string, limits CallLimits) tool.Result {
	server := c.target.Definition.Name
	var gone *goneError
	switch {
	case errors.As(cause, &gone):
		return tool.Failed(tool.ServerGone, fmt.Sprintf("The call of %s ended: MCP server %s is gone (%s).", name, server, gone.reason))
	case errors.Is(cause, errIdle):
		return tool.Failed(tool.TimedOut, fmt.Sprintf("%s of MCP server %s did not answer and showed no progress for %s. The call was cancelled.", name, server, limits.Idle))
	case errors.Is(cause, errMost):
		return tool.Failed(tool.TimedOut, fmt.Sprintf("%s of MCP server %s did not finish within %s. The call was cancelled.", name, server, limits.Most))
	}
	return tool.Failed(tool.Cancelled, fmt.Sprintf("The call of %s was cancelled.", name))
}

// refusedCall answers a call that the server or the transport refused.
func (c *conn) refusedCall(err error, name string) tool.Result {
	server := c.target.Definition.Name
	var person *personError
	if errors.As(err, &person) {
		return unanswered(person, server, name)
	}
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return tool.Failed(tool.ProtocolFailed, fmt.Sprintf("MCP server %s refused %s: %s (JSON-RPC error %d).", server, name, c.a.mask.hide(rpc.Message), rpc.Code))
	}
	if lost := c.lostBy(err); lost != nil {
		return tool.Failed(tool.ServerGone, fmt.Sprintf("The call of %s ended: MCP server %s is gone (%s).", name, server, lost.Message))
	}
	return tool.Failed(tool.ProtocolFailed, fmt.Sprintf("The call of %s on MCP server %s went wrong: %s.", name, server, c.a.mask.hide(plainText(err))))
}

// lossGrace is how long the end of a connection is waited for after a call on it broke.
const lossGrace = time.Second

// lostBy tells whether the server is gone, now that a call on it broke: the transport may
// not have noticed yet, and over HTTP nothing but a question tells.
func (c *conn) lostBy(err error) *Failure {
	var status *statusError
	switch {
	case errors.As(err, &status):
		return nil // it answers
	case c.process == nil && isDial(err):
		c.lose(c.lossOf(err))
	case c.process == nil && c.link() != nil:
		ctx, cancel := context.WithTimeout(c.life, checkLimit)
		defer cancel()
		_ = c.Check(ctx) // what it finds is in Lost
		return c.Lost()
	}
	select {
	case <-c.done:
	case <-time.After(lossGrace):
	}
	return c.Lost()
}

// callAgain renews an expired session. The call itself is repeated only where the server
// declares that this does no harm.
func (c *conn) callAgain(ctx context.Context, session *mcp.ClientSession, name string, arguments json.RawMessage, limits CallLimits, onProgress func(tool.Progress), mayRenew bool) tool.Result {
	server := c.target.Definition.Name
	if !mayRenew {
		return tool.Failed(tool.ProtocolFailed, fmt.Sprintf("MCP server %s lost its session again while %s ran.", server, name))
	}
	if err := c.renew(ctx, session); err != nil {
		return c.refusedCall(err, name)
	}
	if !c.repeatable(name) {
		return tool.Failed(tool.ProtocolFailed, fmt.Sprintf("MCP server %s had lost its session; a new one is open. %s was not repeated, because the server does not say that a second call does no harm. Call it again if that is right.", server, name))
	}
	return c.call(ctx, name, arguments, limits, onProgress, false)
}

func (c *conn) repeatable(name string) bool {
	for _, t := range c.Tools() {
		if t.Name == name {
			return t.Annotations.SaysRepeatable()
		}
	}
	return false
}
