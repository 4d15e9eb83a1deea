package mcphost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

// presence is one connection in one session's surface. It ends when the server leaves the
// surface or the connection is replaced; a rebuild that keeps both keeps it.
type presence struct {
	server  string
	session string
	conn    mcpconn.Conn
	link    *link
	limits  mcpconn.CallLimits
	gone    context.Context // ends with the presence; its cause is why
	end     context.CancelCauseFunc

	claimed *claimed // while the server has its names, nil while they clash
}

// claimed is what a presence offers of one list.
type claimed struct {
	*stretch
	list    *listing
	entries []tool.Entry
}

// stretch is a time in which a presence has its names, across changes of its list.
type stretch struct {
	withdrawn chan struct{} // closed at its end
	closed    atomic.Bool   // set at its end
}

func newPresence(server, session string, conn mcpconn.Conn, l *link, idle, most time.Duration) *presence {
	p := &presence{server: server, session: session, conn: conn, link: l, limits: mcpconn.CallLimits{Idle: idle, Most: most}}
	p.gone, p.end = context.WithCancelCause(context.Background())
	return p
}

// callLimits are the limits of calls to a server.
func (t Timing) callLimits(def mcpconf.Definition) (idle, most time.Duration) {
	idle = t.CallIdle
	if ms := def.CallTimeoutMs; ms > 0 {
		idle = time.Duration(ms) * time.Millisecond
	}
	return min(idle, t.CallMost), t.CallMost
}

// leave ends the calls in flight and withdraws the open approvals.
func (p *presence) leave(why string) {
	p.end(errors.New(why))
	p.withdraw()
}

// withdraw takes the tools out of the surface; calls in flight go on.
func (p *presence) withdraw() {
	if p.claimed != nil {
		p.claimed.closed.Store(true)
		close(p.claimed.withdrawn)
		p.claimed = nil
	}
}

// offer returns the entries of the server's tools. They stay the same as long as the list
// does, so that an unchanged surface is an unchanged table.
func (p *presence) offer(list *listing) []tool.Entry {
	if p.claimed != nil && p.claimed.list == list {
		return p.claimed.entries
	}
	c := &claimed{list: list}
	if p.claimed != nil {
		c.stretch = p.claimed.stretch
	} else {
		c.stretch = &stretch{withdrawn: make(chan struct{})}
	}
	for _, spec := range list.specs {
		c.entries = append(c.entries, tool.Entry{
			Spec: spec, Parallel: spec.Annotations.SaysReadOnly(), Withdrawn: c.withdrawn,
			Invoke: p.invoke(c.stretch, spec),
		})
	}
	p.claimed = c
	return c.entries
}

// invoke calls one tool by the server's own name. It takes no lock: what it needs is fixed.
func (p *presence) invoke(offered *stretch, spec tool.Spec) tool.Invoke {
	return func(ctx context.Context, call tool.Call, onProgress func(tool.Progress)) tool.Result {
		if p.gone.Err() != nil || offered.closed.Load() {
			return p.refuse()
		}
		arguments, err := tool.Arguments(call.Arguments)
		if err != nil {
			return tool.Failed(tool.BadArguments, "Invalid MCP tool arguments: "+err.Error())
		}
		return checked(p.call(ctx, spec.Original, arguments, onProgress), spec.OutputSchema)
	}
}

// checked adds a warning where the structured result does not fit the schema that its tool
// declares (MCP, server/tools, output schema). The result itself is handed on as it came.
func checked(r tool.Result, schema json.RawMessage) tool.Result {
	if len(schema) == 0 || !r.OK {
		return r
	}
	r.Warning = "The tool declares an output schema, but its result has no structured content"
	for _, c := range r.Content {
		if c.Kind != tool.Structured {
			continue
		}
		r.Warning = ""
		if why := tool.Mismatch(schema, c.JSON); why != "" {
			r.Warning = "The structured result does not fit the tool's output schema: " + why
		}
	}
	return r
}

// call calls a tool by the server's own name. It ends with the presence.
func (p *presence) call(ctx context.Context, original string, arguments json.RawMessage, onProgress func(tool.Progress)) tool.Result {
	if p.gone.Err() != nil {
		return p.refuse()
	}
	callCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stop := context.AfterFunc(p.gone, func() { cancel(context.Cause(p.gone)) })
	defer stop()
	defer p.link.callBegins(p.session)()
	asked := p.link.questions.Load()
	began := time.Now()
	result := p.conn.Call(callCtx, original, arguments, p.limits, onProgress)
	took := time.Since(began)
	if result.Took == 0 {
		result.Took = took
	}
	switch {
	case result.Reason == tool.ReasonNone && p.link.questions.Load() != asked: // the person's time, not the server's
	case result.Reason == tool.ReasonNone:
		p.link.latency.Store(int64(took))
	case p.gone.Err() != nil && ctx.Err() == nil:
		gone := p.refuse()
		gone.Took, gone.Frame = took, result.Frame
		return gone
	}
	return result
}

func (p *presence) refuse() tool.Result {
	why := whyClash
	if cause := context.Cause(p.gone); cause != nil {
		why = cause.Error()
	}
	return tool.Failed(tool.ServerGone, fmt.Sprintf("MCP server %s: %s. The call was ended.", p.server, why))
}
