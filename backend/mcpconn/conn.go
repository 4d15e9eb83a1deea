//lint:file-ignore SA1019 roots and logging are deprecated by MCP 2026-07-28, and servers of every earlier revision use them

package mcpconn

import (
	"context"
	"errors"
	"net/url"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/proc"
)

// conn is a live connection.
type conn struct {
	a       *attempt
	target  Target
	obs     Observer
	process *proc.Process // of a stdio server
	wires   atomic.Pointer[wires]
	session atomic.Pointer[mcp.ClientSession]
	life    context.Context // of calls; its cause is why they end
	end     context.CancelCauseFunc
	done    chan struct{}
	seen    atomic.Int64 // when the server last sent anything, Unix nanoseconds
	tools   atomic.Pointer[[]Tool]
	relist  chan struct{} // capacity 1
	shelf   *shelf        // what the server has beside its tools
	fresh   freshList
	wg      sync.WaitGroup

	mu        sync.Mutex
	info      Info
	closing   bool
	lost      *Failure
	recovered int
	progress  map[string]*listener // by token
	tokens    uint64
	renewing  chan struct{}                               // closed when the running re-initialisation ends; nil when none runs
	clocks    map[*callClock]bool                         // of the calls that run
	visits    map[string]map[*int]context.CancelCauseFunc // open questions of url mode, by their id
	leans     []Deprecated                                // as seen so far
	level     string                                      // of log messages, "" for the server's choice
}

// wires are the transport and what stands before it, swapped together when an HTTP session
// is renewed. Both are nil until the transport is open.
type wires struct {
	link link
	tap  *tap
}

func newConn(a *attempt) *conn {
	c := &conn{
		a: a, target: a.target, obs: a.obs,
		done: make(chan struct{}), relist: make(chan struct{}, 1), shelf: newShelf(),
		progress: map[string]*listener{}, clocks: map[*callClock]bool{}, visits: map[string]map[*int]context.CancelCauseFunc{},
	}
	c.life, c.end = context.WithCancelCause(context.Background())
	c.tools.Store(&[]Tool{})
	c.wires.Store(&wires{})
	c.sawNow()
	return c
}

func (c *conn) sawNow() { c.seen.Store(time.Now().UnixNano()) }

func (c *conn) sawMessage() {
	c.sawNow()
	c.a.mu.Lock()
	c.a.spoke = true
	c.a.mu.Unlock()
}

// client is the go-sdk client of this one connection: roots and handlers are per client.
func (c *conn) client() *mcp.Client {
	o := &mcp.ClientOptions{
		Logger:       c.a.d.opts.Logger,
		Capabilities: &mcp.ClientCapabilities{RootsV2: &mcp.RootCapabilities{ListChanged: true}},
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) {
			c.askRelist()
		},
		LoggingMessageHandler: func(_ context.Context, req *mcp.LoggingMessageRequest) {
			c.obs.Log(string(req.Params.Level), c.a.mask.hide(logText(req.Params)))
		},
	}
	c.hearLibrary(o)
	c.offerPerson(o)
	client := mcp.NewClient(&mcp.Implementation{Name: "patchbay", Title: "Patchbay", Version: c.a.d.opts.Version}, o)
	if dir := c.target.Workspace; dir != "" {
		client.AddRoots(&mcp.Root{Name: filepath.Base(dir), URI: fileURI(dir)})
	}
	return client
}

