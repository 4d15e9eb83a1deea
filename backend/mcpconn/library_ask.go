package mcpconn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// rawAnswer is where the tap puts the raw result of one request; go-sdk, which decodes a
// result as a whole, gets instead in its place.
type rawAnswer struct {
	instead string // a result without entries
	result  json.RawMessage
}

// rawKey is the context key of a request's *rawAnswer.
type rawKey struct{}

// request is one request of the library.
type request struct {
	what    string        // completes "MCP server NAME refused to …"
	limit   time.Duration // for the answer
	instead string        // what go-sdk decodes
	send    func(ctx context.Context, session *mcp.ClientSession) (any, error)
}

// fetch sends a request and returns its raw result. It ends with ctx, its limit or the
// connection, and its error is a sentence. A session that the server forgot is renewed
// once: none of these requests changes anything.
func (c *conn) fetch(ctx context.Context, r request) (json.RawMessage, error) {
	ctx, stop := c.within(ctx, r.limit)
	defer stop()
	for again := false; ; again = true {
		session, answer := c.session.Load(), &rawAnswer{instead: r.instead}
		asked := context.WithValue(ctx, rawKey{}, answer)
		res, err := ask(asked, c, func() (any, error) { return r.send(asked, session) })
		switch {
		case err == nil && answer.result != nil:
			c.sawNow()
			return answer.result, nil
		case err == nil:
			return json.Marshal(res)
		case c.life.Err() != nil:
			return nil, c.cutShort(context.Cause(c.life), r)
		case ctx.Err() != nil:
			return nil, c.cutShort(context.Cause(ctx), r)
		case (errors.Is(err, errExpired) || errors.Is(err, mcp.ErrSessionMissing)) && !again:
			if err := c.renew(ctx, session); err != nil {
				return nil, c.refusal(err, r)
			}
		default:
			return nil, c.refusal(err, r)
		}
	}
}

// within ends a context with the connection too, and after limit.
func (c *conn) within(ctx context.Context, limit time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(c.life, func() { cancel(context.Cause(c.life)) })
	timer := time.AfterFunc(limit, func() { cancel(errTimeLimit) })
	return ctx, func() {
		timer.Stop()
		unhook()
		cancel(nil)
	}
}

// cutShort says why a request ended before its answer.
func (c *conn) cutShort(cause error, r request) error {
	server := c.target.Definition.Name
	var gone *goneError
	switch {
	case errors.As(cause, &gone):
		return fmt.Errorf("MCP server %s is gone (%s)", server, gone.reason)
	case errors.Is(cause, errTimeLimit):
		return fmt.Errorf("MCP server %s did not %s within %s", server, r.what, r.limit)
	}
	return fmt.Errorf("ask MCP server %s to %s: %w", server, r.what, cause)
}

// refusal says why a request got no result.
func (c *conn) refusal(err error, r request) error {
	server := c.target.Definition.Name
	var rpc *jsonrpc.Error
	if errors.As(err, &rpc) {
		return &refusedError{fmt.Sprintf("MCP server %s refused to %s: %s (JSON-RPC error %d)", server, r.what, c.a.mask.hide(rpc.Message), rpc.Code), rpc.Code}
	}
	if lost := c.lostBy(err); lost != nil {
		return fmt.Errorf("MCP server %s is gone (%s)", server, lost.Message)
	}
	return fmt.Errorf("MCP server %s could not %s: %s", server, r.what, c.a.mask.hide(plainText(err)))
}

// refusedError is a JSON-RPC error in words.
type refusedError struct {
	text string
	code int64
}

func (e *refusedError) Error() string { return e.text }

// unknownMethod reports whether a server does not know a request at all.
func unknownMethod(err error) bool {
	var refused *refusedError
	return errors.As(err, &refused) && refused.code == jsonrpc.CodeMethodNotFound
}
