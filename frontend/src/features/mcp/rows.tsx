import { defaultRangeExtractor, useVirtualizer } from "@tanstack/react-virtual";
import { memo, useMemo, useRef, useState, type FocusEvent, type ReactNode } from "react";
import type { ServerRow as Row } from "../../contract/types";
import { RowsHead } from "./rows-head";
import { useHeld } from "./rows-order";
import { useAnchor } from "./rows-anchored";
import { useRowKeys, useKeptFocus } from "./rows-focus";
import { ServerRow, type RowCommands } from "./server-row";
import { matching, sorted, type Filter, type Sort } from "./words";

/** So many rows are all in the page; more are drawn as they come into sight. */
const VIRTUAL_FROM = 60;

/** From this width on every row is one line (board.css). */
const WIDE = 860;

/** The height of the columns' names, which stay in sight. */
const HEAD = 30;

/** The grid of the servers. What is under the pointer stays there: rows keep their order and
 *  their place until the pointer leaves or rests. */
export const Rows = memo(function Rows({ all, filter, sort, onSort, busy, open, commands, children }: {
  all: readonly Row[]; filter: Filter; sort: Sort; onSort: (sort: Sort) => void; busy: ReadonlySet<string>; open: string; commands: RowCommands; children?: ReactNode;
}) {
  const key = JSON.stringify([filter, sort]);
  const [holding, setHolding] = useState(false);
  const next = useMemo(() => sorted(matching(all, filter), sort), [all, filter, sort]);
  const rows = useHeld(next, all, key, holding);
  const [chosen, setChosen] = useState("");
  const at = Math.max(0, rows.findIndex((row) => row.name === chosen));
  const box = useRef<HTMLDivElement>(null);
  const many = rows.length > VIRTUAL_FROM;
  const virtual = useVirtualizer({
    count: many ? rows.length : 0, getScrollElement: () => box.current, overscan: 4, scrollMargin: HEAD,
    estimateSize: (index) => (rows[index]?.state === "connected" || (box.current?.clientWidth ?? 0) >= WIDE ? 37 : 63), getItemKey: (index) => rows[index]?.name ?? index,
    // The row that holds the focus stays in the page wherever the list is scrolled.
    rangeExtractor: (range) => [...new Set([...defaultRangeExtractor(range), at])].sort((a, b) => a - b),
  });
  virtual.shouldAdjustScrollPositionOnItemSizeChange = () => false; // the anchor does
  const anchor = useAnchor(box, HEAD, key, setHolding, many ? () => rows.map((row, index) => {
    const item = virtual.measurementsCache[index];
    return { name: row.name, y: (item?.start ?? HEAD) - HEAD, height: item?.size ?? 0 };
  }) : undefined);
  const keys = useRowKeys(box, HEAD, rows, at, setChosen, commands);
  const kept = useKeptFocus(box, rows);
  const draw = (row: Row, index: number, start?: number) => (
    <ServerRow key={row.name} row={row} index={index} busy={busy.has(row.name)} current={index === at} open={open === row.name}
      {...(start === undefined ? {} : { start, measure: virtual.measureElement })} commands={commands} />
  );
  return (<>
    <div className={rows.length === 0 ? "grid bare" : "grid"} ref={box} role="grid" aria-label="Servers" aria-rowcount={rows.length + 1} aria-colcount={7} aria-keyshortcuts="E P R C Delete"
      onKeyDown={keys} onPointerMove={anchor.onPointerMove} onPointerLeave={anchor.onPointerLeave} onBlur={anchor.onBlur}
      onFocus={(e: FocusEvent<HTMLDivElement>) => {
        const name = e.target.closest("[data-name]")?.getAttribute("data-name") ?? "";
        if (name) setChosen(name);
        anchor.onFocus(name);
        kept(e.target, name);
      }}>
      <RowsHead sort={sort} onSort={onSort} />
      <div ref={anchor.lead} role="presentation" />
      <div ref={anchor.group} role="rowgroup" style={many ? { height: virtual.getTotalSize(), position: "relative" } : undefined}>
        {many ? virtual.getVirtualItems().map((item) => { const row = rows[item.index]; return row ? draw(row, item.index, item.start - HEAD) : null; }) : rows.map((row, index) => draw(row, index))}
      </div>
      <div ref={anchor.tail} role="presentation" />
    </div>
    {rows.length === 0 ? children : null}
    <span className="sr" aria-live="polite">{filter.state || filter.text.trim() ? `${rows.length} of ${all.length} servers shown` : ""}</span>
  </>);
});
