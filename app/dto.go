// Package app is the window: it binds commands, forwards snapshots and events to the page,
// and is the only importer of Wails.
package app

// Every type that crosses to the page is in this file and its neighbours dto_*.go: camelCase, times as milliseconds in
// int64, slices never nil, enums as string types. Values of env and headers and keys never
// cross; their names do.

// ServerState is the word in a row's state cell.
type ServerState string

// ServerLayer is what decided a state.
type ServerLayer string

// ServerAction is the button that puts a row right.
type ServerAction string

// MCPSnapshot is topic "mcp": all rows of the current session. The higher Rev wins.
type MCPSnapshot struct {
	Rev             uint64        `json:"rev"`
	SessionID       string        `json:"sessionId"`
	Workspace       string        `json:"workspace"`       // "" for a plain chat
	Store           string        `json:"store"`           // path of mcp.json
	WorkspaceConfig string        `json:"workspaceConfig"` // path of workspace.json, "" for a plain chat
	Rows            []ServerRow   `json:"rows"`
	Settled         bool          `json:"settled"`
	ToolCount       int           `json:"toolCount"`
	SchemaTokens    int           `json:"schemaTokens"`
	Rebuild         *Surface      `json:"rebuild,omitempty"`
	FileErrors      []FileError   `json:"fileErrors"`
	CutTools        []string      `json:"cutTools"` // beyond what a request may carry
	Outside         []OutsideEdit `json:"outside"`  // since this window opened, the newest per file
	Swept           string        `json:"swept"`    // what a Patchbay that was killed left behind and this one ended, "" for nothing
}

// OutsideEdit is a change of one of the two files by another program, which is in force.
type OutsideEdit struct {
	Path       string   `json:"path"`
	AtMs       int64    `json:"atMs"`
	Diff       string   `json:"diff"`       // unified, stored values masked
	LostFields []string `json:"lostFields"` // fields of ours that the other program dropped
}

// ServerRow is the truth about one server.
type ServerRow struct {
	Name          string       `json:"name"`
	Type          string       `json:"type"`
	State         ServerState  `json:"state"`
	Stage         string       `json:"stage"` // while busy
	Enabled       bool         `json:"enabled"`
	Trusted       bool         `json:"trusted"`
	Paused        bool         `json:"paused"`
	Defined       bool         `json:"defined"`
	SinceMs       int64        `json:"sinceMs"`
	Layer         ServerLayer  `json:"layer,omitempty"`
	Cause         string       `json:"cause"`
	Action        ServerAction `json:"action,omitempty"`
	Reason        string       `json:"reason"`
	Error         string       `json:"error"`
	Evidence      *Evidence    `json:"evidence,omitempty"`
	Conflicts     []Conflict   `json:"conflicts"`
	ToolCount     int          `json:"toolCount"`
	ResourceCount int          `json:"resourceCount"` // as last listed, -1 before
	PromptCount   int          `json:"promptCount"`   // as last listed, -1 before
	LibraryRev    uint64       `json:"libraryRev"`    // grows when resources or prompts may have changed
	SchemaTokens  int          `json:"schemaTokens"`
	Skipped       []Skip       `json:"skipped"`
	Protocol      string       `json:"protocol"`
	ServerName    string       `json:"serverName"`
	ServerVersion string       `json:"serverVersion"`
	Capabilities  []string     `json:"capabilities"` // that the server declared, e.g. "tools.listChanged"
	Deprecated    []string     `json:"deprecated"`   // what it leans on: roots, sampling, logging, sse, dynamic_registration
	ConnectMs     int64        `json:"connectMs"`    // 0 when never connected
	LatencyMs     int64        `json:"latencyMs"`    // 0 when unknown
	PID           int          `json:"pid"`
	Recovered     int          `json:"recovered"`
	Starts        int          `json:"starts"`    // attempts to connect since the application opened
	NextTryMs     int64        `json:"nextTryMs"` // 0 when none is pending
	Attempt       int          `json:"attempt"`
	Progress      string       `json:"progress"` // last stderr line while busy
	Warnings      []string     `json:"warnings"`
	Shared        []string     `json:"shared"`           // titles of other sessions on the same connection
	Lit           bool         `json:"lit"`              // the next message opens it: its chip is lit
	SignIn        *SignIn      `json:"signIn,omitempty"` // nil when there was none
	File          string       `json:"file"`
	Line          int          `json:"line"`
}

// Evidence is what was seen when something failed.
type Evidence struct {
	ExitCode   *int     `json:"exitCode,omitempty"`
	Stderr     []string `json:"stderr"`
	HTTPStatus int      `json:"httpStatus"`
	URL        string   `json:"url"`
	File       string   `json:"file"`
	Line       int      `json:"line"`
	Stage      string   `json:"stage"`
}

