import { ChevronDown, PanelLeft, PanelRight, Settings } from "lucide-react";
import type { ComponentProps } from "react";
import { MODES } from "../../contract/modes";
import type { ApprovalMode, SessionsSnapshot, SettingsSnapshot } from "../../contract/types";
import { baseName } from "../../lib/format";
import { IconButton } from "../../ui/icon-button";
import { Menu, type MenuItem } from "../../ui/menu";

/** What the top bar can ask for. */
export interface TopActions {
  onWorkspace: (workspace: string) => void; onPick: () => void; onMode: (mode: ApprovalMode) => void; onSettings: () => void;
  onSessions: () => void; onBoard: () => void; onAnswer: () => void;
}

/** So many workspaces are offered. */
const RECENT = 9;

/** The workspaces of the sessions, the one used last first. */
export function recentWorkspaces(snapshot: SessionsSnapshot): string[] {
  return [...new Set(snapshot.sessions.map((each) => each.workspace).filter(Boolean))].slice(0, RECENT);
}

/** The top of the window: where the agent works, with which model, and when it asks. */
export function TopBar({ sessions, settings, workspace, sessionsShown, boardShown, asking, ...actions }: TopActions & {
  sessions: SessionsSnapshot; settings: SettingsSnapshot; workspace: string; sessionsShown: boolean; boardShown: boolean; asking: boolean;
}) {
  const recent: MenuItem[] = recentWorkspaces(sessions).map((each) => ({
    id: each, label: baseName(each), detail: each, checked: each === workspace, onSelect: () => actions.onWorkspace(each),
  }));
  const others: MenuItem[] = [
    { id: "open", label: "Open folder…", onSelect: actions.onPick },
    { id: "none", label: "No workspace", detail: "A plain chat: no file tools, servers only as you light them", checked: workspace === "", onSelect: () => actions.onWorkspace("") },
  ];
  const model = settings.model.practice ? "Practice model" : settings.model.name || "none";
  return (
    <header className="top">
      <IconButton label={sessionsShown ? "Hide sessions" : "Show sessions"} title={`${sessionsShown ? "Hide" : "Show"} sessions (Ctrl+B)`} icon={PanelLeft} onClick={actions.onSessions} />
      <h1 className="brand"><Mark />Patchbay</h1>
      <Menu label="Workspace" trigger={<Pill what="Workspace" title={workspace || "No workspace"}>{workspace ? baseName(workspace) : "none"}</Pill>} groups={[recent, others]} />
      <button type="button" className="pill" title={settings.model.baseUrl || model} onClick={actions.onSettings}><span className="muted">Model</span> {model}</button>
      <Menu label="Approvals" trigger={<Pill what="Approvals" title="When to ask before a tool runs"><span className="first">{settings.mode}</span></Pill>}
        groups={[MODES.map((each) => ({ id: each.mode, label: each.label, detail: each.help, checked: each.mode === settings.mode, onSelect: () => actions.onMode(each.mode) }))]} />
      <span className="grow" />
      {asking ? <button type="button" className="btn primary" onClick={actions.onAnswer}>A tool waits for your answer</button> : null}
      <IconButton label="Settings" title="Settings (Ctrl+,)" icon={Settings} onClick={actions.onSettings} />
      <IconButton label={boardShown ? "Hide servers" : "Show servers"} title={`${boardShown ? "Hide" : "Show"} servers (Ctrl+J)`} icon={PanelRight} onClick={actions.onBoard} />
    </header>
  );
}

/** A button of the top bar that opens a menu; Radix gives it the rest. */
function Pill({ what, children, ...rest }: ComponentProps<"button"> & { what: string }) {
  return (
    <button type="button" className="pill" {...rest}>
      <span className="muted">{what}</span> {children} <ChevronDown aria-hidden="true" size={13} className="muted" />
    </button>
  );
}

/** The program's mark: a cord between two jacks. */
function Mark() {
  return (
    <svg aria-hidden="true" className="mark" width="20" height="20" viewBox="0 0 20 20" fill="none" stroke="currentColor" strokeWidth="1.8">
      <circle cx="5" cy="5" r="2.4" /><circle cx="15" cy="15" r="2.4" /><path d="M5 7.4v3.1a4.5 4.5 0 0 0 4.5 4.5h3.1" strokeLinecap="round" />
    </svg>
  );
}
