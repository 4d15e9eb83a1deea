// Package mcpconf holds the three layers that decide which MCP servers a session starts:
// definitions (machine), enablement and trust (workspace) and pause (session), and the
// pure function that resolves them.
package mcpconf

import "encoding/json"

// Transport is how a server is reached, in the words of mcp.json.
type Transport string

// The transports; any other value is invalid.
const (
	Stdio          Transport = "stdio"
	SSE            Transport = "sse"
	StreamableHTTP Transport = "streamable_http"
)

// Definition is one server of mcp.json after normalisation: who it is and how to connect.
// Values are as written, not expanded. A Definition is immutable.
type Definition struct {
	Name    string
	Type    Transport // lower case; "" or another word when invalid
	URL     string
	Command string
	Args    []string // byte for byte as written
	Env     map[string]string
	CWD     string
	Headers map[string]string

	TimeoutMs     int // connect; 0 = the default
	CallTimeoutMs int // a call without progress; 0 = the default
	Tools         ToolRules
	Protocol      string          // "", "auto" or a revision
	Auth          json.RawMessage // as written, nil when absent

	Invalid  string   // validation text of the contract, "" when valid
	Warnings []string // e.g. a "tools" of another shape that was left alone
	Line     int      // of the name in the file, from 1; 0 when it comes from no file
}

// ToolRules is the "tools" field of a definition.
type ToolRules struct {
	Exclude []string          `json:"exclude,omitempty"` // names held back
	Rename  map[string]string `json:"rename,omitempty"`  // server's name → name the model sees
}

// Definitions is mcp.json as last read well, in file order.
type Definitions struct {
	Path    string
	Servers []Definition
	Err     *FileError   // why the file on disk is not what Servers holds; nil when it is
	Outside *OutsideEdit // the last change that another program made, nil before the first
}

// Enablement is workspace.json as last read well.
type Enablement struct {
	Path  string // "" for a chat without a workspace
	Names []EnabledName
	Err   *FileError
	// Outside is the last change that another program made, nil before the first.
	Outside *OutsideEdit
}

// EnabledName is one entry of enabledMcpServers.
type EnabledName struct {
	Name string
	Line int // in the file, from 1
}

// OutsideEdit is a change of a configuration file that this process did not make.
type OutsideEdit struct {
	Path string
	AtMs int64  // when it was seen, Unix milliseconds
	Diff string // unified; values of env, headers and auth are masked
	// LostFields are fields of ours that are gone from servers that are still there, as
	// "server: field". Store.RestoreFields puts them back.
	LostFields []string
}

// FileError says what is wrong with a configuration file and where.
type FileError struct {
	Path    string
	Line    int // from 1, 0 when unknown
	Column  int // from 1, 0 when unknown
	Message string
}

// State is what resolution decides about a server before anything is started.
type State string

// The states of a Resolved server. Wanted is the only one that is started.
const (
	Wanted   State = "wanted"
	Disabled State = "disabled"
	Paused   State = "paused"
	Invalid  State = "error"
	Missing  State = "missing"
)

// Resolved is one server after resolution, in table order.
type Resolved struct {
	Name       string
	Definition *Definition // nil when missing
	State      State
	Enabled    bool
	Trusted    bool
	Paused     bool
	Line       int // of the name in workspace.json, 0 when it is not there
}
