package app

import (
	"context"
	"net/http"

	"patchbay/backend/settings"
)

// Source is the reading half of a watch.Value: the latest T and its revision, and a wait
// for a newer one that ends with the cause of ctx.
type Source[T any] interface {
	Get() (T, uint64)
	Wait(ctx context.Context, rev uint64) (T, uint64, error)
}

// Backend is what the window needs of the sessions of this process. Commands return when
// accepted; what they lead to arrives as snapshots. Rev of the snapshots is set by the
// window from the source's own revision.
type Backend interface {
	ServerCommands
	ProcessCommands
	ChatCommands
	SessionCommands
	SettingsCommands
	LibraryCommands
	AskCommands
	SignInCommands
	TrafficCommands

	Servers() Source[MCPSnapshot] // of the shown session; follows a switch of sessions
	SessionList() Source[SessionsSnapshot]
	Questions() Source[ApprovalsSnapshot]
	SettingsValue() Source[SettingsSnapshot]
	// FollowChat calls deliver with the events of every open session, those of one session
	// in order and never two at a time, until ctx ends.
	FollowChat(ctx context.Context, deliver func(ChatEvent)) error
	// Media serves images and audio of tool results below /media/; nil serves none.
	Media() http.Handler

	Place() settings.Window          // of the window when it was closed last
	KeepPlace(settings.Window) error // for the next start

	Start()       // servers may start; further calls do nothing
	Close() error // everything the process started is gone afterwards; bounded
}

// ServerCommands act on the shown session's servers. A Done names the change of the files
// for UndoChange.
type ServerCommands interface {
	EnableServer(ctx context.Context, name string) (Done, error)
	DisableServer(ctx context.Context, name string) (Done, error)
	PauseServer(ctx context.Context, name string) error
	ResumeServer(ctx context.Context, name string) error
	TrustServers(ctx context.Context, names []string) error
	RetryServer(ctx context.Context, name string) error
	RetryFailed(ctx context.Context) error
	RebuildAll(ctx context.Context) error
	GetServer(ctx context.Context, name string) (ServerForm, error)
	AddServer(ctx context.Context, form ServerForm) (Done, error)
	EditServer(ctx context.Context, name string, form ServerForm) (Done, error)
	RemoveServer(ctx context.Context, name string) (Done, error)
	RestoreFields(ctx context.Context) (Done, error)
	ResolveClash(ctx context.Context, name string, rules ToolRules) (Done, error) // beside the rules there are
	SetToolRules(ctx context.Context, name string, rules ToolRules) (Done, error) // instead of them
	UndoChange(ctx context.Context, id string) (what string, err error)
	Changes(ctx context.Context) ([]Change, error) // newest first
	ParsePaste(ctx context.Context, text string) (Paste, error)

	Trials() Source[Trial]
	StartTrial(ctx context.Context, form ServerForm, edits string) (id string, err error) // ends the one that runs
	StopTrial(ctx context.Context) error

	ServerDetail(ctx context.Context, name string) (ServerDetail, error)
	ServerLog(ctx context.Context, name string, after uint64) (LogPage, error)
	Diagnosis(ctx context.Context, name string) (string, error)
	Clashes(ctx context.Context, name string) (Clashes, error)
	// CallTool runs until the tool answers or ctx ends; CancelTool ends it by the id the
	// caller chose.
	CallTool(ctx context.Context, callID, server, original, arguments string) (ToolOutcome, error)
	CancelTool(ctx context.Context, callID string) error
}

// ChatCommands act on a conversation.
type ChatCommands interface {
	Transcript(ctx context.Context, sessionID string) (Transcript, error)
	// SendMessage starts a turn. What the message mentions is read first; when that fails
	// nothing is sent.
	SendMessage(ctx context.Context, sessionID, text string, mentions []Mention) error
	// ResendMessage puts text in the place of the user's message with that sequence number
	// and begins a turn from there; what came after it is no longer part of the conversation.
	ResendMessage(ctx context.Context, sessionID string, seq uint64, text string) error
	// RetryCall tries the server of a failed call once more and, when it is connected,
	// offers the same call again: at once when it is annotated read-only or idempotent, else
	// after asking.
	RetryCall(ctx context.Context, sessionID, callID string) error
	// LightService says whether the next message opens a server.
	LightService(ctx context.Context, sessionID, name string, lit bool) error
	StopTurn(ctx context.Context, sessionID string) error
	AnswerQuestion(ctx context.Context, id string, decision ApprovalDecision) error
}

// SessionCommands act on the list of sessions.
type SessionCommands interface {
	NewSession(ctx context.Context, workspace string) (id string, err error) // and shows it
	OpenSession(ctx context.Context, id string) error                        // and shows it
	ShowWorkspace(ctx context.Context, workspace string) error               // its newest session, or a new one
	RenameSession(ctx context.Context, id, title string) error
	DeleteSession(ctx context.Context, id string) error
	SearchSessions(ctx context.Context, query string) ([]SearchHit, error) // best first
}

// SettingsCommands change the settings file.
type SettingsCommands interface {
	SetTheme(ctx context.Context, theme string) error
	SetMode(ctx context.Context, mode ApprovalMode) error
	SetLayout(ctx context.Context, layout Layout) error
	SaveProfile(ctx context.Context, profile ModelProfile, key string, allowFile bool) error
	DeleteProfile(ctx context.Context) error
	TestProfile(ctx context.Context, profile ModelProfile, key string) (ProfileTest, error) // "" uses the stored key
}