// Conflict is one tool name a server may not have and who holds it.
type Conflict struct {
	Tool  string `json:"tool"`
	Owner string `json:"owner"`
}

// Skip is a listed tool that cannot be used.
type Skip struct {
	Tool   string `json:"tool"`
	Reason string `json:"reason"`
}

// Surface is what the last pass changed in the tool surface.
type Surface struct {
	AtMs    int64    `json:"atMs"`
	TookMs  int64    `json:"tookMs"`
	Added   []string `json:"added"`
	Removed []string `json:"removed"`
	Changed []string `json:"changed"`
}

// FileError says what is wrong with a configuration file; the last good value is in force.
type FileError struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// SessionsSnapshot is topic "sessions": the sessions and which one is shown.
type SessionsSnapshot struct {
	Rev      uint64        `json:"rev"`
	Current  string        `json:"current"`
	Sessions []SessionInfo `json:"sessions"` // newest first
}

// SessionInfo is one line of the session list.
type SessionInfo struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	Workspace string `json:"workspace"`
	UpdatedMs int64  `json:"updatedMs"`
	Running   bool   `json:"running"`
	ReadOnly  bool   `json:"readOnly"` // another process holds it
}

// ApprovalsSnapshot is topic "approvals": the open questions.
type ApprovalsSnapshot struct {
	Rev       uint64     `json:"rev"`
	Questions []Question `json:"questions"`
}

// ApprovalDecision answers a Question.
type ApprovalDecision string

// ApprovalMode says when to ask.
type ApprovalMode string

// Question asks about one tool call.
type Question struct {
	ID             string `json:"id"`
	SessionID      string `json:"sessionId"`
	CallID         string `json:"callId"`
	Server         string `json:"server"` // "" for a built-in tool
	Tool           string `json:"tool"`
	Why            string `json:"why"`
	PreviewKind    string `json:"previewKind"` // command, diff, arguments
	Preview        string `json:"preview"`
	WorkspaceGrant bool   `json:"workspaceGrant"`
	AtMs           int64  `json:"atMs"`
}

// SettingsSnapshot is topic "settings".
type SettingsSnapshot struct {
	Rev      uint64       `json:"rev"`
	Version  string       `json:"version"`
	Theme    string       `json:"theme"` // system, light, dark
	Mode     ApprovalMode `json:"mode"`
	Model    ModelInfo    `json:"model"`
	Profile  ModelProfile `json:"profile"`  // the stored one, zero when there is none
	Messages []string     `json:"messages"` // e.g. an unreadable settings file
	Layout   Layout       `json:"layout"`
	// DemoCommand is the absolute path of a program that serves the demo server when it is
	// called with demo-server.
	DemoCommand string `json:"demoCommand"`
}

// ModelInfo is the model that answers now.
type ModelInfo struct {
	Name     string `json:"name"`
	Source   string `json:"source"` // practice, environment, profile
	BaseURL  string `json:"baseUrl"`
	Practice bool   `json:"practice"`
}

// ModelProfile is the stored profile without its key.
type ModelProfile struct {
	Name    string `json:"name"`
	BaseURL string `json:"baseUrl"`
	Model   string `json:"model"`
	HasKey  bool   `json:"hasKey"`
}

// ChatKind says what a ChatEvent carries.
type ChatKind string

// ChatEvent is topic "chat", in batches, ordered by Seq. The kinds are those of package
// agent; the fields of other kinds are zero.
type ChatEvent struct {
	SessionID string   `json:"sessionId"`
	RunID     string   `json:"runId"`
	Seq       uint64   `json:"seq"`      // of the newest delta merged into this event
	FirstSeq  uint64   `json:"firstSeq"` // of the oldest; Seq when nothing was merged
	Kind      ChatKind `json:"kind"`
	AtMs      int64    `json:"atMs"`

	Text       string        `json:"text"`
	Attached   []Attachment  `json:"attached"` // user
	ID         string        `json:"id"`
	Server     string        `json:"server"`
	Tool       string        `json:"tool"`
	Arguments  string        `json:"arguments"` // JSON text
	OK         bool          `json:"ok"`
	Content    []ChatContent `json:"content"`
	Reason     string        `json:"reason"`
	Warning    string        `json:"warning"` // tool_result: what was noticed about it
	TookMs     int64         `json:"tookMs"`
	Frame      uint64        `json:"frame"` // tool_result: of the call among its server's frames, 0 for none
	Decision   string        `json:"decision"`
	By         string        `json:"by"`
	Progress   float64       `json:"progress"`
	Total      float64       `json:"total"`
	InputTok   int           `json:"inputTokens"`
	OutputTok  int           `json:"outputTokens"`
	Code       string        `json:"code"`
	Message    string        `json:"message"`
	StopReason string        `json:"stopReason"`
	Practice   bool          `json:"practice"`
	Model      string        `json:"model"`
	ToSeq      uint64        `json:"toSeq"` // rewind: events from here on are no longer part of the conversation
}

