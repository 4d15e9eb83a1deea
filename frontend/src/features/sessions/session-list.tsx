import { Plus, Search } from "lucide-react";
import { Suspense, useState } from "react";
import type { SearchHit, SessionsSnapshot } from "../../contract/types";
import { lazily } from "../../ui/lazily";
import { Hits, useSearch } from "./search";
import type { OpenDialog } from "./session-dialogs";
import { SessionGroups } from "./session-groups";
import { SessionLine } from "./session-line";

const SessionDialogs = lazily(() => import("./session-dialogs"), "SessionDialogs");

/** What the left side can ask for. */
export interface SessionActions {
  onNew: () => void; onSelect: (id: string) => void;
  onRename: (id: string, title: string) => Promise<boolean>; onDelete: (id: string) => Promise<boolean>;
  onSearch: (query: string) => Promise<SearchHit[]>;
}

/** The left side: where to go, what was said before, and how to begin. */
export function SessionList({ snapshot, asking, busy, ...actions }: SessionActions & {
  snapshot: SessionsSnapshot; asking: ReadonlySet<string>; busy: boolean;
}) {
  const [open, setOpen] = useState<OpenDialog>();
  const search = useSearch(actions.onSearch);
  const close = () => setOpen(undefined);
  return (
    <nav className="sessions" aria-label="Sessions">
      <button type="button" className="btn new-session" data-keys="Ctrl N" aria-keyshortcuts="Control+N" disabled={busy} onClick={actions.onNew}><Plus aria-hidden="true" size={14} />New session</button>
      <div className="session-search">
        <Search aria-hidden="true" size={13} />
        <input type="search" aria-label="Search sessions" placeholder="Search…" value={search.query} onChange={(e) => search.ask(e.target.value)}
          onKeyDown={(e) => { if (e.key === "Escape") search.ask(""); }} />
      </div>
      {search.query.trim() !== "" ? <Hits search={search} current={snapshot.current} onSelect={actions.onSelect} /> : (
        <SessionGroups sessions={snapshot.sessions}>{(each) => (
          <SessionLine key={each.id} session={each} asks={asking.has(each.id)} current={each.id === snapshot.current} onSelect={() => actions.onSelect(each.id)}
            onRename={() => setOpen({ kind: "rename", session: each })} onDelete={() => setOpen({ kind: "delete", session: each })} />
        )}</SessionGroups>
      )}
      {open ? <Suspense><SessionDialogs open={open} onClose={close} onRename={(title) => actions.onRename(open.session.id, title)}
        onDelete={() => void actions.onDelete(open.session.id)} /></Suspense> : null}
    </nav>
  );
}
