import { defaultRangeExtractor, observeElementRect, useVirtualizer, type Range } from "@tanstack/react-virtual";
import { useMemo, useRef, type ReactNode } from "react";
import type { SessionInfo } from "../../contract/types";
import { baseName } from "../../lib/format";

/** So few lines are all in the page. */
const ALL = 80;
const HEAD_PX = 30;
const LINE_PX = 30;
/** The height of a list that has none: it is not shown, or nothing lays it out. */
const HEIGHT = 800;

/** The sessions of one workspace. */
export interface Group { workspace: string; sessions: readonly SessionInfo[] }

type Line = { group: Group; session?: SessionInfo };

/** Sessions by workspace, the newest workspace first; plain chats last. */
export function byWorkspace(sessions: readonly SessionInfo[]): Group[] {
  const groups = new Map<string, SessionInfo[]>();
  for (const each of sessions) {
    const group = groups.get(each.workspace);
    if (group) group.push(each);
    else groups.set(each.workspace, [each]);
  }
  return [...groups].map(([workspace, list]) => ({ workspace, sessions: list }))
    .sort((a, b) => Number(a.workspace === "") - Number(b.workspace === ""));
}

/** The sessions under the names of their workspaces; of thousands those near what is in sight. */
export function SessionGroups({ sessions, children }: { sessions: readonly SessionInfo[]; children: (session: SessionInfo) => ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const lines = useMemo<Line[]>(() => byWorkspace(sessions).flatMap((group) => [{ group }, ...group.sessions.map((session) => ({ group, session }))]), [sessions]);
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: lines.length, overscan: 12, getScrollElement: () => box.current,
    getItemKey: (at) => lines[at]?.session?.id ?? `workspace ${lines[at]?.group.workspace ?? at}`,
    estimateSize: (at) => (lines[at]?.session ? LINE_PX : HEAD_PX),
    rangeExtractor: (range: Range) => (range.count <= ALL ? Array.from({ length: range.count }, (_, at) => at) : defaultRangeExtractor(range)),
    observeElementRect: (instance, tell) => observeElementRect(instance, (rect) => tell({ width: rect.width, height: rect.height || HEIGHT })),
    initialRect: { width: 0, height: HEIGHT },
  });
  const shown = virtual.getVirtualItems();
  const [first, last] = [shown[0], shown[shown.length - 1]];
  const groups: { group: Group; head: boolean; sessions: SessionInfo[] }[] = [];
  for (const { index } of shown) {
    const line = lines[index];
    if (!line) continue;
    let to = groups[groups.length - 1];
    if (to?.group !== line.group) groups.push(to = { group: line.group, head: false, sessions: [] });
    if (line.session) to.sessions.push(line.session);
    else to.head = true;
  }
  return (
    <div className="session-groups" ref={box}>
      <div style={{ paddingTop: first?.start ?? 0, paddingBottom: last ? Math.max(0, virtual.getTotalSize() - last.end) : 0 }}>
        {groups.map(({ group, head, sessions: near }) => {
          const name = group.workspace ? baseName(group.workspace) : "No workspace";
          return (
            <section key={group.workspace}>
              {head ? <h2 title={group.workspace}>{name}</h2> : null}
              {near.length > 0 ? <ul aria-label={`Sessions of ${name}`}>{near.map(children)}</ul> : null}
            </section>
          );
        })}
      </div>
    </div>
  );
}
