import type { SessionInfo, SessionsSnapshot } from "../../contract/types";
import { ago, baseName } from "../../lib/format";

/** Sessions by workspace, the newest workspace first; plain chats last. */
export function byWorkspace(sessions: readonly SessionInfo[]): { workspace: string; sessions: SessionInfo[] }[] {
  const groups = new Map<string, SessionInfo[]>();
  for (const each of sessions) {
    const group = groups.get(each.workspace);
    if (group) group.push(each);
    else groups.set(each.workspace, [each]);
  }
  return [...groups].map(([workspace, list]) => ({ workspace, sessions: list }))
    .sort((a, b) => Number(a.workspace === "") - Number(b.workspace === ""));
}

/** The left side: where to go, and how to begin. */
export function SessionList({ snapshot, busy, onNew, onOpen, onSelect }: {
  snapshot: SessionsSnapshot; busy: boolean; onNew: () => void; onOpen: () => void; onSelect: (id: string) => void;
}) {
  return (
    <nav className="sessions" aria-label="Sessions">
      <button type="button" className="btn" disabled={busy} onClick={onNew}>+ New session</button>
      <button type="button" className="btn ghost" disabled={busy} onClick={onOpen}>Open workspace…</button>
      {byWorkspace(snapshot.sessions).map((group) => (
        <section key={group.workspace}>
          <h3 title={group.workspace}>{group.workspace ? baseName(group.workspace) : "No workspace"}</h3>
          <ul>{group.sessions.map((each) => (
            <li key={each.id}>
              <button type="button" className="session" aria-current={each.id === snapshot.current} title={each.title}
                onClick={() => onSelect(each.id)}>
                <span className="title">{each.title || "New session"}</span>
                <span className="muted">{each.running ? "running" : each.readOnly ? "read-only" : ago(each.updatedMs, Date.now())}</span>
              </button>
            </li>
          ))}</ul>
        </section>
      ))}
    </nav>
  );
}
