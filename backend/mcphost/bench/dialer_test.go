package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/tool"
)

// newHost returns a Host over real processes and bare go-sdk sessions: what is measured is
// the runtime alone, without the transports of mcpconn.
func newHost(testing.TB) *mcphost.Host {
	return mcphost.NewHost(mcphost.HostOptions{Dialer: sdkDialer{}, Reserved: []string{"bash"}})
}

// sdkDialer dials as a bare client does.
type sdkDialer struct{}

// Dial starts the process of a stdio server, shakes hands and lists its tools.
func (sdkDialer) Dial(ctx context.Context, target mcpconn.Target, obs mcpconn.Observer) (mcpconn.Conn, error) {
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, target.Timeout)
	defer cancel()
	command := exec.Command(target.Definition.Command, target.Definition.Args...)
	command.Env = os.Environ()
	for name, value := range target.Definition.Env {
		command.Env = append(command.Env, name+"="+value)
	}
	obs.Stage(mcpconn.Initialize)
	client := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: command}, nil)
	if err != nil {
		return nil, &mcpconn.Failure{Cause: mcpconn.Exited, Message: fmt.Sprintf("connect %s: %v", target.Definition.Name, err)}
	}
	obs.Stage(mcpconn.List)
	listed, err := session.ListTools(ctx, nil)
	if err != nil {
		_ = session.Close()
		return nil, &mcpconn.Failure{Cause: mcpconn.ListInvalid, Message: err.Error()}
	}
	c := &sdkConn{session: session, done: make(chan struct{}), info: mcpconn.Info{PID: command.Process.Pid, ConnectTime: time.Since(began)}}
	for _, t := range listed.Tools {
		schema, err := json.Marshal(t.InputSchema)
		if err != nil {
			return nil, &mcpconn.Failure{Cause: mcpconn.ListInvalid, Message: err.Error()}
		}
		c.tools = append(c.tools, mcpconn.Tool{Name: t.Name, Description: t.Description, InputSchema: schema})
	}
	go c.watch()
	return c, nil
}

type sdkConn struct {
	session *mcp.ClientSession
	info    mcpconn.Info
	tools   []mcpconn.Tool
	done    chan struct{}

	mu     sync.Mutex
	closed bool
}

func (c *sdkConn) watch() {
	_ = c.session.Wait()
	close(c.done)
}

func (c *sdkConn) Info() mcpconn.Info          { return c.info }
func (c *sdkConn) Tools() []mcpconn.Tool       { return c.tools }
func (c *sdkConn) LastSeen() time.Time         { return time.Now() }
func (c *sdkConn) Recovered() int              { return 0 }
func (c *sdkConn) Done() <-chan struct{}       { return c.done }
func (c *sdkConn) Check(context.Context) error { return nil }

func (c *sdkConn) Call(ctx context.Context, name string, arguments json.RawMessage, _ mcpconn.CallLimits, _ func(tool.Progress)) tool.Result {
	got, err := c.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: arguments})
	if err != nil {
		return tool.Failed(tool.ProtocolFailed, err.Error())
	}
	result := tool.Result{OK: !got.IsError}
	for _, part := range got.Content {
		if text, ok := part.(*mcp.TextContent); ok {
			result.Content = append(result.Content, tool.Content{Kind: tool.Text, Text: text.Text})
		}
	}
	return result
}

func (c *sdkConn) Lost() *mcpconn.Failure {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil
	}
	return &mcpconn.Failure{Cause: mcpconn.Exited, Message: "the process ended"}
}

func (c *sdkConn) Close(string) {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	_ = c.session.Close()
	<-c.done
}
