package mcphost

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/mcpconn"
)

// errorMissing is the contract's text for a name that is enabled but defined nowhere.
const errorMissing = "workspace references undefined MCP server"

// row tells the truth about one server as of this pass.
func (rt *Runtime) row(s *server, state linkState, v verdict) Row {
	row := rt.layers(s)
	switch {
	case s.res.State != mcpconf.Wanted:
		rt.unwanted(&row, s)
	case s.expErr != nil:
		row.decide(Error, LayerDefinition, mcpconn.EnvMissing)
		row.Error, row.Reason = s.expErr.Error(), sentence(s.expErr.Error())
		row.Evidence = row.fileEvidence(mcpconn.Resolve)
	case s.link == nil:
		row.State, row.Stage = Busy, mcpconn.Resolve
	default:
		rt.live(&row, s, state, v)
	}
	was := sinceKey{row.State, string(row.Cause), state.gen}
	if s.since.IsZero() || s.was != was {
		s.since, s.was = time.Now(), was
	}
	row.Since = s.since
	return row
}

// layers is what the definition and the three layers say.
func (rt *Runtime) layers(s *server) Row {
	row := Row{Name: s.res.Name, Enabled: s.res.Enabled, Trusted: s.res.Trusted, Paused: s.res.Paused}
	if def := s.res.Definition; def != nil {
		row.Type = string(def.Type)
		row.Warnings = slices.Clone(def.Warnings)
		row.File, row.Line = rt.loop.plan.Store, def.Line
	} else {
		row.File, row.Line = rt.loop.plan.Enablement, s.res.Line
	}
	return row
}

func (r *Row) decide(state State, layer Layer, cause mcpconn.Cause) {
	r.State, r.Layer, r.Cause, r.Action = state, layer, cause, actionFor(cause)
}

func (r *Row) fileEvidence(stage mcpconn.Stage) *mcpconn.Evidence {
	if r.File == "" {
		return nil
	}
	return &mcpconn.Evidence{File: r.File, Line: r.Line, Stage: stage}
}

// unwanted is a row that resolution decided: nothing is started for it.
func (rt *Runtime) unwanted(row *Row, s *server) {
	switch s.res.State {
	case mcpconf.Paused:
		row.decide(Paused, LayerSession, mcpconn.Paused)
		row.Reason = "Paused in this session only."
	case mcpconf.Missing:
		row.decide(Missing, LayerDefinition, mcpconn.Undefined)
		row.Error = errorMissing
		row.Reason = fmt.Sprintf("Enabled in %s, defined nowhere.", rt.enabledAt(s.res))
		row.Evidence = row.fileEvidence(mcpconn.Resolve)
	case mcpconf.Invalid:
		row.decide(Error, LayerDefinition, mcpconn.Invalid)
		row.Error = s.res.Definition.Invalid
		row.Reason = fmt.Sprintf("The definition is not valid: %s.", strings.TrimSuffix(row.Error, "."))
		row.Evidence = row.fileEvidence(mcpconn.Resolve)
	default:
		rt.disabled(row, s.res)
	}
}

func (rt *Runtime) disabled(row *Row, res mcpconf.Resolved) {
	switch {
	case res.Enabled && !res.Trusted:
		row.decide(Disabled, LayerWorkspace, mcpconn.Untrusted)
		row.Reason = fmt.Sprintf("Enabled in %s, not trusted here yet.", rt.enabledAt(res))
		if path := rt.loop.plan.Enablement; path != "" {
			row.Evidence = &mcpconn.Evidence{File: path, Line: res.Line, Stage: mcpconn.Resolve}
		}
	case rt.opts.Workspace == "":
		row.decide(Disabled, LayerSession, mcpconn.NotEnabled)
		row.Reason = "Not switched on in this chat."
	default:
		row.decide(Disabled, LayerWorkspace, mcpconn.NotEnabled)
		row.Reason = "Not enabled in this workspace."
	}
}

func (rt *Runtime) enabledAt(res mcpconf.Resolved) string {
	path := rt.loop.plan.Enablement
	switch {
	case path == "":
		return "this session"
	case res.Line == 0:
		return filepath.Base(path)
	}
	return fmt.Sprintf("%s line %d", filepath.Base(path), res.Line)
}

