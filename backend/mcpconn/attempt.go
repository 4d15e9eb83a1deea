package mcpconn

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
	"patchbay/backend/proc"
)

// attempt is one Dial: what is known of it when it fails.
type attempt struct {
	d      *dialer
	target Target
	obs    Observer
	limit  *deadline
	mask   mask
	tokens sentTokens

	mu      sync.Mutex
	stage   Stage
	process *proc.Process // of the running try
	link    link          // of the running try
	probe   *probe        // of the running try
	noise   string        // first line on stdout that was no JSON-RPC
	spoke   bool          // a JSON-RPC message arrived
	exited  bool          // the process ended by itself
}

func (a *attempt) enter(stage Stage) {
	a.mu.Lock()
	a.stage = stage
	a.mu.Unlock()
	a.obs.Stage(stage)
}

// try makes one connection by a plan, and ends all of it when it fails.
func (a *attempt) try(ctx context.Context, p plan) (*conn, error) {
	begin := time.Now()
	c := newConn(a)
	a.probe = p.probe()
	transport, err := c.open(ctx)
	if err == nil {
		err = c.handshake(ctx, transport, p)
	}
	a.probe.stop()
	if err == nil {
		a.enter(List)
		err = c.list(ctx)
	}
	if err != nil {
		err = c.firstFault(err)
		a.lookAtProcess(c.process, err)
		c.discard()
		return nil, err
	}
	c.settle(time.Since(begin))
	return c, nil
}

// lookAtProcess notes whether the server ended by itself, before it is ended.
func (a *attempt) lookAtProcess(p *proc.Process, err error) {
	var list *listError
	answered := isRPC(err) || errors.As(err, &list) || errors.Is(err, errFrameTooLarge)
	exited := p != nil && !answered && exitedSoon(p)
	a.mu.Lock()
	a.exited = exited
	a.mu.Unlock()
}

func (a *attempt) forgetExit() {
	a.mu.Lock()
	a.exited = false
	a.mu.Unlock()
}

// abort ends what the running try holds, so that it returns.
func (a *attempt) abort() {
	a.mu.Lock()
	process, l := a.process, a.link
	a.mu.Unlock()
	if l != nil {
		go l.Close()
	}
	if process != nil {
		process.Kill()
	}
}

func (a *attempt) hold(p *proc.Process, l link) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p != nil {
		a.process = p
	}
	if l != nil {
		a.link = l
	}
}

// open makes the transport.
func (c *conn) open(ctx context.Context) (mcp.Transport, error) {
	def := c.target.Definition
	if def.Type == mcpconf.Stdio {
		return c.openStdio(ctx)
	}
	u, err := parseURL(def.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, &urlError{def.URL}
	}
	to := &endpoint{url: u, headers: def.Headers, client: newHTTPClient(c.a.signed(u)), stray: c.strayText}
	c.a.enter(Connect)
	if def.Type == mcpconf.SSE {
		l, err := openSSE(ctx, to)
		if err != nil {
			return nil, err
		}
		return c.through(l), nil
	}
	return c.through(newStreamableLink(to, c.paramHeaders)), nil
}

// urlError says that a definition's url is none.
type urlError struct{ raw string }

func (e *urlError) Error() string {
	shown := "the url"
	if u, err := parseURL(e.raw); err == nil {
		shown = plainURL(u)
	}
	return fmt.Sprintf("%s is no http or https address", shown)
}

func (c *conn) through(l link) mcp.Transport {
	c.a.hold(nil, l)
	w := &wires{link: l, tap: c.newTap(l, c.a.probe)}
	c.wires.Store(w)
	return w.tap
}

// openStdio starts the process.
func (c *conn) openStdio(ctx context.Context) (mcp.Transport, error) {
	def, o := c.target.Definition, c.a.d.opts
	c.a.enter(Resolve)
	env := o.Environment.ForCommand(ctx, def.Command, def.CWD, def.Env)
	if _, err := proc.LookPath(def.Command, def.CWD, env); err != nil {
		return nil, err
	}
	c.a.enter(Spawn)
	p, err := o.Supervisor.Start(ctx, proc.Spec{
		Path: def.Command, Args: def.Args, Dir: def.CWD, Env: env, StderrLine: c.stderr,
	})
	if err != nil {
		return nil, err
	}
	c.process = p
	c.a.hold(p, nil)
	c.obs.Spawned(p.PID())
	return c.through(newStdioLink(p, c.stdoutNoise)), nil
}

// stderr hears a line of the server's stderr: a sign that a slow start goes on (S19).
func (c *conn) stderr(line string) {
	c.a.limit.extend()
	c.obs.Stderr(c.a.mask.hide(line))
}

// stdoutNoise hears a line of stdout that is no JSON-RPC.
func (c *conn) stdoutNoise(line string) {
	c.strayText(line)
	line = clipLine(c.a.mask.hide(line))
	c.a.mu.Lock()
	if c.a.noise == "" {
		c.a.noise = line
	}
	c.a.mu.Unlock()
	c.obs.Stderr("[stdout] " + line)
}

// frame tells of a frame without the token that its connection was signed with.
func (c *conn) frame(f Frame) uint64 { return c.obs.Frame(c.a.tokens.inFrame(f)) }

// strayText tells of what the server sent in the place of a message.
func (c *conn) strayText(text string) {
	frame := Frame{At: time.Now(), Kind: NoiseFrame}
	frame.Body, frame.Size = cutText(text)
	c.frame(frame)
}

const maxNoise = 400

func clipLine(line string) string {
	if len(line) > maxNoise {
		return strings.ToValidUTF8(line[:maxNoise], "") + "…"
	}
	return line
}

// handshake runs server/discover, initialize, or both, as planned.
func (c *conn) handshake(ctx context.Context, transport mcp.Transport, p plan) error {
	c.a.enter(Initialize)
	session, err := c.client().Connect(ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: p.revision})
	if err != nil {
		if final := c.a.probe.outcome().final; final != nil {
			return final // go-sdk tells what it made of it
		}
		return err
	}
	c.session.Store(session)
	return c.a.keepsPin(p, session.InitializeResult().ProtocolVersion)
}
