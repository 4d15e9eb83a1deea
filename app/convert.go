package app

import (
	"bytes"
	"cmp"
	"encoding/json"
	"time"

	"patchbay/backend/agent"
	"patchbay/backend/approval"
	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
	"patchbay/backend/session"
	"patchbay/backend/tool"
)

// orEmpty turns a nil slice into an empty one: the page is promised a list.
func orEmpty[T any](values []T) []T {
	if values == nil {
		return []T{}
	}
	return values
}

func unixMs(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// wholeMs is d in milliseconds, at least 1 for what took any time at all.
func wholeMs(d time.Duration) int64 {
	if d <= 0 {
		return 0
	}
	return max(1, d.Milliseconds())
}

func toRow(r mcphost.Row) ServerRow {
	row := ServerRow{
		Name: r.Name, Type: r.Type, State: ServerState(r.State), Stage: string(r.Stage),
		Enabled: r.Enabled, Trusted: r.Trusted, Paused: r.Paused, Defined: r.State != mcphost.Missing,
		SinceMs: unixMs(r.Since), Layer: ServerLayer(r.Layer), Cause: string(r.Cause),
		Action: ServerAction(r.Action), Reason: r.Reason, Error: r.Error, Evidence: toEvidence(r.Evidence),
		Conflicts: []Conflict{}, Skipped: []Skip{}, Capabilities: orEmpty(r.Capabilities), Deprecated: []string{},
		ResourceCount: r.Library.Resources, PromptCount: r.Library.Prompts, LibraryRev: r.Library.Rev,
		ToolCount: r.ToolCount, SchemaTokens: r.SchemaTokens,
		Protocol: r.Protocol, ServerName: r.ServerName, ServerVersion: r.ServerVersion,
		ConnectMs: wholeMs(r.Connect), LatencyMs: wholeMs(r.Latency), PID: r.PID,
		Recovered: r.Recovered, Starts: r.Starts, NextTryMs: unixMs(r.NextTry), Attempt: r.Attempt, Progress: r.Progress,
		Warnings: orEmpty(r.Warnings), Shared: orEmpty(r.Shared), File: r.File, Line: r.Line,
	}
	for _, each := range r.Deprecated {
		row.Deprecated = append(row.Deprecated, string(each))
	}
	for _, c := range r.Conflicts {
		row.Conflicts = append(row.Conflicts, Conflict(c))
	}
	for _, s := range r.Skipped {
		row.Skipped = append(row.Skipped, Skip(s))
	}
	return row
}

func toEvidence(e *mcpconn.Evidence) *Evidence {
	if e == nil {
		return nil
	}
	return &Evidence{
		ExitCode: e.ExitCode, Stderr: orEmpty(e.Stderr), HTTPStatus: e.HTTPStatus, URL: e.URL,
		File: e.File, Line: e.Line, Stage: string(e.Stage),
	}
}

func toSurface(s *mcphost.Surface) *Surface {
	if s == nil {
		return nil
	}
	return &Surface{
		AtMs: unixMs(s.At), TookMs: wholeMs(s.Took),
		Added: orEmpty(s.Added), Removed: orEmpty(s.Removed), Changed: orEmpty(s.Changed),
	}
}

func toFileErrors(bad []*mcpconf.FileError) []FileError {
	out := []FileError{}
	for _, e := range bad {
		out = append(out, FileError{Path: e.Path, Line: e.Line, Column: e.Column, Message: e.Message})
	}
	return out
}

// toMCP is the snapshot of one session.
func toMCP(s *session.Session, snap mcphost.Snapshot) MCPSnapshot {
	out := MCPSnapshot{
		SessionID: s.ID(), Workspace: s.Workspace(), Store: s.StorePath(), WorkspaceConfig: s.WorkspaceConfigPath(),
		Rows: []ServerRow{}, Settled: snap.Settled && s.Started(), Rebuild: toSurface(snap.Rebuild),
		FileErrors: toFileErrors(s.FileErrors()), CutTools: orEmpty(s.CutTools()), Outside: []OutsideEdit{},
	}
	for _, o := range s.OutsideEdits() {
		out.Outside = append(out.Outside, OutsideEdit{Path: o.Path, AtMs: o.AtMs, Diff: o.Diff, LostFields: orEmpty(o.LostFields)})
	}
	for _, r := range snap.Rows {
		out.Rows = append(out.Rows, toRow(r))
		out.Rows[len(out.Rows)-1].Lit = s.Lit(r)
		out.Rows[len(out.Rows)-1].SignIn = toSignIn(s.SignInOf(r.Name))
		out.ToolCount += r.ToolCount
		out.SchemaTokens += r.SchemaTokens
	}
	return out
}

func toSessions(list session.List) SessionsSnapshot {
	out := SessionsSnapshot{Current: list.Current, Sessions: []SessionInfo{}}
	for _, s := range list.Sessions {
		out.Sessions = append(out.Sessions, SessionInfo{
			ID: s.ID, Title: cmp.Or(s.Title, session.Untitled), Workspace: s.Workspace,
			UpdatedMs: unixMs(s.Updated), Running: s.Running, ReadOnly: s.ReadOnly,
		})
	}
	return out
}

func toQuestions(open []approval.Question) ApprovalsSnapshot {
	out := ApprovalsSnapshot{Questions: []Question{}}
	for _, q := range open {
		out.Questions = append(out.Questions, toQuestion(q))
	}
	return out
}

func toQuestion(q approval.Question) Question {
	return Question{
		ID: q.ID, SessionID: q.SessionID, CallID: q.Call.ID, Server: q.Spec.Server, Tool: q.Spec.Name,
		Why: q.Why, PreviewKind: q.Preview.Kind, Preview: q.Preview.Text,
		WorkspaceGrant: q.WorkspaceGrant && q.Workspace != "", AtMs: q.AtMs,
	}
}

// toEvent is one event for the page. Bytes of images and audio stay here: media tells the
// address they are served at.
func toEvent(sessionID string, e agent.Event, media func(tool.Content) string) ChatEvent {
	out := ChatEvent{
		SessionID: sessionID, RunID: e.RunID, Seq: e.Seq, Kind: ChatKind(e.Kind), AtMs: e.AtMs,
		Text: e.Text, Attached: toAttachments(e.Attached), ID: e.ID, Server: e.Server, Tool: e.Tool, Arguments: string(e.Arguments),
		Content: []ChatContent{}, Decision: string(e.Answer.Decision), By: string(e.Answer.By),
		Progress: e.Progress, Total: e.Total, Code: e.Code, Message: e.Message,
		StopReason: string(e.StopReason), Practice: e.Practice, Model: e.Model, ToSeq: e.ToSeq,
	}
	if e.Usage != nil {
		out.InputTok, out.OutputTok = e.Usage.Input, e.Usage.Output
	}
	if r := e.Result; r != nil {
		out.OK, out.Reason, out.Warning, out.TookMs, out.Frame = r.OK, string(r.Reason), r.Warning, wholeMs(r.Took), r.Frame
		for _, c := range withoutTwins(r.Content) {
			out.Content = append(out.Content, toContent(c, media))
		}
	}
	return out
}

func toContent(c tool.Content, media func(tool.Content) string) ChatContent {
	out := ChatContent{Kind: string(c.Kind), Text: c.Text, MIMEType: c.MIMEType, URI: c.URI, Name: c.Name}
	if len(c.Data) > 0 {
		out.URL = media(c)
	}
	if len(c.JSON) > 0 {
		var pretty bytes.Buffer // order and numbers stay as they were sent
		if json.Indent(&pretty, c.JSON, "", "  ") == nil {
			out.JSON = pretty.String()
		}
	}
	return out
}