// live is a row of a server that is wanted: its link decides, then the claims.
func (rt *Runtime) live(row *Row, s *server, state linkState, v verdict) {
	row.Shared = rt.sharedWith(s.link)
	row.Attempt, row.Recovered = state.tries, state.returned
	row.describe(state, s)
	switch state.phase {
	case starting:
		row.State, row.Stage, row.Progress = Busy, state.stage, state.progress
	case up:
		row.Attempt = 0
		rt.connectedRow(row, s, state, v)
	case waiting:
		row.decide(Error, LayerRuntime, mcpconn.Lost)
		row.Action, row.NextTry = ActWait, state.nextTry
		row.explainLoss(state, fmt.Sprintf("Next try at %s (%d of %d).",
			state.nextTry.Format(time.TimeOnly), state.tries, rt.host.opts.Timing.ReconnectTries))
	case failed:
		if state.lost != nil {
			row.Attempt = 0
			row.decide(Error, LayerRuntime, mcpconn.Lost)
			row.explainLoss(state, fmt.Sprintf("Given up after %d tries.", state.tries))
			return
		}
		row.decide(Error, LayerRuntime, state.failure.Cause)
		if row.Action == ActSignIn && mcpconn.HasAuthorization(*s.res.Definition) {
			row.Action = ActEdit // the way in is a header of the definition
		}
		row.Error, row.Reason = state.failure.Message, sentence(state.failure.Message)
		row.Evidence = evidence(state.failure)
	}
}

func (rt *Runtime) connectedRow(row *Row, s *server, state linkState, v verdict) {
	row.Recovered += state.conn.Recovered()
	row.PID = state.info.PID
	row.Skipped = slices.Clone(s.list.skipped)
	row.Warnings = append(row.Warnings, s.list.warnings...)
	if v.clash() {
		row.decide(Error, LayerRuntime, v.cause)
		row.Error, row.Reason, row.Conflicts = v.text, v.reason, slices.Clone(v.conflicts)
		row.Evidence = &mcpconn.Evidence{Stage: mcpconn.Claim}
		return
	}
	row.State = Connected
	row.Tools = s.list.specNames()
	row.ToolCount, row.SchemaTokens = len(row.Tools), s.list.tokens
}

// describe fills in what is known from the last connection, whatever the state is now.
func (r *Row) describe(state linkState, s *server) {
	r.Protocol, r.ServerName, r.ServerVersion = state.info.Protocol, state.info.ServerName, state.info.Version
	r.Capabilities, r.Deprecated = state.info.Capabilities, state.info.Deprecated
	r.Connect = state.info.ConnectTime
	r.Latency = time.Duration(s.link.latency.Load())
	r.Library = state.library.row()
	r.Starts = s.link.timeline.total()
}

// explainLoss says why the connection was lost, why the last try failed where one did, and
// what comes next.
func (r *Row) explainLoss(state linkState, next string) {
	r.Error = state.lost.Message
	r.Reason = "Connection lost: " + clause(state.lost.Message)
	r.Evidence = evidence(state.lost)
	if state.failure != nil {
		r.Reason += " Last try: " + clause(state.failure.Message)
		r.Evidence = evidence(state.failure)
	}
	r.Reason += " " + next
}

func evidence(f *mcpconn.Failure) *mcpconn.Evidence {
	e := f.Evidence
	e.Stderr = slices.Clone(e.Stderr)
	return &e
}

// sharedWith names the other sessions that use the same connection.
func (rt *Runtime) sharedWith(l *link) []string {
	var titles []string
	for _, other := range l.viewers() {
		if other != rt {
			titles = append(titles, other.title())
		}
	}
	return titles
}

// actionFor is the button that puts a cause right.
func actionFor(cause mcpconn.Cause) Action {
	switch cause {
	case mcpconn.NotEnabled:
		return ActEnable
	case mcpconn.Untrusted:
		return ActTrust
	case mcpconn.Paused:
		return ActResume
	case mcpconn.Undefined:
		return ActDefine
	case mcpconn.SignIn:
		return ActSignIn
	case mcpconn.Invalid, mcpconn.EnvMissing, mcpconn.NotFound, mcpconn.NotExecutable, mcpconn.BadCWD,
		mcpconn.DNS, mcpconn.TLS, mcpconn.Forbidden, mcpconn.WrongURL, mcpconn.WrongTransport, mcpconn.NotMCP:
		return ActEdit
	case mcpconn.ToolUnnamed, mcpconn.ToolDuplicate, mcpconn.ToolBuiltin, mcpconn.ToolTaken:
		return ActResolve
	}
	return ActRetry
}

// sentence is a text as a sentence of its own, clause one behind a colon.
func sentence(text string) string {
	text = clause(text)
	if first, _, _ := strings.Cut(text, " "); first != "" && strings.Trim(first, "abcdefghijklmnopqrstuvwxyz,") == "" {
		text = strings.ToUpper(text[:1]) + text[1:] // a word, not a name, a path or an address
	}
	return text
}

func clause(text string) string {
	text = strings.TrimSpace(text)
	if text == "" {
		return ""
	}
	if !strings.HasSuffix(text, ".") && !strings.HasSuffix(text, "!") && !strings.HasSuffix(text, "?") {
		text += "."
	}
	return text
}

// sameSnapshot compares what readers see, but for the time of the snapshot.
func sameSnapshot(a, b Snapshot) bool {
	return a.Settled == b.Settled && a.Rebuild == b.Rebuild && reflect.DeepEqual(a.Rows, b.Rows)
}
