package model

import "patchbay/backend/tool"

// Entry is one finished message of a conversation with what is known beside it: what the
// agent hands out as it goes and history keeps.
type Entry struct {
	RunID   string  `json:"runId"` // of the turn
	AtMs    int64   `json:"atMs"`  // milliseconds since 1970
	Message Message `json:"message"`

	// The rest belongs to tool messages.
	Result   *tool.Result `json:"result,omitempty"`
	Server   string       `json:"server,omitempty"`   // "" for a built-in tool
	Tool     string       `json:"tool,omitempty"`     // as the model sees it
	Hash     string       `json:"hash,omitempty"`     // tool.Spec.Hash, "" where the tool was not offered
	Decision string       `json:"decision,omitempty"` // approval.Decision, "" where nothing was decided
	By       string       `json:"by,omitempty"`       // approval.By
}
