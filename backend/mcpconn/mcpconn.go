// Package mcpconn is one connection to one MCP server: start it, shake hands, list its
// tools, call them, notice its loss, and end it with everything it started. It is the only
// importer of go-sdk.
package mcpconn

import (
	"context"
	"encoding/json"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/tool"
)

// Stage is a step of connecting, in the order they run.
type Stage string

// The stages. validate and claim are steps of the runtime, not of a connection.
const (
	Resolve    Stage = "resolve"
	Spawn      Stage = "spawn"
	Connect    Stage = "connect"
	Initialize Stage = "initialize"
	List       Stage = "list"
	Validate   Stage = "validate"
	Claim      Stage = "claim"
)

// AllStages lists every Stage in order.
var AllStages = []Stage{Resolve, Spawn, Connect, Initialize, List, Validate, Claim}

// Cause is why a server is not connected: a closed list.
type Cause string

// The causes.
const (
	NotEnabled     Cause = "not_enabled"
	Untrusted      Cause = "untrusted"
	Paused         Cause = "paused"
	Undefined      Cause = "undefined"
	Invalid        Cause = "invalid"
	EnvMissing     Cause = "env_missing"
	NotFound       Cause = "not_found"
	NotExecutable  Cause = "not_executable"
	BadCWD         Cause = "bad_cwd"
	Exited         Cause = "exited"
	BadStdout      Cause = "bad_stdout"
	Timeout        Cause = "timeout"
	Refused        Cause = "refused"
	DNS            Cause = "dns"
	TLS            Cause = "tls"
	SignIn         Cause = "sign_in"
	Forbidden      Cause = "forbidden"
	WrongURL       Cause = "wrong_url"
	WrongTransport Cause = "wrong_transport"
	HTTPError      Cause = "http_error"
	NotMCP         Cause = "not_mcp"
	Protocol       Cause = "protocol"
	FrameTooLarge  Cause = "frame_too_large"
	ListInvalid    Cause = "list_invalid"
	ToolUnnamed    Cause = "tool_unnamed"
	ToolDuplicate  Cause = "tool_duplicate"
	ToolBuiltin    Cause = "tool_builtin"
	ToolTaken      Cause = "tool_taken"
	Lost           Cause = "lost"
)

// AllCauses lists every Cause.
var AllCauses = []Cause{
	NotEnabled, Untrusted, Paused, Undefined, Invalid, EnvMissing, NotFound, NotExecutable,
	BadCWD, Exited, BadStdout, Timeout, Refused, DNS, TLS, SignIn, Forbidden, WrongURL,
	WrongTransport, HTTPError, NotMCP, Protocol, FrameTooLarge, ListInvalid, ToolUnnamed,
	ToolDuplicate, ToolBuiltin, ToolTaken, Lost,
}

// Evidence is what was seen when something failed; zero fields do not apply.
type Evidence struct {
	ExitCode   *int     `json:"exitCode,omitempty"`
	Stderr     []string `json:"stderr,omitempty"` // last lines, redacted
	HTTPStatus int      `json:"httpStatus,omitempty"`
	URL        string   `json:"url,omitempty"` // without credentials and query values
	File       string   `json:"file,omitempty"`
	Line       int      `json:"line,omitempty"`
	Stage      Stage    `json:"stage,omitempty"`
}

// Failure is why a connection could not be made or was lost. It is an error.
type Failure struct {
	Cause    Cause
	Message  string // one sentence for people, with the object and the way out
	Evidence Evidence
}

// Error returns the sentence.
func (f *Failure) Error() string { return f.Message }

// Target is a server to connect to: a definition whose values are expanded.
type Target struct {
	Definition mcpconf.Definition // Command, Args, Env, CWD, URL, Headers expanded
	Workspace  string             // canonical folder; default cwd and MCP root; "" for a plain chat
	Timeout    time.Duration      // to connect
	MaxTimeout time.Duration      // the most it is extended to while stderr shows progress
	Person     Person             // answers what the server asks of a person; nil: nobody can, and none of it is declared
}

// Tool is one tool as the server listed it, decoded by itself so that a malformed one does
// not lose the others.
type Tool struct {
	Name         string
	Title        string
	Description  string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage
	Annotations  tool.Annotations
	AppOnly      bool   // _meta.ui.visibility keeps it from the model
	Skipped      string // why it cannot be used, "" when it can
}

// Info is what the handshake told.
type Info struct {
	Protocol     string // negotiated revision
	ServerName   string
	Version      string
	Capabilities []string     // declared, e.g. "tools.listChanged"
	Deprecated   []Deprecated // what it leans on, as seen so far
	Instructions string       // what the server says about its own use
	PID          int          // of a stdio server, 0 otherwise
	ConnectTime  time.Duration
}

// Observer hears what happens while connecting and after. Its methods are called from the
// connection's goroutines, must return at once, and may be called concurrently.
type Observer interface {
	Stage(Stage)                     // a stage begins
	Spawned(pid int)                 // the process of a stdio server runs; again when it is started in another era
	Stderr(line string)              // a line of the server's stderr, and non-protocol lines of its stdout
	Log(level, text string)          // notifications/message
	ToolsChanged()                   // the list changed and was re-listed: read Tools again
	Health(ok bool, d time.Duration) // a heartbeat answered after d, or failed
	ResourcesChanged()               // the lists of resources and templates are no longer current
	PromptsChanged()                 // the list of prompts is no longer current
	ResourceUpdated(uri string)      // a subscribed resource changed
	LeansOn(feature Deprecated)      // the server uses what the newest revision deprecates, seen for the first time
	Frame(Frame) (number uint64)     // a JSON-RPC message was sent or received; the number names it, 0 when it is not kept
}

// Conn is a live connection.
type Conn interface {
	Library
	Info() Info
	// Tools is the latest list, in the server's order; the slice is never changed.
	Tools() []Tool
	// Call calls a tool by the server's own name. It ends with ctx, after idle without
	// progress, after most altogether, or when the connection ends, whatever the server does.
	Call(ctx context.Context, name string, arguments json.RawMessage, limits CallLimits, onProgress func(tool.Progress)) tool.Result
	// Check asks the server for a sign of life (ping, or a list where the revision has no
	// ping) within a short limit. A failed check loses the connection.
	Check(ctx context.Context) error
	// LastSeen is when the server last sent anything.
	LastSeen() time.Time
	// Recovered counts how often an expired HTTP session was re-initialised.
	Recovered() int
	// Done is closed when the connection is over; Lost then says why, nil after Close.
	Done() <-chan struct{}
	Lost() *Failure
	// Close ends the connection and every process it started, within a few seconds.
	// reason is what calls in flight are answered with. Safe to call twice.
	Close(reason string)
}

// CallLimits bounds one call.
type CallLimits struct {
	Idle time.Duration // without progress
	Most time.Duration // altogether
}

// Dialer makes connections. The error of Dial is always a *Failure.
type Dialer interface {
	Dial(ctx context.Context, target Target, observer Observer) (Conn, error)
}
