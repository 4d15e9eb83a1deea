package app

// The values of the wire enums. A test compares them with those of the packages that own
// them, so that a new state cannot be forgotten here.

const (
	StateConnected ServerState = "connected"
	StateDisabled  ServerState = "disabled"
	StatePaused    ServerState = "paused"
	StateError     ServerState = "error"
	StateMissing   ServerState = "missing"
	StateBusy      ServerState = "busy"
)

const (
	LayerDefinition ServerLayer = "definition"
	LayerWorkspace  ServerLayer = "workspace"
	LayerSession    ServerLayer = "session"
	LayerRuntime    ServerLayer = "runtime"
)

const (
	ActionEnable  ServerAction = "enable"
	ActionTrust   ServerAction = "trust"
	ActionResume  ServerAction = "resume"
	ActionDefine  ServerAction = "define"
	ActionEdit    ServerAction = "edit"
	ActionRetry   ServerAction = "retry"
	ActionResolve ServerAction = "resolve"
	ActionSignIn  ServerAction = "sign_in"
	ActionWait    ServerAction = "wait"
)

const (
	DecisionAllowOnce      ApprovalDecision = "allow_once"
	DecisionAllowSession   ApprovalDecision = "allow_session"
	DecisionAllowWorkspace ApprovalDecision = "allow_workspace"
	DecisionReject         ApprovalDecision = "reject"
	DecisionWithdrawn      ApprovalDecision = "withdrawn"
)

const (
	ModeAuto   ApprovalMode = "auto"
	ModeSafe   ApprovalMode = "safe"
	ModeManual ApprovalMode = "manual"
)

const (
	KindText       ChatKind = "text"
	KindReasoning  ChatKind = "reasoning"
	KindToolCall   ChatKind = "tool_call"
	KindToolResult ChatKind = "tool_result"
	KindApproval   ChatKind = "approval"
	KindUsage      ChatKind = "usage"
	KindError      ChatKind = "error"
	KindDone       ChatKind = "done"
	KindUser       ChatKind = "user"
	KindAsking     ChatKind = "asking"
	KindProgress   ChatKind = "progress"
	KindNotice     ChatKind = "notice"
	KindStep       ChatKind = "step"
	KindRewind     ChatKind = "rewind"
)

const (
	FileStore     ConfigFile = "store"
	FileWorkspace ConfigFile = "workspace"
)

// EnumValue is one value of a wire enum and its name in TypeScript, as Wails binds it.
type EnumValue[T ~string] struct {
	Value  T
	TSName string
}

// AllServerStates lists every ServerState.
var AllServerStates = []EnumValue[ServerState]{
	{StateConnected, "Connected"}, {StateDisabled, "Disabled"}, {StatePaused, "Paused"},
	{StateError, "Error"}, {StateMissing, "Missing"}, {StateBusy, "Busy"},
}

// AllServerLayers lists every ServerLayer.
var AllServerLayers = []EnumValue[ServerLayer]{
	{LayerDefinition, "Definition"}, {LayerWorkspace, "Workspace"},
	{LayerSession, "Session"}, {LayerRuntime, "Runtime"},
}

// AllServerActions lists every ServerAction.
var AllServerActions = []EnumValue[ServerAction]{
	{ActionEnable, "Enable"}, {ActionTrust, "Trust"}, {ActionResume, "Resume"},
	{ActionDefine, "Define"}, {ActionEdit, "Edit"}, {ActionRetry, "Retry"},
	{ActionResolve, "Resolve"}, {ActionSignIn, "SignIn"}, {ActionWait, "Wait"},
}

// AllApprovalDecisions lists every ApprovalDecision.
var AllApprovalDecisions = []EnumValue[ApprovalDecision]{
	{DecisionAllowOnce, "AllowOnce"}, {DecisionAllowSession, "AllowSession"},
	{DecisionAllowWorkspace, "AllowWorkspace"}, {DecisionReject, "Reject"},
	{DecisionWithdrawn, "Withdrawn"},
}

// AllApprovalModes lists every ApprovalMode.
var AllApprovalModes = []EnumValue[ApprovalMode]{
	{ModeAuto, "Auto"}, {ModeSafe, "Safe"}, {ModeManual, "Manual"},
}

// AllChatKinds lists every ChatKind.
var AllChatKinds = []EnumValue[ChatKind]{
	{KindText, "Text"}, {KindReasoning, "Reasoning"}, {KindToolCall, "ToolCall"},
	{KindToolResult, "ToolResult"}, {KindApproval, "Approval"}, {KindUsage, "Usage"},
	{KindError, "Error"}, {KindDone, "Done"}, {KindUser, "User"}, {KindAsking, "Asking"},
	{KindProgress, "Progress"}, {KindNotice, "Notice"}, {KindStep, "Step"},
	{KindRewind, "Rewind"},
}

// AllConfigFiles lists every ConfigFile.
var AllConfigFiles = []EnumValue[ConfigFile]{{FileStore, "Store"}, {FileWorkspace, "Workspace"}}
