package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/rivo/uniseg"

	"patchbay/backend/mcpconn"
	"patchbay/backend/mcphost"
)

// errorColumns is how much of an error a line of the view holds, in display columns.
const errorColumns = 120

// view is what `mcp list` prints.
type view struct {
	store           string
	workspaceConfig string
	warnings        []string
	rows            []mcphost.Row
}

// lines writes the view in the lines of the contract.
func (v view) lines(w io.Writer) {
	if len(v.rows) == 0 {
		fmt.Fprintln(w, "mcp: (none)")
		return
	}
	fmt.Fprintln(w, "mcp:")
	for _, r := range v.rows {
		fmt.Fprintln(w, rowLine(r))
	}
	fmt.Fprintf(w, "- store=%s\n- workspaceConfig=%s\n", v.store, v.workspaceConfig)
}

func rowLine(r mcphost.Row) string {
	line := fmt.Sprintf("- %s | type=%s | state=%s | workspace=%s | paused=%s | tools=%d",
		r.Name, orUnknown(r.Type), r.State, workspaceWord(r), yesNo(r.Paused), r.ToolCount)
	if r.Error != "" {
		line += " | error=" + clip(r.Error, errorColumns)
	}
	return line
}

func orUnknown(s string) string {
	if s == "" {
		return "(unknown)"
	}
	return s
}

func workspaceWord(r mcphost.Row) string {
	if r.Enabled {
		return "enabled"
	}
	return "disabled"
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// clip puts text on one line of at most columns display columns; what is cut ends in "...".
func clip(text string, columns int) string {
	text = strings.Join(strings.Fields(text), " ")
	if uniseg.StringWidth(text) <= columns {
		return text
	}
	var kept strings.Builder
	width := 0
	for g := uniseg.NewGraphemes(text); g.Next(); {
		if width += uniseg.StringWidth(g.Str()); width > columns-3 {
			break
		}
		kept.WriteString(g.Str())
	}
	return kept.String() + "..."
}

// jsonView is `mcp list --json`; the names are the contract's.
type jsonView struct {
	Store           string    `json:"store"`
	WorkspaceConfig string    `json:"workspaceConfig"`
	Warnings        []string  `json:"warnings"`
	Servers         []jsonRow `json:"servers"`
}

type jsonRow struct {
	Name      string             `json:"name"`
	Type      string             `json:"type"`
	State     mcphost.State      `json:"state"`
	Workspace string             `json:"workspace"`
	Paused    bool               `json:"paused"`
	Tools     []string           `json:"tools"`
	SinceMs   int64              `json:"sinceMs"`
	Reason    string             `json:"reason,omitempty"`
	Error     string             `json:"error,omitempty"`
	Layer     mcphost.Layer      `json:"layer,omitempty"`
	Cause     mcpconn.Cause      `json:"cause,omitempty"`
	Action    mcphost.Action     `json:"action,omitempty"`
	Conflicts []mcphost.Conflict `json:"conflicts,omitempty"`
	Evidence  *mcpconn.Evidence  `json:"evidence,omitempty"`
	Protocol  string             `json:"protocol,omitempty"`
	ConnectMs int64              `json:"connectMs,omitempty"`
	PID       int                `json:"pid,omitempty"`
}

func (v view) json(w io.Writer) error {
	out := jsonView{
		Store: v.store, WorkspaceConfig: v.workspaceConfig,
		Warnings: append([]string{}, v.warnings...), Servers: []jsonRow{},
	}
	for _, r := range v.rows {
		out.Servers = append(out.Servers, toJSON(r))
	}
	return writeJSON(w, out)
}

func toJSON(r mcphost.Row) jsonRow {
	row := jsonRow{
		Name: r.Name, Type: r.Type, State: r.State, Workspace: workspaceWord(r), Paused: r.Paused,
		Tools: append([]string{}, r.Tools...), SinceMs: r.Since.UnixMilli(),
		Reason: r.Reason, Error: r.Error, Layer: r.Layer, Cause: r.Cause, Action: r.Action,
		Conflicts: r.Conflicts, Protocol: r.Protocol, PID: r.PID,
	}
	if r.Connect > 0 {
		row.ConnectMs = max(1, r.Connect.Milliseconds())
	}
	if r.Evidence != nil {
		row.Evidence = r.Evidence
	}
	return row
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// troubled reports whether a row makes the command exit 1.
func (v view) troubled() bool {
	for _, r := range v.rows {
		if r.State == mcphost.Error || r.State == mcphost.Missing {
			return true
		}
	}
	return false
}
