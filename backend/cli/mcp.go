package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"patchbay/backend/mcpconf"
	"patchbay/backend/session"
)

const unknownAction = "Unknown /mcp action: %s. Use /mcp, /mcp list, /mcp add --transport <stdio|sse|http> <name> <target>, /mcp enable <name>, /mcp disable <name>, /mcp pause <name>, /mcp resume <name>, /mcp retry <name>, or /mcp remove <name>."

const addUsage = "Usage: /mcp add --transport <stdio|sse|http> <name> <target>"

// mcpCommand is one parsed `patchbay mcp …`.
type mcpCommand struct {
	action    string
	names     []string
	workspace string
	pause     []string
	trust     bool
	json      bool
	transport string // add, as written
}

// mcp runs `patchbay mcp [action] [flags] [names]`.
func (p Program) mcp(ctx context.Context, args []string) int {
	c, complaint := parseMCP(args)
	if complaint != "" {
		return p.usage(complaint)
	}
	dir, err := workspaceDir(c.workspace)
	if err != nil {
		return p.usage(err.Error())
	}
	m, err := session.Open(session.Options{Version: p.Version, TrustAll: c.trust, Ephemeral: true, Headless: true})
	if err != nil {
		return p.refuse(c.json, err, exitUsage)
	}
	defer m.Close()
	s, err := m.NewSession(dir)
	if err != nil {
		return p.refuse(c.json, err, exitUsage)
	}
	said, show, err := c.apply(ctx, s)
	if err != nil {
		return p.refuse(c.json, err, refusalCode(err))
	}
	if said != "" && !c.json {
		fmt.Fprintln(p.Stdout, said)
	}
	if !show {
		if c.json {
			_ = writeJSON(p.Stdout, map[string]string{"message": said})
		}
		return exitOK
	}
	return p.show(ctx, s, c)
}

// parseMCP reads the grammar; complaint is what is wrong with it.
func parseMCP(args []string) (c mcpCommand, complaint string) {
	c.action = "list"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		c.action, args = strings.ToLower(args[0]), args[1:]
	}
	if c.action == "delete" {
		c.action = "remove"
	}
	switch c.action {
	case "list", "add", "remove", "enable", "disable", "retry":
	case "pause", "resume":
		return c, fmt.Sprintf("/mcp %s changes a running session, and this command line has none. Use --pause NAME to leave a server out of one run, or the window.", c.action)
	default:
		return c, fmt.Sprintf(unknownAction, c.action)
	}
	withValue := []string{"--workspace", "--pause"}
	if c.action == "add" {
		withValue = append(withValue, "--transport")
	}
	f, err := parseFlags(args, withValue, []string{"--trust", "--json"})
	if err != nil {
		return c, err.Error() + ". See patchbay --help."
	}
	c.workspace, c.pause = f.last("--workspace", ""), f.values["--pause"]
	c.trust, c.json = f.set["--trust"], f.set["--json"]
	c.names, c.transport = f.rest, f.last("--transport", "")
	return c, c.checkNames()
}

func (c mcpCommand) checkNames() string {
	switch c.action {
	case "list":
		if len(c.names) > 0 {
			return fmt.Sprintf("mcp list takes no name: %s", c.names[0])
		}
		return ""
	case "add":
		return c.checkAdd()
	}
	if len(c.names) != 1 || strings.TrimSpace(c.names[0]) == "" {
		return fmt.Sprintf("Usage: /mcp %s <name>", c.action)
	}
	return ""
}

func (c mcpCommand) checkAdd() string {
	if c.transport == "" || len(c.names) < 2 || strings.TrimSpace(c.names[0]) == "" {
		return addUsage
	}
	if addTransport(c.transport) == "" {
		return fmt.Sprintf("Unsupported MCP transport: %s. Use stdio, sse, or http.", c.transport)
	}
	if addTransport(c.transport) != mcpconf.Stdio && len(c.names) != 2 {
		return fmt.Sprintf("Usage: /mcp add --transport %s <name> <url>", c.transport)
	}
	return ""
}

func addTransport(raw string) mcpconf.Transport {
	switch strings.ToLower(raw) {
	case "stdio":
		return mcpconf.Stdio
	case "sse":
		return mcpconf.SSE
	case "http", "streamable_http", "streamable-http":
		return mcpconf.StreamableHTTP
	}
	return ""
}

// apply does what the action asks for. show says whether the view follows.
func (c mcpCommand) apply(ctx context.Context, s *session.Session) (said string, show bool, err error) {
	switch c.action {
	case "add":
		return c.add(s)
	case "remove":
		err = s.RemoveServer(c.names[0])
		return "mcp removed: " + c.names[0], true, err
	case "enable":
		return "", true, s.Enable(c.names[0])
	case "disable":
		return "", true, s.Disable(c.names[0])
	case "retry":
		return "", true, s.CheckName(c.names[0])
	}
	return "", true, nil
}

func (c mcpCommand) add(s *session.Session) (string, bool, error) {
	def := mcpconf.Definition{Name: c.names[0], Type: addTransport(c.transport)}
	if def.Type == mcpconf.Stdio {
		def.Command, def.Args = c.names[1], c.names[2:]
	} else {
		def.URL = c.names[1]
	}
	if err := s.AddServer(def); err != nil {
		return "", false, err
	}
	return fmt.Sprintf("mcp added: %s -> %s", def.Name, s.StorePath()), s.IsEnabled(def.Name), nil
}

// show assembles the runtime, waits until it has settled, prints the view, and tells the
// exit code.
func (p Program) show(ctx context.Context, s *session.Session, c mcpCommand) int {
	if bad := s.FileErrors(); len(bad) > 0 {
		return p.refuse(c.json, bad[0], exitUsage)
	}
	warnings := s.Warnings()
	for _, name := range c.pause {
		if err := s.Pause(name); err != nil {
			return p.refuse(c.json, err, exitTrouble)
		}
	}
	s.Start()
	if err := s.Settled(ctx); err != nil {
		return p.refuse(c.json, errors.New("interrupted"), exitTrouble)
	}
	snap, _ := s.Rows().Get()
	v := view{store: s.StorePath(), workspaceConfig: s.WorkspaceConfigPath(), warnings: warnings, rows: snap.Rows}
	for _, w := range v.warnings {
		fmt.Fprintln(p.Stderr, "Warning: "+w)
	}
	if c.json {
		if err := v.json(p.Stdout); err != nil {
			return exitTrouble
		}
	} else {
		v.lines(p.Stdout)
	}
	if v.troubled() {
		return exitTrouble
	}
	return exitOK
}

// refusalCode is 2 when a file cannot be read, 1 when the request itself was refused.
func refusalCode(err error) int {
	var bad *mcpconf.FileError
	if errors.As(err, &bad) {
		return exitUsage
	}
	return exitTrouble
}

// refuse says why and returns code; with --json the reason is an object on stdout too.
func (p Program) refuse(asJSON bool, err error, code int) int {
	fmt.Fprintln(p.Stderr, err)
	if !asJSON {
		return code
	}
	body := map[string]any{"message": err.Error()}
	var bad *mcpconf.FileError
	if errors.As(err, &bad) {
		body = map[string]any{"message": bad.Message, "file": bad.Path, "line": bad.Line, "column": bad.Column}
	}
	_ = writeJSON(p.Stdout, map[string]any{"error": body})
	return code
}
