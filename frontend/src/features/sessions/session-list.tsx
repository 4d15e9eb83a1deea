import { Pencil, Trash2 } from "lucide-react";
import { useState } from "react";
import type { SessionInfo, SessionsSnapshot } from "../../contract/types";
import { ago, baseName } from "../../lib/format";
import { IconButton } from "../../ui/icon-button";
import { Modal } from "../../ui/modal";

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

/** What the left side can ask for. */
export interface SessionActions {
  onNew: () => void; onOpen: () => void; onSelect: (id: string) => void;
  onRename: (id: string, title: string) => Promise<boolean>; onDelete: (id: string) => Promise<boolean>;
}

/** The left side: where to go, and how to begin. */
export function SessionList({ snapshot, busy, ...actions }: SessionActions & { snapshot: SessionsSnapshot; busy: boolean }) {
  const [open, setOpen] = useState<{ kind: "rename" | "delete"; session: SessionInfo }>();
  const close = () => setOpen(undefined);
  return (
    <nav className="sessions" aria-label="Sessions">
      <button type="button" className="btn" disabled={busy} onClick={actions.onNew}>+ New session</button>
      <button type="button" className="btn ghost" disabled={busy} onClick={actions.onOpen}>Open workspace…</button>
      {byWorkspace(snapshot.sessions).map((group) => (
        <section key={group.workspace}>
          <h3 title={group.workspace}>{group.workspace ? baseName(group.workspace) : "No workspace"}</h3>
          <ul>{group.sessions.map((each) => (
            <Line key={each.id} session={each} current={each.id === snapshot.current} onSelect={() => actions.onSelect(each.id)}
              onRename={() => setOpen({ kind: "rename", session: each })} onDelete={() => setOpen({ kind: "delete", session: each })} />
          ))}</ul>
        </section>
      ))}
      {open?.kind === "rename" ? <Rename title={open.session.title} onClose={close} onSave={(title) => actions.onRename(open.session.id, title)} /> : null}
      {open?.kind === "delete" ? <Modal title={`Delete ${open.session.title || "New session"}?`} onClose={close}
        describe={`${open.session.running ? "Its turn is stopped. " : ""}The conversation leaves this machine; files it changed stay as they are. This cannot be undone.`}>
        <footer><button type="button" className="btn danger" onClick={() => { close(); void actions.onDelete(open.session.id); }}>Delete</button>
          <button type="button" className="btn" onClick={close}>Cancel</button></footer></Modal> : null}
    </nav>
  );
}

/** One session. Another process holds a read-only one, so it is neither renamed nor deleted here. */
function Line({ session, current, onSelect, onRename, onDelete }: {
  session: SessionInfo; current: boolean; onSelect: () => void; onRename: () => void; onDelete: () => void;
}) {
  const title = session.title || "New session";
  const when = session.running ? "running" : session.readOnly ? "read-only" : ago(session.updatedMs, Date.now());
  return (
    <li className="session-line">
      <button type="button" className="session" aria-current={current} title={session.readOnly ? `${title}: another process holds it, so it can only be read here` : title} onClick={onSelect}>
        <span className="title">{title}</span><span className={session.running ? "when running" : "when"}>{when}</span>
      </button>
      {session.readOnly ? null : <span className="session-tools">
        <IconButton label={`Rename ${title}`} title="Rename" icon={Pencil} onClick={onRename} />
        <IconButton label={`Delete ${title}`} title="Delete" icon={Trash2} onClick={onDelete} />
      </span>}
    </li>
  );
}

function Rename({ title, onSave, onClose }: { title: string; onSave: (title: string) => Promise<boolean>; onClose: () => void }) {
  const [text, setText] = useState(title);
  const problem = text.trim() === "" ? "Give the session a title" : "";
  return (
    <Modal title="Rename session" onClose={onClose}>
      <form className="stack" onSubmit={(e) => { e.preventDefault(); if (!problem) void onSave(text.trim()).then((saved) => { if (saved) onClose(); }); }}>
        <label>Title<input value={text} maxLength={200} onChange={(e) => setText(e.target.value)} onFocus={(e) => e.target.select()} /></label>
        <p className="line error" role="alert">{problem}</p>
        <footer><button type="submit" className="btn primary" disabled={problem !== ""}>Rename</button><button type="button" className="btn" onClick={onClose}>Cancel</button></footer>
      </form>
    </Modal>
  );
}
