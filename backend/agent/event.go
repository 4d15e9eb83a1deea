// Package agent is the loop: model, tool calls, results, model, until done. Everything a
// turn does is an Event; the window, ACP, the command line and tests read the same stream.
package agent

import (
	"encoding/json"

	"patchbay/backend/approval"
	"patchbay/backend/model"
	"patchbay/backend/tool"
)

// Kind says what an Event carries.
type Kind string

// The kinds. The first eight are the contract of `run --json`; the others are for readers
// that show a turn live.
const (
	Text       Kind = "text"
	Reasoning  Kind = "reasoning"
	ToolCall   Kind = "tool_call"
	ToolResult Kind = "tool_result"
	Approval   Kind = "approval" // decided
	Usage      Kind = "usage"
	Failure    Kind = "error"
	Done       Kind = "done"

	UserMessage Kind = "user"     // a turn begins; Text is what the person sent
	Asking      Kind = "asking"   // an approval is open; Question
	Progress    Kind = "progress" // of a running call; Text, Progress, Total
	Notice      Kind = "notice"   // waiting for a retry, tools cut, servers left out; Text
	Step        Kind = "step"     // a model request begins: what follows is a new assistant message
	Rewind      Kind = "rewind"   // the person edited a message: what came from ToSeq on is no longer part of the conversation
)

// AllKinds lists every Kind.
var AllKinds = []Kind{Text, Reasoning, ToolCall, ToolResult, Approval, Usage, Failure, Done, UserMessage, Asking, Progress, Notice, Step, Rewind}

// StopReason is why a turn ended.
type StopReason string

// The stop reasons.
const (
	EndTurn   StopReason = "end_turn"
	Cancelled StopReason = "cancelled"
	MaxSteps  StopReason = "max_steps"
	Refused   StopReason = "refused"
	Errored   StopReason = "error"
)

// AllStopReasons lists every StopReason.
var AllStopReasons = []StopReason{EndTurn, Cancelled, MaxSteps, Refused, Errored}

// Event is one thing a turn did. Fields that do not belong to its Kind are zero.
type Event struct {
	Seq   uint64 // of the session, growing by one, across turns
	RunID string // of the turn
	Kind  Kind
	AtMs  int64

	Text     string             // text, reasoning, user, progress, notice
	Attached []model.Attachment // user

	ID        string // of the call: tool_call, tool_result, approval, asking, progress
	Server    string // "" for built-in tools
	Tool      string // as the model sees it
	Hash      string // tool_call: tool.Spec.Hash, "" where the tool was not offered
	Arguments json.RawMessage
	Result    *tool.Result // tool_result
	ModelText string       // tool_result: what the model reads

	Question *approval.Question // asking
	Answer   approval.Answer    // approval

	Progress, Total float64 // progress

	Usage *model.Usage // usage

	Code    string // error
	Message string // error

	ToSeq uint64 // rewind

	StopReason StopReason // done
	Practice   bool       // done: the practice model answered
	Model      string     // done
}
