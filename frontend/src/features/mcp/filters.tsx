import type { ServerRow, ServerState } from "../../contract/types";
import type { Filter } from "./words";

const STATES: readonly ServerState[] = ["connected", "busy", "error", "missing", "paused", "disabled"];

/** Chooses the rows to see by state and by name. */
export function Filters({ rows, filter, onChange }: { rows: readonly ServerRow[]; filter: Filter; onChange: (filter: Filter) => void }) {
  const count = (state: ServerState) => rows.filter((row) => row.state === state).length;
  const chip = (state: Filter["state"], word: string, many: number) => (
    <button key={state} type="button" className="chip" aria-pressed={filter.state === state}
      onClick={() => onChange({ ...filter, state: filter.state === state ? "" : state })}><span className="first">{word}</span> {many}</button>
  );
  return (
    <div className="filters" role="group" aria-label="Filter">
      <div className="chips">{chip("", "all", rows.length)}
        {STATES.filter((state) => count(state) > 0 || filter.state === state).map((state) => chip(state, state, count(state)))}</div>
      <input type="search" aria-label="Filter servers" placeholder="Filter…" value={filter.text} onChange={(e) => onChange({ ...filter, text: e.target.value })}
        onKeyDown={(e) => { if (e.key === "Escape") onChange({ ...filter, text: "" }); }} />
    </div>
  );
}
