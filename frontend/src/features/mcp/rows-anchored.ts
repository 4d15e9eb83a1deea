import { useCallback, useEffect, useLayoutEffect, useRef, type FocusEvent, type PointerEvent, type RefObject } from "react";
import { Anchor, type Ground, type Place } from "./rows-anchor";

/** So long a pointer has to rest for the rows to take their order again. */
const REST_MS = 2000;

/** Anchors the rows of a grid (see Anchor) and tells whether their order has to stay as well.
 *  virtual gives the places of rows that are not all in the page, from the first row's top. */
export function useAnchor(box: RefObject<HTMLElement | null>, head: number, key: string, onHold: (holding: boolean) => void, virtual?: () => Place[]) {
  const lead = useRef<HTMLDivElement>(null);
  const group = useRef<HTMLDivElement>(null);
  const tail = useRef<HTMLDivElement>(null);
  const read = useRef(virtual);
  read.current = virtual;
  const anchor = useRef<Anchor>(undefined);
  anchor.current ??= new Anchor(ground(box, head, lead, group, tail, read), head);
  const { current } = anchor;

  const before = useRef(key);
  useLayoutEffect(() => {
    if (before.current === key) return current.settle();
    before.current = key;
    current.reset();
  });
  useEffect(() => {
    const { current: scroller } = box;
    const scrolled = () => current.scrolled();
    scroller?.addEventListener("scroll", scrolled, { passive: true, capture: true }); // before the rows are drawn anew
    const watch = typeof ResizeObserver === "undefined" ? undefined : new ResizeObserver(() => current.settle());
    if (group.current) watch?.observe(group.current);
    return () => { scroller?.removeEventListener("scroll", scrolled, { capture: true }); watch?.disconnect(); };
  }, [box, current]);

  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  const onPointerMove = useCallback((e: PointerEvent<HTMLElement>) => {
    if (e.pointerType === "touch") return;
    const over = !(e.target as Element).closest(".head");
    current.point(over ? e.clientY - e.currentTarget.getBoundingClientRect().top : undefined);
    clearTimeout(rest.current);
    onHold(over);
    if (over) rest.current = setTimeout(() => onHold(false), REST_MS);
  }, [current, onHold]);
  const onPointerLeave = useCallback(() => {
    clearTimeout(rest.current);
    current.point(undefined);
    onHold(false);
  }, [current, onHold]);
  const onFocus = useCallback((name: string) => current.focus(name), [current]);
  const onBlur = useCallback((e: FocusEvent<HTMLElement>) => { if (!e.currentTarget.contains(e.relatedTarget)) current.focus(""); }, [current]);
  return { lead, group, tail, onPointerMove, onPointerLeave, onFocus, onBlur };
}

type Ref = RefObject<HTMLElement | null>;

function ground(box: Ref, head: number, lead: Ref, group: Ref, tail: Ref, virtual: RefObject<(() => Place[]) | undefined>): Ground {
  return {
    get scrollTop() { return box.current?.scrollTop ?? 0; },
    set scrollTop(to: number) { if (box.current) box.current.scrollTop = to; },
    get view() { return box.current?.clientHeight ?? 0; },
    get room() { return head + (group.current?.offsetHeight ?? 0) - this.view; },
    places() {
      if (virtual.current) {
        const top = group.current?.offsetTop ?? 0;
        return virtual.current().map((each) => ({ ...each, y: top + each.y }));
      }
      return [...(group.current?.children ?? [])].flatMap((row) => (row instanceof HTMLElement && row.dataset.name !== undefined
        ? [{ name: row.dataset.name, y: row.offsetTop, height: row.offsetHeight }] : []));
    },
    space(above, below) {
      if (lead.current) lead.current.style.height = `${above}px`;
      if (tail.current) tail.current.style.height = `${below}px`;
    },
  };
}
