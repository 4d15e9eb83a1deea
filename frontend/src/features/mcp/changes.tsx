import { useCallback, useState } from "react";
import type { Change } from "../../contract/types";
import { clock } from "../../lib/format";
import type { Runner } from "../../lib/run";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { Popover } from "../../ui/popover";
import { undo } from "./board-actions";

const FILE: Record<Change["file"], string> = { store: "mcp.json", workspace: "workspace.json" };

/** What Patchbay changed in the two files, each to be taken back where that is possible. */
export function Changes({ host, runner }: { host: Host; runner: Runner }) {
  const [open, setOpen] = useState(false);
  const [list, setList] = useState<readonly Change[]>();
  const busy = useStore(runner.busy);
  const read = useCallback(() => runner.run("changes", async () => setList(await host.changes())), [host, runner]);
  const takeBack = async (id: string) => {
    await undo(host, runner, id);
    await read(); // a refused one says why from now on
  };
  return (
    <Popover label="Changes" align="end" open={open} onOpenChange={(to) => { setOpen(to); if (to) void read(); }}
      trigger={<button type="button" className="link">Changes</button>}>
      <h3>Changes of the two files</h3>
      {list === undefined ? null : list.length === 0 ? <p className="muted">Patchbay has changed nothing yet</p> : (
        <ul className="changes">{list.map((each) => (
          <li key={each.id}>
            <span className="change-what">{each.what}<span className="muted change-where">{FILE[each.file]} · {when(each.atMs)}{each.blocked ? ` · ${each.blocked}` : ""}</span></span>
            {each.blocked ? null : <button type="button" className="btn" aria-label={`Undo: ${each.what}, ${clock(each.atMs)}`} disabled={busy.has(`undo ${each.id}`)} onClick={() => void takeBack(each.id)}>Undo</button>}
          </li>
        ))}</ul>
      )}
    </Popover>
  );
}

/** The clock time, with the day unless that is today. */
function when(ms: number): string {
  const day = new Date(ms);
  const today = day.toDateString() === new Date().toDateString();
  return today ? clock(ms) : `${day.toLocaleDateString("en", { day: "numeric", month: "short" })}, ${clock(ms)}`;
}
