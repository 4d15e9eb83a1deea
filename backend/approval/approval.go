// Package approval decides whether a tool call may run: by mode, by grants, or by asking.
package approval

import (
	"context"

	"patchbay/backend/tool"
)

// Mode says when to ask.
type Mode string

// The modes.
const (
	Auto   Mode = "auto"   // never ask
	Safe   Mode = "safe"   // ask for everything that writes or executes and for MCP tools not granted
	Manual Mode = "manual" // ask for every call not granted
)

// AllModes lists every Mode.
var AllModes = []Mode{Auto, Safe, Manual}

// Decision is the answer to a question.
type Decision string

// The decisions. The first three allow.
const (
	AllowOnce      Decision = "allow_once"
	AllowSession   Decision = "allow_session"
	AllowWorkspace Decision = "allow_workspace"
	Reject         Decision = "reject"
	Withdrawn      Decision = "withdrawn" // the call is over: stopped, or its server left
)

// AllDecisions lists every Decision.
var AllDecisions = []Decision{AllowOnce, AllowSession, AllowWorkspace, Reject, Withdrawn}

// Allows reports whether the call may run.
func (d Decision) Allows() bool {
	return d == AllowOnce || d == AllowSession || d == AllowWorkspace
}

// By says who or what decided.
type By string

// The deciders.
const (
	ByMode      By = "mode"      // the mode does not ask
	BySession   By = "session"   // a grant for the session
	ByWorkspace By = "workspace" // a grant in the workspace
	ByPerson    By = "person"
	ByPolicy    By = "policy" // nobody can be asked
	ByHost      By = "host"   // withdrawn
)

// Question asks about one call.
type Question struct {
	ID        string // unique in the process
	SessionID string
	Workspace string // canonical, "" for a plain chat: no workspace grant then
	Spec      tool.Spec
	Call      tool.Call
	Why       string // "why am I asked", one sentence
	Preview   Preview
	// WorkspaceGrant reports whether a grant may cover the workspace: not in a plain chat.
	WorkspaceGrant bool
	AtMs           int64
}

// Preview is what is shown beside the question: the command, the diff, or the arguments.
type Preview struct {
	Kind string `json:"kind"` // command, diff, arguments
	Text string `json:"text"`
}

// Answer is a decided question.
type Answer struct {
	Decision Decision
	By       By
}

// Approver decides one call. Ask returns when decided or, as Withdrawn, when ctx ended.
type Approver interface {
	Ask(ctx context.Context, q Question) Answer
}
