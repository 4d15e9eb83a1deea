import { useState } from "react";
import type { ServerRow } from "../../contract/types";
import { Banner } from "./board-banner";

/** Asks once for the names a repository brought in itself. */
export function TrustBanner({ rows, busy, onTrust }: { rows: readonly ServerRow[]; busy: boolean; onTrust: (names: string[]) => void }) {
  const names = rows.filter((row) => row.cause === "untrusted").map((row) => row.name);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  if (names.length === 0) return null;
  const chosen = names.filter((name) => !left.has(name));
  return (
    <Banner kind="ask" role="group" label="Trust servers"
      actions={<button type="button" className="btn" disabled={busy || chosen.length === 0} onClick={() => onTrust(chosen)}>Trust selected</button>}>
      <b>This repository wants to start servers.</b> They run on this machine only if you trust them here.
      <span className="names">{names.map((name) => (
        <label key={name} className="check"><input type="checkbox" checked={!left.has(name)} onChange={(e) => {
          const next = new Set(left);
          if (e.target.checked) next.delete(name); else next.add(name);
          setLeft(next);
        }} /> {name}</label>
      ))}</span>
    </Banner>
  );
}