// ChatContent is one part of a tool result. Data of images and audio is fetched from URL,
// served by our own handler.
type ChatContent struct {
	Kind     string `json:"kind"`
	Text     string `json:"text"`
	MIMEType string `json:"mimeType"`
	URL      string `json:"url"`
	URI      string `json:"uri"`
	Name     string `json:"name"`
	JSON     string `json:"json"`
	Size     int    `json:"size"` // bytes, of resources only
}

// Transcript is a conversation so far: the same events, deltas merged. Later events carry a
// higher Seq; a page that misses one reads the transcript again.
type Transcript struct {
	SessionID string      `json:"sessionId"`
	Seq       uint64      `json:"seq"`
	RunID     string      `json:"runId"` // of the running turn, "" when none runs
	Events    []ChatEvent `json:"events"`
}

// CommandError is what a rejected command carries: never empty.
type CommandError struct {
	Code    string `json:"code"` // not_found, invalid, conflict, unreadable, busy, internal
	Message string `json:"message"`
	Server  string `json:"server,omitempty"`
	Path    string `json:"path,omitempty"`
}

// ServerForm is one definition as a form fills it in.
type ServerForm struct {
	Name    string       `json:"name"`
	Type    string       `json:"type"`
	Command string       `json:"command"`
	Args    []string     `json:"args"`
	CWD     string       `json:"cwd"`
	URL     string       `json:"url"`
	Env     []NamedValue `json:"env"`
	Headers []NamedValue `json:"headers"`
	Enable  bool         `json:"enable"` // also enable it in this workspace

	TimeoutMs     int    `json:"timeoutMs"`     // to connect; 0 for the default
	CallTimeoutMs int    `json:"callTimeoutMs"` // of a call without progress; 0 for the default
	Protocol      string `json:"protocol"`      // a revision of MCP, "" or auto for the newest that both sides have
}

// NamedValue is one entry of env or headers. A stored value never reaches the page:
// HasValue says that there is one, and an entry sent back with HasValue keeps it.
type NamedValue struct {
	Name     string `json:"name"`
	Value    string `json:"value"`
	HasValue bool   `json:"hasValue"`
}

// ToolRules is what the clash resolver saves as "tools" of a definition.
type ToolRules struct {
	Exclude []string          `json:"exclude"`
	Rename  map[string]string `json:"rename"`
}

// Done is what a command that changes a file answers with: the way to take it back.
type Done struct {
	ID   string `json:"id"`   // for UndoChange, "" when the file says what it said before
	What string `json:"what"` // e.g. "enable fetch"
}

// Change is one change that Patchbay made to a configuration file and still can take back.
type Change struct {
	ID   string     `json:"id"`
	AtMs int64      `json:"atMs"`
	What string     `json:"what"`
	File ConfigFile `json:"file"`
	// Blocked says why it cannot be taken back now, "" when it can: a later change comes
	// first, or another program changed the file since.
	Blocked string `json:"blocked"`
}

// Paste is what a pasted text says: a command line, or another client's JSON.
type Paste struct {
	Forms    []ServerForm `json:"forms"`    // values of env and headers as pasted
	Warnings []string     `json:"warnings"` // what was left out and why
}

// StageTime is a finished step of a start.
type StageTime struct {
	Stage string `json:"stage"`
	Ms    int64  `json:"ms"`
}

// Trial is topic "trial": the dry run of a definition that is not saved. One runs at a time.
type Trial struct {
	Rev           uint64       `json:"rev"`
	ID            string       `json:"id"` // "" before the first
	Name          string       `json:"name"`
	Running       bool         `json:"running"`
	OK            bool         `json:"ok"`     // it connected and its tools may be used
	Stage         string       `json:"stage"`  // the running one, or the one that failed
	Stages        []StageTime  `json:"stages"` // finished ones in order
	StartedMs     int64        `json:"startedMs"`
	TookMs        int64        `json:"tookMs"`   // once it is over
	Progress      string       `json:"progress"` // last stderr line while running
	Cause         string       `json:"cause"`
	Reason        string       `json:"reason"`
	Evidence      *Evidence    `json:"evidence,omitempty"`
	Protocol      string       `json:"protocol"`
	ServerName    string       `json:"serverName"`
	ServerVersion string       `json:"serverVersion"`
	Tools         []ServerTool `json:"tools"`
	SchemaTokens  int          `json:"schemaTokens"`
	Conflicts     []Conflict   `json:"conflicts"` // with built-in tools and connected servers
}

