package approval

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// harmlessActions are the actions of bash that only look.
var harmlessActions = []string{"status", "logs", "list"}

// bashCall is what a grant and the policy need of a call of bash.
type bashCall struct {
	Action  string `json:"action"`
	Command string `json:"command"`
	CWD     string `json:"cwd"`
	Input   string `json:"input"`
	Process string `json:"processId"`
}

func (q Question) bash() (bashCall, bool) {
	var call bashCall
	if q.Spec.Server != "" || q.Spec.Name != "bash" {
		return call, false
	}
	_ = json.Unmarshal(q.Call.Arguments, &call) // what cannot be read is asked for as it is
	if call.Action = strings.ToLower(strings.TrimSpace(call.Action)); call.Action == "" {
		call.Action = "exec"
	}
	return call, true
}

// whyAsked is one sentence when the mode asks for the call, "" when it does not.
func whyAsked(mode Mode, q Question) string {
	switch mode {
	case Auto:
		return ""
	case Manual:
		return "Manual mode asks for every call."
	}
	if q.Spec.Server != "" {
		return mcpWhy(q)
	}
	if call, ok := q.bash(); ok {
		if slices.Contains(harmlessActions, call.Action) {
			return ""
		}
		return "Safe mode asks for every command."
	}
	switch q.Spec.Name {
	case "read_file":
		return ""
	case "write_file", "apply_patch":
		return "Safe mode asks for every write."
	}
	return "Safe mode asks for every tool that can change something."
}

// mcpWhy says what the server says of its tool; its word alone never skips the question.
func mcpWhy(q Question) string {
	a := q.Spec.Annotations
	says := "does not say whether it changes anything"
	switch {
	case a.SaysReadOnly():
		says = "says that it only reads"
	case a.Destructive != nil && *a.Destructive:
		says = "says that it can destroy data"
	case a.Destructive != nil:
		says = "says that it destroys nothing"
	case a.ReadOnly != nil:
		says = "says that it changes something"
	}
	return fmt.Sprintf("Safe mode asks for every MCP tool that is not granted. %s %s.", q.Spec.Server, says)
}

// grantable reports whether the question may be answered for the workspace: not in a plain
// chat, and of bash only for a command. What is written to a process or ends one is about a
// process that the next session does not have, and an id that it may give to another.
func (q Question) grantable() bool {
	call, isBash := q.bash()
	return q.Workspace != "" && (!isBash || call.Action == "exec" || call.Action == "start")
}

// grantKey is what a grant covers: one tool of one server as it is described now, and for
// bash the exact command. A list of texts in JSON has no two readings.
func grantKey(q Question) string {
	key := []any{q.Spec.Server, q.Spec.Name, q.Spec.Hash}
	if call, ok := q.bash(); ok {
		key = append(key, call)
	}
	exact, _ := json.Marshal(key) // texts only: cannot fail
	sum := sha256.Sum256(exact)
	return hex.EncodeToString(sum[:])
}