func fileURI(dir string) string {
	path := filepath.ToSlash(dir)
	if path[0] != '/' {
		path = "/" + path // C:/… on Windows
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// settle makes the connection live: from here on its loss is noticed.
func (c *conn) settle(took time.Duration) {
	res := c.session.Load().InitializeResult()
	info := Info{Protocol: res.ProtocolVersion, Capabilities: capabilityNames(res.Capabilities), Instructions: res.Instructions, ConnectTime: took}
	if res.ServerInfo != nil {
		info.ServerName, info.Version = res.ServerInfo.Name, res.ServerInfo.Version
	}
	if c.process != nil {
		info.PID = c.process.PID()
	}
	c.mu.Lock()
	c.info = info
	c.mu.Unlock()
	c.leansByTransport()
	c.wg.Go(c.watch)
	c.wg.Go(c.relistLoop)
	c.wg.Go(c.libraryLoop)
}

// Info is what the handshake told.
func (c *conn) Info() Info {
	c.mu.Lock()
	defer c.mu.Unlock()
	info := c.info
	info.Deprecated = slices.Clone(c.leans)
	return info
}

// Tools is the latest list.
func (c *conn) Tools() []Tool { return *c.tools.Load() }

// LastSeen is when the server last sent anything.
func (c *conn) LastSeen() time.Time { return time.Unix(0, c.seen.Load()) }

// Recovered counts the re-initialised sessions.
func (c *conn) Recovered() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.recovered
}

// Done is closed when the connection is over.
func (c *conn) Done() <-chan struct{} { return c.done }

// Lost says why it is over, nil after Close.
func (c *conn) Lost() *Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lost
}

// watch waits for the end of the session and says why it came. An expired HTTP session is
// renewed instead.
func (c *conn) watch() {
	for {
		session := c.session.Load()
		err := session.Wait()
		if c.session.Load() != session {
			continue // renewed meanwhile
		}
		c.mu.Lock()
		closing := c.closing
		c.mu.Unlock()
		if closing {
			return
		}
		fault := c.firstFault(err)
		if errors.Is(fault, errExpired) && c.renew(c.life, session) == nil {
			continue
		}
		if c.session.Load() != session {
			continue
		}
		c.lose(c.lossOf(fault))
		return
	}
}

// link is the transport, nil until it is open.
func (c *conn) link() link { return c.wires.Load().link }

// firstFault prefers what the transport saw to what go-sdk made of it.
func (c *conn) firstFault(err error) error {
	if l := c.link(); l != nil {
		if fault := l.fault(); fault != nil {
			return fault
		}
	}
	return err
}

// lose ends the connection because the server is gone; the first reason stays.
func (c *conn) lose(f *Failure) {
	c.mu.Lock()
	if c.closing {
		c.mu.Unlock()
		return
	}
	c.closing = true
	c.lost = f
	c.mu.Unlock()
	c.end(&goneError{"the connection was lost: " + f.Message})
	close(c.done)
	c.wg.Go(c.release)
}

// goneError is why calls in flight end.
type goneError struct{ reason string }

func (e *goneError) Error() string { return e.reason }

// Close ends the connection and everything it started.
func (c *conn) Close(reason string) {
	c.mu.Lock()
	first := !c.closing
	c.closing = true
	c.mu.Unlock()
	if first {
		c.end(&goneError{reason})
		c.release()
		close(c.done)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); <-c.done; c.wg.Wait() }()
	select {
	case <-ended:
	case <-time.After(2 * closeLimit):
	}
	c.a.d.eras.flush() // a short run remembers too
}

const (
	closeLimit  = 2 * time.Second        // for what go-sdk does at the end of a session
	cancelLimit = 300 * time.Millisecond // for telling a live server that its calls are cancelled
)

// waitFor waits for a group, limit at most. Whoever calls it ends the group afterwards.
func waitFor(group *sync.WaitGroup, limit time.Duration) {
	over := make(chan struct{})
	go func() {
		defer close(over)
		group.Wait()
	}()
	select {
	case <-over:
	case <-time.After(limit):
	}
}

// release ends session, transport and process. go-sdk's Close waits for calls in flight,
// so they were cancelled before and it is not waited for without a limit.
func (c *conn) release() {
	c.stopFresh()
	if t := c.wires.Load().tap; t != nil && c.Lost() == nil {
		t.quiet(cancelLimit)
	}
	if c.process != nil {
		c.process.Stop(proc.StopOptions{})
	}
	if l := c.link(); l != nil {
		l.Close()
	}
	session := c.session.Load()
	if session == nil {
		return
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_ = session.Close() // the transport is closed already: its word says nothing
	}()
	select {
	case <-closed:
	case <-time.After(closeLimit):
	}
}

// discard ends a try that failed.
func (c *conn) discard() {
	c.mu.Lock()
	c.closing = true
	c.mu.Unlock()
	c.end(&goneError{"the attempt failed"})
	c.release()
}
