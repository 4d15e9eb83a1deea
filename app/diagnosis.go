package app

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/session"
)

// diagnosisLines is how many of the newest lines of the log a diagnosis holds.
const diagnosisLines = 40

// Diagnosis is everything a bug report about a server needs, stored values left out.
func (l *Local) Diagnosis(_ context.Context, name string) (string, error) {
	s, err := l.current()
	if err != nil {
		return "", err
	}
	d, err := s.Detail(name)
	if err != nil {
		return "", err
	}
	page, err := s.Log(name, 0)
	if err != nil {
		return "", err
	}
	def, _ := s.Definition(name) // zero for a name that is defined nowhere
	r := &diagnosis{def: def}
	r.line("Patchbay", "%s, %s/%s, %s", l.version, runtime.GOOS, runtime.GOARCH, runtime.Version())
	r.line("Server", "%s", name)
	r.definition(d.Row)
	r.state(d.Row)
	r.evidence(d.Row.Evidence)
	starts, total, err := s.Starts(name)
	if err != nil {
		return "", err
	}
	r.starts(starts, total)
	r.surface(d)
	r.log(page.Lines)
	return r.text.String(), nil
}

// diagnosis writes a text; what comes from a server is redacted by its definition.
type diagnosis struct {
	def  mcpconf.Definition
	text strings.Builder
}

func (r *diagnosis) line(name, format string, args ...any) {
	value := strings.TrimSpace(fmt.Sprintf(format, args...))
	if value != "" {
		fmt.Fprintf(&r.text, "%s: %s\n", name, value)
	}
}

// said is a line with words of a server, or about one.
func (r *diagnosis) said(name, value string) { r.line(name, "%s", mcpconn.Redact(r.def, value)) }

func (r *diagnosis) list(name string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(&r.text, "%s:\n", name)
	for _, line := range lines {
		text := mcpconn.Redact(r.def, strings.TrimRight(line, "\n"))
		fmt.Fprintf(&r.text, "  %s\n", strings.ReplaceAll(text, "\n", "\n    "))
	}
}

func (r *diagnosis) definition(row mcphost.Row) {
	def := r.def
	r.line("Transport", "%s", cmp.Or(string(def.Type), "none"))
	if def.Command != "" {
		r.said("Command", commandLine(mcpconn.ShownArgs(append([]string{def.Command}, def.Args...))))
	}
	r.said("Folder", def.CWD)
	r.said("URL", mcpconn.ShownURL(def.URL))
	r.line("Environment", "%s", strings.Join(slices.Sorted(maps.Keys(def.Env)), ", "))
	r.line("Headers", "%s", strings.Join(slices.Sorted(maps.Keys(def.Headers)), ", "))
	if def.TimeoutMs > 0 || def.CallTimeoutMs > 0 {
		r.line("Time limits", "connect %d ms, call %d ms (0 is the default)", def.TimeoutMs, def.CallTimeoutMs)
	}
	r.line("Asks for protocol", "%s", def.Protocol)
	if row.File != "" {
		r.line("File", "%s:%d", row.File, row.Line)
	}
	r.line("Layers", "enabled %t, trusted %t, paused %t", row.Enabled, row.Trusted, row.Paused)
}

func (r *diagnosis) state(row mcphost.Row) {
	r.line("State", "%s %s", row.State, row.Stage)
	if !row.Since.IsZero() {
		r.line("Since", "%s", row.Since.UTC().Format(time.RFC3339))
	}
	r.line("Layer", "%s", row.Layer)
	r.line("Cause", "%s", row.Cause)
	r.said("Reason", row.Reason)
	r.said("Error", row.Error)
	r.said("Progress", row.Progress)
	r.list("Warnings", row.Warnings)
	if row.Attempt > 0 || row.Recovered > 0 {
		r.line("Reconnects", "try %d, came back %d times", row.Attempt, row.Recovered)
	}
}

func (r *diagnosis) evidence(e *mcpconn.Evidence) {
	if e == nil {
		return
	}
	r.line("Failed at", "%s", e.Stage)
	if e.ExitCode != nil {
		r.line("Exit code", "%d", *e.ExitCode)
	}
	if e.HTTPStatus > 0 {
		r.line("HTTP status", "%d", e.HTTPStatus)
	}
	r.said("Asked", e.URL)
	if e.File != "" {
		r.line("Seen in", "%s:%d", e.File, e.Line)
	}
	r.list("Last lines of stderr", e.Stderr)
}

// starts is the timeline, newest first. Times of day are left out: the log has them.
func (r *diagnosis) starts(starts []mcphost.Start, total int) {
	var lines []string
	for _, s := range starts {
		line := fmt.Sprintf("%d (%s) %s after %d ms", s.Number, s.Reason, s.Outcome, wholeMs(s.Took))
		for _, why := range []string{s.Message, s.End} {
			if why != "" {
				line += "; " + why
			}
		}
		lines = append(lines, line)
	}
	r.list(fmt.Sprintf("Last %d of %d starts", len(starts), total), lines)
}

// surface is what came of the connection.
func (r *diagnosis) surface(d session.Detail) {
	row := d.Row
	r.line("Protocol", "%s", row.Protocol)
	r.said("Calls itself", row.ServerName+" "+row.ServerVersion)
	if row.PID > 0 {
		r.line("Process", "%d", row.PID)
	}
	var stages []string
	for _, s := range d.Stages {
		stages = append(stages, fmt.Sprintf("%s %d ms", s.Stage, wholeMs(s.Took)))
	}
	r.line("Stages of the last start", "%s", strings.Join(stages, ", "))
	if row.Latency > 0 {
		r.line("Latency", "%d ms", wholeMs(row.Latency))
	}
	r.line("Tools", "%d for the model, about %d tokens, of %d listed", row.ToolCount, row.SchemaTokens, len(d.Tools))
	var held, conflicts, skips []string
	for _, t := range d.Tools {
		if t.Excluded {
			held = append(held, t.Name)
		}
	}
	for _, c := range row.Conflicts {
		conflicts = append(conflicts, fmt.Sprintf("%s is held by %s", c.Tool, c.Owner))
	}
	for _, s := range row.Skipped {
		skips = append(skips, s.Tool+": "+s.Reason)
	}
	r.list("Held back", held)
	r.list("Conflicts", conflicts)
	r.list("Skipped", skips)
}

func (r *diagnosis) log(lines []mcphost.LogLine) {
	var last []string
	for _, line := range lines[max(0, len(lines)-diagnosisLines):] {
		last = append(last, fmt.Sprintf("%s %s %s", line.At.UTC().Format(time.RFC3339), line.Level, line.Text))
	}
	r.list(fmt.Sprintf("Last %d lines of the log", len(last)), last)
}
