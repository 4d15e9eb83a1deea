import { useState } from "react";
import type { OutsideEdit } from "../../contract/types";

/** Another program changed one of the two files: what it changed, and a way to bring back the
 *  fields that only Patchbay knows. */
export function OutsideBanner({ edits, busy, onRestore }: { edits: OutsideEdit[]; busy: boolean; onRestore: () => void }) {
  const [seen, setSeen] = useState<Record<string, number>>({});
  const news = edits.filter((edit) => (seen[edit.path] ?? 0) < edit.atMs);
  return (
    <>
      {news.map((edit) => (
        <div key={edit.path} className="banner outside" role="status">
          <div className="outside-text">
            <span><b>{edit.path}</b> was changed by another program{edit.lostFields.length > 0 ? ` and lost ${edit.lostFields.join(", ")}` : ""}. The change is in force.</span>
            <details><summary>Show the change</summary><pre className="mono">{edit.diff}</pre></details>
          </div>
          {edit.lostFields.length > 0 ? <button type="button" className="btn" disabled={busy} onClick={onRestore}>Restore</button> : null}
          <button type="button" className="btn ghost" onClick={() => setSeen({ ...seen, [edit.path]: edit.atMs })}>Dismiss</button>
        </div>
      ))}
    </>
  );
}
