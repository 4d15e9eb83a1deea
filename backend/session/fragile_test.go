package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcphost"
)

// fragileServer is an MCP server on stdio that files in dir rule: "tools" lists a name, a
// kind (read, repeat, write) and a description per line; while "down" exists it does not
// start, while "dies" exists a call ends the process, while "hangs" exists a call waits.
// Every call that began is a line of "calls".
func fragileServer(dir string) int {
	exists := func(name string) bool { _, err := os.Stat(filepath.Join(dir, name)); return err == nil }
	if exists("down") {
		fmt.Fprintln(os.Stderr, "down for repairs")
		return 1
	}
	list, err := os.ReadFile(filepath.Join(dir, "tools"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "fragile", Version: "1"}, nil)
	for line := range strings.Lines(string(list)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		kind, about, _ := strings.Cut(rest, " ")
		hints := &mcp.ToolAnnotations{ReadOnlyHint: kind == "read", IdempotentHint: kind == "repeat"}
		one := &mcp.Tool{Name: name, Description: about, Annotations: hints, InputSchema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}
		s.AddTool(one, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			called := fmt.Sprintf("%s %s", name, req.Params.Arguments)
			if err := appendLine(filepath.Join(dir, "calls"), called); err != nil {
				return nil, err
			}
			if exists("dies") {
				os.Exit(3)
			}
			if exists("hangs") {
				<-ctx.Done()
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ran " + called}}}, nil
		})
	}
	if err := s.Run(context.Background(), &mcp.StdioTransport{}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func appendLine(path, line string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(f, line)
	return errors.Join(err, f.Close())
}

// fragile is the folder that rules a fragileServer of a rig.
type fragile struct {
	r   *rig
	dir string
}

// fragile defines and enables the server "frail" with the given lines of tools.
func (r *rig) fragile(s *Session, tools ...string) fragile {
	r.t.Helper()
	f := fragile{r: r, dir: filepath.Join(filepath.Dir(r.home), "frail")}
	f.write("tools", strings.Join(tools, "\n"))
	self, err := os.Executable()
	r.must(err)
	r.must(s.AddServer(mcpconf.Definition{Name: "frail", Type: mcpconf.Stdio, Command: self, Args: []string{"fragile-server", f.dir}}))
	r.must(s.Enable("frail"))
	r.settle(s)
	r.wantState(s, "frail", mcphost.Connected)
	return f
}

func (f fragile) write(name, text string) {
	f.r.t.Helper()
	f.r.write(filepath.Join(f.dir, name), text)
}

func (f fragile) remove(name string) { f.r.t.Helper(); f.r.must(os.Remove(filepath.Join(f.dir, name))) }

// calls are the calls that began.
func (f fragile) calls() []string {
	f.r.t.Helper()
	data, err := os.ReadFile(filepath.Join(f.dir, "calls"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.r.t.Fatal(err)
	}
	return strings.FieldsFunc(string(data), func(r rune) bool { return r == '\n' })
}
