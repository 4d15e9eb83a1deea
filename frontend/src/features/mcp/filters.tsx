import type { Ref } from "react";
import type { ServerRow, ServerState } from "../../contract/types";
import { Lamp } from "../../ui/lamp";
import { LAMP, type Filter } from "./words";

const STATES: readonly ServerState[] = ["connected", "busy", "error", "missing", "paused", "disabled"];

/** Chooses the rows to see by state and by text. */
export function Filters({ rows, filter, input, onChange }: {
  rows: readonly ServerRow[]; filter: Filter; input?: Ref<HTMLInputElement>; onChange: (filter: Filter) => void;
}) {
  const count = (state: ServerState) => rows.filter((row) => row.state === state).length;
  const chip = (state: Filter["state"], word: string, many: number) => (
    <button key={state} type="button" className="chip" aria-pressed={filter.state === state} title={state ? `Only those that are ${word}` : undefined}
      onClick={() => onChange({ ...filter, state: filter.state === state ? "" : state })}>{state ? <Lamp shape={LAMP[state]} /> : null}<span className="first">{word}</span> {many}</button>
  );
  return (
    <div className="filters" role="group" aria-label="Filter">
      {chip("", "all", rows.length)}
      {STATES.filter((state) => count(state) > 0 || filter.state === state).map((state) => chip(state, state, count(state)))}
      <input type="search" ref={input} aria-label="Filter servers" placeholder="Filter…" title="By name, transport or reason (/)" value={filter.text} onChange={(e) => onChange({ ...filter, text: e.target.value })}
        onKeyDown={(e) => { if (e.key === "Escape" && filter.text) { e.stopPropagation(); onChange({ ...filter, text: "" }); } }} />
    </div>
  );
}
