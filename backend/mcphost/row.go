// Package mcphost is the live runtime: a pool of connections per process, and per session a
// Runtime that reconciles what is wanted with what runs, claims tool names in definition
// order, and publishes rows and the tool table.
package mcphost

import (
	"time"

	"patchbay/backend/mcpconn"
)

// State is the word in a row's state cell.
type State string

// The row states.
const (
	Connected State = "connected"
	Disabled  State = "disabled"
	Paused    State = "paused"
	Error     State = "error"
	Missing   State = "missing"
	Busy      State = "busy" // only while an attempt runs
)

// AllStates lists every State.
var AllStates = []State{Connected, Disabled, Paused, Error, Missing, Busy}

// Layer is what decided a state.
type Layer string

// The layers.
const (
	LayerDefinition Layer = "definition"
	LayerWorkspace  Layer = "workspace"
	LayerSession    Layer = "session"
	LayerRuntime    Layer = "runtime"
)

// AllLayers lists every Layer.
var AllLayers = []Layer{LayerDefinition, LayerWorkspace, LayerSession, LayerRuntime}

// Action is the button that puts a row right.
type Action string

// The actions.
const (
	ActEnable  Action = "enable"
	ActTrust   Action = "trust"
	ActResume  Action = "resume"
	ActDefine  Action = "define"
	ActEdit    Action = "edit"
	ActRetry   Action = "retry"
	ActResolve Action = "resolve"
	ActSignIn  Action = "sign_in"
	ActWait    Action = "wait"
)

// AllActions lists every Action.
var AllActions = []Action{ActEnable, ActTrust, ActResume, ActDefine, ActEdit, ActRetry, ActResolve, ActSignIn, ActWait}

// Conflict is one tool name a server may not have and who holds it ("built-in", a server's
// name, or the server's own for a duplicate).
type Conflict struct {
	Tool  string `json:"tool"`
	Owner string `json:"owner"`
}

// Row is the truth about one server in one session. Rows are immutable values.
type Row struct {
	Name      string
	Type      string // as in the definition, "" when missing
	State     State
	Stage     mcpconn.Stage // while busy
	Enabled   bool
	Trusted   bool
	Paused    bool
	Since     time.Time // of this state
	Layer     Layer     // "" when connected or busy
	Cause     mcpconn.Cause
	Action    Action
	Reason    string // one sentence; "" when connected
	Error     string // the contract's text, for error and missing only
	Evidence  *mcpconn.Evidence
	Conflicts []Conflict

	ToolCount    int      // tools the model sees
	SchemaTokens int      // estimate of what they cost in a request
	Tools        []string // their names as the model sees them
	Skipped      []Skip   // tools that cannot be used and why

	Library LibraryRow

	Protocol      string
	ServerName    string
	ServerVersion string
	Capabilities  []string             // that the server declared when it last connected
	Deprecated    []mcpconn.Deprecated // what it leans on
	Connect       time.Duration        // of the last successful connect
	Latency       time.Duration        // of the last heartbeat or call, 0 when unknown
	PID           int
	Recovered     int       // times the connection came back by itself
	Starts        int       // attempts to connect it since the application opened
	NextTry       time.Time // of the reconnect, zero when none is pending
	Attempt       int       // of the running reconnect series, 0 outside one
	Progress      string    // last line of stderr while busy
	Warnings      []string
	Shared        []string // other sessions that use the same connection

	File string // where the name is defined, or enabled when it is defined nowhere
	Line int
}

// Skip is a listed tool that cannot be used.
type Skip struct {
	Tool   string
	Reason string
}

// Snapshot is all rows of a session in table order, missing ones last.
type Snapshot struct {
	Rows    []Row
	Settled bool      // no attempt runs
	Rebuild *Surface  // what the last finished pass changed, nil before the first
	At      time.Time // of this snapshot
}

// Surface is the difference that a pass made to the tool surface, in names the model sees.
type Surface struct {
	At      time.Time
	Took    time.Duration
	Added   []string
	Removed []string
	Changed []string // schema or description differ
}
