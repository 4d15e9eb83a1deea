import type { MCPSnapshot, Surface } from "../../contract/types";
import type { Latest } from "../../lib/store";
import { clock, duration } from "../../lib/format";
import { useStore } from "../../lib/use-store";
import { Lamp } from "../../ui/lamp";
import { counts, LAMP, surface } from "./words";

/** The bottom line: how many are in which state, the tools, the last rebuild; with onRetry a way
 *  to try the failed ones again. */
export function StatusLine({ store, onRetry }: { store: Latest<MCPSnapshot>; onRetry?: () => void }) {
  const snapshot = useStore(store);
  return (
    <footer className="status" aria-label="Status">
      <span className="status-counts">{counts(snapshot).map((each) => (
        <span key={each.state} title={snapshot.rows.filter((row) => row.state === each.state).map((row) => row.name).join("\n")}><span className={`st ${each.state}`}><Lamp shape={LAMP[each.state]} /></span>{each.count} {each.state}<span className="point"> · </span></span>
      ))}<span>{surface(snapshot)}</span></span>
      {onRetry && snapshot.rows.some((row) => row.state === "error") ? <button type="button" className="link" aria-label="Retry failed servers" onClick={onRetry}>Retry failed</button> : null}
      <span className="grow" />
      {snapshot.rebuild ? <Rebuilt last={snapshot.rebuild} /> : null}
    </footer>
  );
}

/** The last rebuild and what it changed; the names of the tools are on its title. */
function Rebuilt({ last }: { last: Surface }) {
  const names = [...last.added.map((each) => `+ ${each}`), ...last.removed.map((each) => `− ${each}`), ...last.changed.map((each) => `~ ${each}`)];
  const shown = names.length > 40 ? [...names.slice(0, 40), `and ${names.length - 40} more`] : names;
  return (
    <span title={shown.join("\n") || "The tools are what they were"}>
      Rebuilt {clock(last.atMs)}{last.tookMs ? ` in ${duration(last.tookMs)}` : ""} · +{last.added.length} −{last.removed.length} tools{last.changed.length ? `, ${last.changed.length} changed` : ""}</span>
  );
}
