import { ArrowDown, ArrowUp } from "lucide-react";
import { memo } from "react";
import { nextSort, type Sort, type SortKey } from "./words";

const LAYERS = [["Machine", "defined on this machine"], ["Workspace", "enabled in this workspace"], ["Session", "not paused in this session"]] as const;

/** The names of the columns; those that rows can be sorted by are buttons. */
export const RowsHead = memo(function RowsHead({ sort, onSort }: { sort: Sort; onSort: (sort: Sort) => void }) {
  const column = (key: SortKey, word: string, className?: string) => {
    const now = sort?.key === key ? sort : undefined;
    const Arrow = now?.down ? ArrowDown : ArrowUp;
    return (
      <div role="columnheader" className={className} aria-sort={now ? (now.down ? "descending" : "ascending") : "none"}>
        <button type="button" className="sort" tabIndex={-1} title={`Sort by ${word.toLowerCase()}`} onClick={() => onSort(nextSort(sort, key))}>
          {word}{now ? <Arrow aria-hidden="true" size={12} /> : null}</button>
      </div>
    );
  };
  return (
    <div role="row" aria-label="Columns" aria-rowindex={1} className="server head">
      {column("state", "State")}
      {column("server", "Server")}
      <div role="columnheader" className="layers" aria-label="Layers">{LAYERS.map(([word, what]) => (
        <span key={word} title={`${word}: ${what}`}>{word[0]}<span className="rest">{word.slice(1)}</span></span>))}</div>
      {column("tools", "Tools", "num")}
      {column("time", "Time", "num")}
      <div role="columnheader" className="sr">Actions</div>
      <div role="columnheader" className="why-head">Reason</div>
    </div>
  );
});
