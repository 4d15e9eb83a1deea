import { useState } from "react";
import type { OutsideEdit } from "../../contract/types";
import { Banner } from "./board-banner";

/** Another program changed one of the two files: what it changed, and a way to bring back the
 *  fields that only Patchbay knows. */
export function OutsideBanner({ edits, busy, onRestore }: { edits: readonly OutsideEdit[]; busy: boolean; onRestore: () => void }) {
  const [seen, setSeen] = useState<Record<string, number>>({});
  const news = edits.filter((edit) => (seen[edit.path] ?? 0) < edit.atMs);
  return news.map((edit) => (
    <Banner key={edit.path} kind="news" role="status" actions={<>
      {edit.lostFields.length > 0 ? <button type="button" className="btn" disabled={busy} onClick={onRestore}>Restore</button> : null}
      <button type="button" className="btn ghost" onClick={() => setSeen({ ...seen, [edit.path]: edit.atMs })}>Dismiss</button>
    </>}>
      <b>{edit.path}</b> was changed by another program{edit.lostFields.length > 0 ? ` and lost ${edit.lostFields.join(", ")}` : ""}. The change is in force.
      <details><summary>Show the change</summary><pre className="mono">{edit.diff}</pre></details>
    </Banner>
  ));
}
