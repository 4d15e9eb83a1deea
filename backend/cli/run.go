package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/gateway"
	"patchbay/backend/mcphost"
	"patchbay/backend/session"
)

const runUsage = "Usage: patchbay run [--workspace DIR] [--servers a,b] [--approve auto|safe] [--trust] [--save] [--json] PROMPT"

// runCommand is one parsed `patchbay run …`.
type runCommand struct {
	workspace string
	services  *[]string // nil: the workspace's
	mode      approval.Mode
	trust     bool
	save      bool
	json      bool
	prompt    string
}

func parseRun(args []string) (c runCommand, complaint string) {
	f, err := parseFlags(args, []string{"--workspace", "--servers", "--approve"}, []string{"--trust", "--save", "--json"})
	if err != nil {
		return c, err.Error() + ". " + runUsage
	}
	c.workspace = f.last("--workspace", "")
	c.trust, c.save, c.json = f.set["--trust"], f.set["--save"], f.set["--json"]
	if vs := f.values["--servers"]; len(vs) > 0 {
		names := splitNames(vs[len(vs)-1])
		c.services = &names
	}
	c.mode = approval.Mode(f.last("--approve", string(approval.Safe)))
	if c.mode != approval.Auto && c.mode != approval.Safe {
		return c, fmt.Sprintf("Unsupported approval mode: %s. Use auto or safe.", c.mode)
	}
	c.prompt = strings.Join(f.rest, " ")
	if strings.TrimSpace(c.prompt) == "" {
		return c, runUsage
	}
	return c, ""
}

