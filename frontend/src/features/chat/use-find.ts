import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from "react";
import { matches, ranges, type Match } from "./find";
import type { Item } from "./reducer";

/** The state of "find in conversation". */
export interface Find {
  open: number; query: string; at: number; found: readonly Match[]; current: Match | undefined;
  show: () => void;
  /** Tells what had the focus before, where it is still there. */
  close: () => HTMLElement | undefined;
  seek: (query: string) => void; step: (by: 1 | -1) => void;
}

/** Looks for a text in all items. Ctrl or Cmd+F opens it while the focus is in the conversation's
 *  pane, or nowhere. An answer that grows is looked through again when the next item begins. */
export function useFind(items: readonly Item[], pane: RefObject<Element | null>): Find {
  const [open, setOpen] = useState(0);
  const [query, setQuery] = useState("");
  const [at, setAt] = useState(0);
  // eslint-disable-next-line react-hooks/exhaustive-deps -- items by their number: not each time one grows
  const found = useMemo(() => (open > 0 ? matches(items, query) : []), [open > 0, query, items.length, items[0]?.key]);
  const from = useRef<Element>(null); // had the focus before
  const show = useCallback(() => {
    const focus = document.activeElement;
    if (!focus?.closest(".find")) from.current = focus;
    setOpen((before) => before + 1);
  }, []);
  useEffect(() => {
    const listen = (e: KeyboardEvent) => {
      if (!(e.ctrlKey || e.metaKey) || e.altKey || e.shiftKey || e.key.toLowerCase() !== "f") return;
      const focus = document.activeElement;
      const main = pane.current?.closest("main") ?? pane.current;
      if (focus && focus !== document.body && !main?.contains(focus)) return;
      e.preventDefault();
      show();
    };
    document.addEventListener("keydown", listen);
    return () => document.removeEventListener("keydown", listen);
  }, [pane, show]);
  const index = Math.min(at, Math.max(0, found.length - 1));
  return {
    open, query, at: index, found, current: found[index], show,
    close: () => {
      setOpen(0);
      const to = from.current;
      return to instanceof HTMLElement && to !== document.body && !to.closest(".chat-tools") && to.isConnected ? to : undefined;
    },
    // The newest place first: that is where the person is.
    seek: (next) => { setQuery(next); setAt(Math.max(0, matches(items, next).length - 1)); },
    step: (by) => setAt(found.length === 0 ? 0 : (index + by + found.length) % found.length),
  };
}

/** Marks what is sought in what is drawn, with the highlights of CSS where there are any; the
 *  current place another way. */
export function useHighlights(find: Find, pane: RefObject<Element | null>, currentKey: string): void {
  useEffect(() => {
    if (typeof CSS === "undefined" || !("highlights" in CSS) || find.open === 0) return;
    const all: Range[] = [];
    let current: Range | undefined;
    for (const entry of pane.current?.querySelectorAll("[data-key]") ?? []) {
      const here = ranges(entry, find.query);
      if (entry.getAttribute("data-key") === currentKey) current = here[Math.min(find.current?.nth ?? 0, here.length - 1)];
      all.push(...here);
    }
    CSS.highlights.set("found", new Highlight(...all));
    CSS.highlights.set("found-now", new Highlight(...(current ? [current] : [])));
    return () => { CSS.highlights.delete("found"); CSS.highlights.delete("found-now"); };
  });
  useEffect(() => {
    // The place itself may be far from the middle of a long item.
    if (find.open === 0 || currentKey === "") return;
    const frame = requestAnimationFrame(() => {
      const entry = pane.current?.querySelector(`[data-key="${currentKey}"]`);
      const here = entry ? ranges(entry, find.query) : [];
      const range = here[Math.min(find.current?.nth ?? 0, here.length - 1)];
      const box = pane.current?.querySelector(".conversation");
      if (!range || !box || typeof range.getBoundingClientRect !== "function") return;
      // A long result scrolls within its card.
      for (let each = range.startContainer.parentElement; each && each !== box; each = each.parentElement) {
        if (each.scrollHeight > each.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(each).overflowY)) reveal(range, each, 4);
      }
      reveal(range, box, 40);
    });
    return () => cancelAnimationFrame(frame);
  }, [find.open, find.query, find.at, currentKey]);
}

/** Scrolls a box so that a place stands in its middle, where it is not in sight. */
function reveal(place: Range, box: Element, margin: number): void {
  const [there, around] = [place.getBoundingClientRect(), box.getBoundingClientRect()];
  if (there.top < around.top + margin || there.bottom > around.bottom - margin / 2) box.scrollTop += there.top - around.top - around.height / 2;
}