// ServerDetail is what the detail of one server shows beside its row.
type ServerDetail struct {
	Name         string       `json:"name"`
	Form         ServerForm   `json:"form"` // the definition, stored values left out; zero when it is defined nowhere
	Rules        ToolRules    `json:"rules"`
	Tools        []ServerTool `json:"tools"`  // as last listed, held back and clashing ones included
	Stages       []StageTime  `json:"stages"` // of the last start
	Instructions string       `json:"instructions"`
}

// ServerTool is one tool of a server.
type ServerTool struct {
	Name         string `json:"name"`     // as the model sees it
	Original     string `json:"original"` // as the server calls it
	Title        string `json:"title"`
	Description  string `json:"description"`
	Schema       string `json:"schema"` // JSON text, as the server wrote it
	SchemaTokens int    `json:"schemaTokens"`
	ReadOnly     bool   `json:"readOnly"` // these four: the server says so
	Destructive  bool   `json:"destructive"`
	Idempotent   bool   `json:"idempotent"`
	OpenWorld    bool   `json:"openWorld"`
	Held         bool   `json:"held"`    // held back by tools.exclude
	Owner        string `json:"owner"`   // who holds its name, "" when it is this server's
	Skipped      string `json:"skipped"` // why it cannot be used, "" when it can
}

// LogPage is a part of a server's log.
type LogPage struct {
	Lines []LogLine `json:"lines"`
	Next  uint64    `json:"next"`  // for the next call
	Lost  bool      `json:"lost"`  // lines between were dropped
	Level string    `json:"level"` // of log messages that was asked of the server, "" for its own choice
}

// LogLine is one line that a server wrote.
type LogLine struct {
	Seq   uint64 `json:"seq"`
	AtMs  int64  `json:"atMs"`
	Level string `json:"level"` // "stderr", or the level of a log message
	Text  string `json:"text"`
}

// ToolOutcome is the result of a tool that a person tried.
type ToolOutcome struct {
	OK      bool          `json:"ok"`
	Reason  string        `json:"reason"`
	Warning string        `json:"warning"` // what was noticed about a result that is shown all the same
	TookMs  int64         `json:"tookMs"`
	Frame   uint64        `json:"frame"` // of the call among its server's frames, 0 for none
	Content []ChatContent `json:"content"`
}

// Clash is one tool name that a server may not have, with both sides.
type Clash struct {
	Tool   string   `json:"tool"` // the name that clashes, as the model would see it
	Mine   ClashArm `json:"mine"`
	Theirs ClashArm `json:"theirs"`
}

// ClashArm is one side of a Clash.
type ClashArm struct {
	Owner       string `json:"owner"` // a server, or "built-in"
	Original    string `json:"original"`
	Description string `json:"description"`
	Schema      string `json:"schema"` // JSON text
}

// Clashes is everything the resolver needs.
type Clashes struct {
	Clashes []Clash  `json:"clashes"`
	Taken   []string `json:"taken"` // every name a new one must differ from, ignoring case
}

// SearchHit is one session, or one message of it, that a search found.
type SearchHit struct {
	SessionID string `json:"sessionId"`
	Title     string `json:"title"`
	Workspace string `json:"workspace"`
	AtMs      int64  `json:"atMs"`
	Role      string `json:"role"` // user, assistant, tool; "title" when the title has it
	Before    string `json:"before"`
	Match     string `json:"match"`
	After     string `json:"after"`
}

// ProfileTest says whether a model profile works, and in words what is wrong with it.
type ProfileTest struct {
	OK      bool     `json:"ok"`
	Message string   `json:"message"`
	TookMs  int64    `json:"tookMs"`
	Models  []string `json:"models"` // what the endpoint lists, when it does
}

// Layout is how the window is divided. Widths are pixels, 0 the default.
type Layout struct {
	SessionsWidth  int  `json:"sessionsWidth"`
	BoardWidth     int  `json:"boardWidth"`
	SessionsHidden bool `json:"sessionsHidden"`
	BoardHidden    bool `json:"boardHidden"`
	BoardWide      bool `json:"boardWide"` // the board takes the middle
}

// ConfigFile names one of the two configuration files.
type ConfigFile string
