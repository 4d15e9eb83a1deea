import { useState } from "react";
import type { ServerRow } from "../../contract/types";
import { Banner } from "./board-banner";

/** From this many names on they can be ticked at once. */
const FEW = 5;

/** Asks once for the names a repository brought in itself. */
export function TrustBanner({ rows, busy, onTrust }: { rows: readonly ServerRow[]; busy: boolean; onTrust: (names: string[]) => void }) {
  const names = rows.filter((row) => row.cause === "untrusted").map((row) => row.name);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  if (names.length === 0) return null;
  const chosen = names.filter((name) => !left.has(name));
  return (
    <Banner kind="ask" role="group" label="Trust servers"
      actions={<>
        <button type="button" className="btn" disabled={busy || chosen.length === 0} onClick={() => onTrust(chosen)}>Trust selected</button>
        {names.length > FEW ? <button type="button" className="btn ghost" onClick={() => setLeft(new Set(chosen.length > 0 ? names : []))}>{chosen.length > 0 ? "Select none" : "Select all"}</button> : null}
      </>}>
      <b>This repository wants to start {names.length === 1 ? "a server" : `${names.length} servers`}.</b> {names.length === 1 ? "It runs" : "They run"} on this machine only if you trust {names.length === 1 ? "it" : "them"} here.
      <span className="names">{names.map((name) => (
        <label key={name} className="check trust"><input type="checkbox" checked={!left.has(name)} onChange={(e) => {
          const next = new Set(left);
          if (e.target.checked) next.delete(name); else next.add(name);
          setLeft(next);
        }} /><span className="trust-name" title={name}>{name}</span></label>
      ))}</span>
    </Banner>
  );
}
