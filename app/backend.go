package app

import (
	"context"
	"net/http"
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
	ChatCommands
	SessionCommands
	SettingsCommands

	Servers() Source[MCPSnapshot] // of the shown session; follows a switch of sessions
	SessionList() Source[SessionsSnapshot]
	Questions() Source[ApprovalsSnapshot]
	SettingsValue() Source[SettingsSnapshot]
	// FollowChat calls deliver with the events of every open session, those of one session
	// in order and never two at a time, until ctx ends.
	FollowChat(ctx context.Context, deliver func(ChatEvent)) error
	// Media serves images and audio of tool results below /media/; nil serves none.
	Media() http.Handler

	Start()       // servers may start; further calls do nothing
	Close() error // everything the process started is gone afterwards; bounded
}

// ServerCommands act on the shown session's servers.
type ServerCommands interface {
	EnableServer(ctx context.Context, name string) error
	DisableServer(ctx context.Context, name string) error
	PauseServer(ctx context.Context, name string) error
	ResumeServer(ctx context.Context, name string) error
	TrustServers(ctx context.Context, names []string) error
	RetryServer(ctx context.Context, name string) error
	RetryFailed(ctx context.Context) error
	RebuildAll(ctx context.Context) error
	AddServer(ctx context.Context, form ServerForm) error
	EditServer(ctx context.Context, name string, form ServerForm) error
	RemoveServer(ctx context.Context, name string) error
	UndoRemove(ctx context.Context) error
	GetServer(ctx context.Context, name string) (ServerForm, error)
	RestoreFields(ctx context.Context) error
	ResolveClash(ctx context.Context, name string, rules ToolRules) error
	ServerTools(ctx context.Context, name string) ([]ServerTool, error)
	ServerLog(ctx context.Context, name string) ([]string, error)
}

// ChatCommands act on a conversation.
type ChatCommands interface {
	Transcript(ctx context.Context, sessionID string) (Transcript, error)
	SendMessage(ctx context.Context, sessionID, text string) error
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
}

// SettingsCommands change the settings file.
type SettingsCommands interface {
	SetTheme(ctx context.Context, theme string) error
	SetMode(ctx context.Context, mode ApprovalMode) error
	SaveProfile(ctx context.Context, profile ModelProfile, key string, allowFile bool) error
	DeleteProfile(ctx context.Context) error
}
