import type { MCPSnapshot } from "../../contract/types";
import type { Latest } from "../../lib/store";
import { clock, duration } from "../../lib/format";
import { useStore } from "../../lib/use-store";
import { Lamp } from "../../ui/lamp";
import { counts, LAMP, surface } from "./words";

/** The bottom line: how many are in which state, the tools, the last rebuild. */
export function StatusLine({ store }: { store: Latest<MCPSnapshot> }) {
  const snapshot = useStore(store);
  const last = snapshot.rebuild;
  return (
    <footer className="status" aria-label="Status">
      <span>{counts(snapshot).map((each) => (
        <span key={each.state}><span className={`st ${each.state}`}><Lamp shape={LAMP[each.state]} /></span>{each.count} {each.state} · </span>
      ))}{surface(snapshot)}</span>
      <span className="grow" />
      {last ? <span title={[...last.added.map((t) => `+ ${t}`), ...last.removed.map((t) => `− ${t}`), ...last.changed.map((t) => `~ ${t}`)].join("\n")}>
        Rebuilt {clock(last.atMs)}{last.tookMs ? ` in ${duration(last.tookMs)}` : ""} · +{last.added.length} −{last.removed.length} tools{last.changed.length ? `, ${last.changed.length} changed` : ""}</span> : null}
    </footer>
  );
}
