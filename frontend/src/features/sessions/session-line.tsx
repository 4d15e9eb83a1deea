import { Pencil, Trash2 } from "lucide-react";
import type { SessionInfo } from "../../contract/types";
import { ago } from "../../lib/format";
import { IconButton } from "../../ui/icon-button";

/** One session. Another process holds a read-only one, so it is neither renamed nor deleted here. */
export function SessionLine({ session, asks, current, onSelect, onRename, onDelete }: {
  session: SessionInfo; asks: boolean; current: boolean; onSelect: () => void; onRename: () => void; onDelete: () => void;
}) {
  const title = session.title || "New session";
  const when = asks ? "asks" : session.running ? "running" : session.readOnly ? "read-only" : ago(session.updatedMs, Date.now());
  return (
    <li className="session-line">
      <button type="button" className="session" aria-current={current} title={session.readOnly ? `${title}: another process holds it, so it can only be read here` : title} onClick={onSelect}>
        <span className="title">{title}</span><span className={asks ? "when asks" : session.running ? "when running" : "when"}>{when}</span>
      </button>
      {session.readOnly ? null : <span className="session-tools">
        <IconButton label={`Rename ${title}`} title="Rename" icon={Pencil} onClick={onRename} />
        <IconButton label={`Delete ${title}`} title="Delete" icon={Trash2} onClick={onDelete} />
      </span>}
    </li>
  );
}
