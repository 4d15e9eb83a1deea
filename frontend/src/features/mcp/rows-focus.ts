import { useCallback, useLayoutEffect, useRef, type KeyboardEvent, type RefObject } from "react";
import { flushSync } from "react-dom";
import type { ServerRow } from "../../contract/types";
import { beside, controls, counterpart, step, verbOf } from "./rows-keys";
import type { RowCommands } from "./server-row";

/** So many rows a page key goes where the height of a page is not known. */
const PAGE = 10;

/** The keys of the grid. One row at a time is a stop of the Tab key; arrows lead from row to row
 *  and through a row's controls, letters press its buttons. */
export function useRowKeys(box: RefObject<HTMLElement | null>, head: number, rows: readonly ServerRow[], at: number, choose: (name: string) => void, commands: RowCommands) {
  return (e: KeyboardEvent<HTMLElement>) => {
    const { current: grid } = box;
    const from = e.target as HTMLElement;
    const row = from.closest<HTMLElement>("[role=row]");
    if (!grid || !row || e.ctrlKey || e.altKey || e.metaKey || e.nativeEvent.isComposing) return;
    const heading = row.dataset.name === undefined;
    const go = (index: number) => {
      const to = rows[index];
      if (!to) return;
      flushSync(() => choose(to.name)); // it may have been out of the page
      const there = rowOf(grid, to.name);
      if (!there) return;
      (heading ? there : counterpart(there, from)).focus({ preventScroll: true });
      show(grid, there, head);
    };
    const page = Math.floor((grid.clientHeight - head) / 48);
    const by = step(e.key, page > 0 ? page : PAGE);
    const here = rows[at];
    if (by !== undefined) {
      if (!heading && by === -1 && at === 0) controls(grid.querySelector(".head") ?? row)[0]?.focus();
      else go(heading && by === 1 ? at : Math.min(Math.max(at + by, 0), rows.length - 1));
    } else if (e.key === "ArrowRight" || e.key === "ArrowLeft") {
      beside(row, from, e.key === "ArrowRight" ? 1 : -1).focus();
    } else if (heading || !here) {
      return;
    } else if (e.key === "Enter" && from === row) {
      commands.onDetail(here.name);
    } else if (e.key.toLowerCase() === "c") {
      commands.onCopy(here.name);
    } else {
      const verb = verbOf(e.key, here);
      if (!verb) return;
      commands.onVerb(verb, here);
    }
    e.preventDefault();
  };
}

/** Gives the focus back to the row when the control that had it is gone or cannot be used any
 *  more, or to the row in its place. Returns what to call when something gets the focus. */
export function useKeptFocus(box: RefObject<HTMLElement | null>, rows: readonly ServerRow[]) {
  const last = useRef<{ target: HTMLElement; name: string; index: number }>(undefined);
  useLayoutEffect(() => {
    const { current: was } = last;
    if (!was || !box.current) return;
    if (document.activeElement !== null && document.activeElement !== document.body) {
      if (!box.current.contains(document.activeElement)) last.current = undefined;
      return;
    }
    if (was.target.isConnected && !was.target.matches(":disabled")) return;
    const name = rows.some((row) => row.name === was.name) ? was.name : rows[Math.min(was.index, rows.length - 1)]?.name;
    if (name !== undefined) rowOf(box.current, name)?.focus({ preventScroll: true });
  });
  return useCallback((target: HTMLElement, name: string) => {
    last.current = name ? { target, name, index: Number(target.closest<HTMLElement>("[data-index]")?.dataset.index ?? 0) } : undefined;
  }, []);
}

/** The row of a server, when it is in the page. */
export function rowOf(grid: Element, name: string): HTMLElement | undefined {
  return [...grid.querySelectorAll<HTMLElement>("[data-name]")].find((each) => each.dataset.name === name);
}

/** Scrolls as little as needed for a row to be in sight below the columns' names. */
function show(grid: HTMLElement, row: HTMLElement, head: number): void {
  const [view, place] = [grid.getBoundingClientRect(), row.getBoundingClientRect()];
  const above = place.top - view.top - head;
  const below = place.bottom - view.top - grid.clientHeight;
  if (above < 0) grid.scrollTop += above;
  else if (below > 0) grid.scrollTop += Math.min(below, above);
}