func splitNames(list string) []string {
	names := []string{}
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// runTurn runs `patchbay run`: one turn, nobody asked.
func (p Program) runTurn(ctx context.Context, args []string) int {
	c, complaint := parseRun(args)
	if complaint != "" {
		return p.usage(complaint)
	}
	dir, err := workspaceDir(c.workspace)
	if err != nil {
		return p.usage(err.Error())
	}
	m, err := session.Open(session.Options{
		Version: p.Version, TrustAll: c.trust, Ephemeral: !c.save, Headless: true, Mode: c.mode,
	})
	if err != nil {
		return p.usage(err.Error())
	}
	defer m.Close()
	s, err := m.NewSession(dir)
	if err != nil {
		return p.usage(err.Error())
	}
	if bad := s.FileErrors(); len(bad) > 0 {
		return p.usage(bad[0].Error())
	}
	for _, w := range s.Warnings() {
		fmt.Fprintln(p.Stderr, "Warning: "+w)
	}
	return p.turn(ctx, s, c)
}

func (p Program) turn(ctx context.Context, s *session.Session, c runCommand) int {
	if c.services == nil || len(*c.services) > 0 {
		s.Start()
		if err := s.Settled(ctx); err != nil {
			return exitTrouble
		}
		p.warnUnavailable(s)
	}
	out := printer{Program: p, json: c.json}
	if err := s.Send(session.Prompt{Text: c.prompt, Services: c.services}); err != nil {
		out.refused(err)
		return exitTrouble
	}
	stop := context.AfterFunc(ctx, s.Stop)
	defer stop()
	for seq := uint64(0); ; {
		events, last, _, err := s.Events().Wait(context.Background(), seq)
		if err != nil {
			return exitTrouble
		}
		seq = last
		for _, e := range events {
			if out.print(e); e.Kind == agent.Done {
				return doneCode(e)
			}
		}
	}
}

func doneCode(e agent.Event) int {
	if e.StopReason == agent.EndTurn {
		return exitOK
	}
	return exitTrouble
}

// warnUnavailable says once which opened servers the turn goes without.
func (p Program) warnUnavailable(s *session.Session) {
	snap, _ := s.Rows().Get()
	for _, r := range snap.Rows {
		if r.State == mcphost.Error || r.State == mcphost.Missing {
			fmt.Fprintf(p.Stderr, "Warning: MCP unavailable: %s (%s)\n", r.Name, r.Error)
		}
	}
}

// printer writes the events of a turn.
type printer struct {
	Program
	json bool
	seq  uint64 // of the printed events: without gaps
	open bool   // the answer on stdout does not end in a newline yet
}

// jsonEvent is one line of `run --json`; the names are the contract's.
type jsonEvent struct {
	Seq        uint64           `json:"seq"`
	RunID      string           `json:"runId"`
	Kind       agent.Kind       `json:"kind"`
	Text       *string          `json:"text,omitempty"`
	ID         string           `json:"id,omitempty"`
	Server     string           `json:"server,omitempty"`
	Tool       string           `json:"tool,omitempty"`
	Arguments  json.RawMessage  `json:"arguments,omitempty"`
	OK         *bool            `json:"ok,omitempty"`
	Content    *string          `json:"content,omitempty"`
	Decision   string           `json:"decision,omitempty"`
	By         string           `json:"by,omitempty"`
	Input      *int             `json:"inputTokens,omitempty"`
	Output     *int             `json:"outputTokens,omitempty"`
	Code       string           `json:"code,omitempty"`
	Message    string           `json:"message,omitempty"`
	StopReason agent.StopReason `json:"stopReason,omitempty"`
	Practice   bool             `json:"practice,omitempty"`
	Model      string           `json:"model,omitempty"`
}

func (o *printer) print(e agent.Event) {
	if o.json {
		if line, ok := toJSONEvent(e); ok {
			o.seq++
			line.Seq = o.seq
			o.line(line)
		}
	}
	o.plain(e)
}

func (o *printer) line(line jsonEvent) {
	enc := json.NewEncoder(o.Stdout)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(line) // a closed stdout ends the program by SIGPIPE
}

func toJSONEvent(e agent.Event) (jsonEvent, bool) {
	line := jsonEvent{RunID: e.RunID, Kind: e.Kind, ID: e.ID, Server: e.Server, Tool: e.Tool}
	switch e.Kind {
	case agent.Text, agent.Reasoning:
		line.Text = &e.Text
	case agent.ToolCall:
		line.Arguments = e.Arguments
	case agent.ToolResult:
		ok := e.Result != nil && e.Result.OK
		line.OK, line.Content = &ok, &e.ModelText
		line.Server, line.Tool = "", ""
	case agent.Approval:
		line.Decision, line.By = string(e.Answer.Decision), string(e.Answer.By)
	case agent.Usage:
		line.Input, line.Output = &e.Usage.Input, &e.Usage.Output
	case agent.Failure:
		line.Code, line.Message = e.Code, e.Message
	case agent.Done:
		line.StopReason, line.Practice, line.Model = e.StopReason, e.Practice, e.Model
	default:
		return jsonEvent{}, false
	}
	return line, true
}

// plain writes the answer to stdout and everything else to stderr.
func (o *printer) plain(e agent.Event) {
	switch e.Kind {
	case agent.Text:
		if !o.json {
			fmt.Fprint(o.Stdout, e.Text)
			o.open = !strings.HasSuffix(e.Text, "\n")
		}
	case agent.ToolCall:
		o.newline()
		o.note("tool: %s %s", callName(e), e.Arguments)
	case agent.ToolResult:
		if e.Result == nil || !e.Result.OK {
			o.note("tool: %s: %s", e.Tool, clip(e.ModelText, errorColumns))
		}
	case agent.Approval:
		if !e.Answer.Decision.Allows() {
			o.note("tool: %s: %s", e.Tool, e.Answer.Decision)
		}
	case agent.Notice:
		o.note("%s", e.Text)
	case agent.Failure:
		o.note("error: %s", e.Message)
	case agent.Done:
		o.end(e)
	}
}

// newline ends a line of the answer that is still open.
func (o *printer) newline() {
	if o.open {
		fmt.Fprintln(o.Stdout)
		o.open = false
	}
}

func callName(e agent.Event) string {
	if e.Server == "" {
		return e.Tool
	}
	return e.Server + "." + e.Tool
}

func (o *printer) end(e agent.Event) {
	o.newline()
	if e.Practice {
		o.note("The practice model answered: set OPENAI_BASE_URL, OPENAI_API_KEY and OPENAI_MODEL, or a profile in the window, for a real one.")
	}
	if e.StopReason != agent.EndTurn {
		o.note("stopped: %s", e.StopReason)
	}
}

func (o *printer) note(format string, args ...any) {
	if o.json && strings.HasPrefix(format, "tool:") {
		return // the same is on stdout
	}
	fmt.Fprintf(o.Stderr, format+"\n", args...)
}

// refused tells of a turn that never began, in the same two forms.
func (o *printer) refused(err error) {
	fmt.Fprintln(o.Stderr, err)
	if !o.json {
		return
	}
	code := "refused"
	var unopened *gateway.ServiceError
	if errors.As(err, &unopened) {
		code = "service_unavailable"
	}
	o.line(jsonEvent{Seq: 1, Kind: agent.Failure, Code: code, Message: err.Error()})
	o.line(jsonEvent{Seq: 2, Kind: agent.Done, StopReason: agent.Errored})
}

// workspaceDir returns the folder to work in: dir, or the current one. It must exist.
func workspaceDir(dir string) (string, error) {
	if dir == "" {
		return os.Getwd()
	}
	info, err := os.Stat(dir)
	if err != nil {
		return "", fmt.Errorf("--workspace: %w", err)
	}
	if !info.IsDir() {
		return "", fmt.Errorf("--workspace: %s is not a folder", dir)
	}
	return dir, nil
}
