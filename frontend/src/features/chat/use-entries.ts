import { defaultRangeExtractor, measureElement, observeElementRect, useVirtualizer, type Range, type Virtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from "react";
import type { Item } from "./reducer";

/** So few are all in the page. */
const ALL = 60;
/** So many beyond each end of what is in sight are in the page. */
const OVERSCAN = 10;
/** At the end of a conversation at most so many are. */
const TAIL = 80;
/** The height of a pane that has none: it is not shown, or nothing lays it out. */
const HEIGHT = 800;

type Box = HTMLDivElement;

/** The entries near what is in sight, in the flow of the page between two spaces for the rest. */
export function useEntries(items: readonly Item[], box: RefObject<Box | null>, follows: RefObject<boolean>) {
  const list = useRef<Virtualizer<Box, Element>>(undefined);
  const rangeExtractor = useCallback((range: Range) => {
    if (range.count <= ALL) return Array.from({ length: range.count }, (_, at) => at);
    if (!follows.current || !list.current) return defaultRangeExtractor(range);
    // At the end the end counts, wherever the last scroll event was.
    const height = (list.current.scrollRect?.height ?? HEIGHT) * 1.5;
    let from = range.count - 1;
    for (let sum = 0; from > 0 && range.count - from < TAIL && (sum < height || range.count - from < OVERSCAN); from--) sum += sizeOf(list.current, items[from], from);
    return Array.from({ length: range.count - from }, (_, at) => from + at);
  }, [items, follows]);
  const virtual = useVirtualizer<Box, Element>({
    count: items.length, overscan: OVERSCAN, getScrollElement: () => box.current, initialOffset: () => 1e9, rangeExtractor,
    getItemKey: (at) => items[at]?.key ?? at, estimateSize: (at) => estimate(items[at]),
    observeElementRect: (instance, tell) => observeElementRect(instance, (rect) => tell({ width: rect.width, height: rect.height || HEIGHT })),
    // What is not laid out has no height, which says nothing about it.
    measureElement: (element, entry, instance) => measureElement(element, entry, instance) || sizeOf(instance, items[instance.indexFromElement(element)], instance.indexFromElement(element)),
  });
  list.current = virtual;
  virtual.shouldAdjustScrollPositionOnItemSizeChange = (item, _, instance) => {
    // Until the first scroll event its own offset is the initial one, far behind the end.
    const top = Math.min(instance.scrollOffset ?? 0, box.current?.scrollTop ?? 0);
    return !follows.current && item.start < top && (!instance.itemSizeCache.has(item.key) || item.end <= top);
  };
  const shown = virtual.getVirtualItems();
  const [first, last] = [shown[0], shown[shown.length - 1]];
  return { virtual, shown, before: first?.start ?? 0, after: last ? Math.max(0, virtual.getTotalSize() - last.end) : 0 };
}

function sizeOf(instance: Virtualizer<Box, Element>, item: Item | undefined, at: number): number {
  return instance.itemSizeCache.get(item?.key ?? at) ?? estimate(item);
}

/** About how high an entry is, before it is drawn. */
function estimate(item: Item | undefined): number {
  switch (item?.kind) {
    case "user": return 54 + 21 * Math.floor(item.text.length / 70);
    case "answer": return 44 + 23 * Math.floor(item.text.length / 75);
    case "call": return item.content.length > 0 ? 130 : 58;
    default: return 34;
  }
}

/** Keeps the end in sight while the person is there. away says that they are not. */
export function useFollow(box: RefObject<Box | null>, follows: RefObject<boolean>) {
  const [away, setAway] = useState(false);
  const last = useRef({ top: 0, height: 0 });
  const set = useCallback((on: boolean) => { follows.current = on; setAway(!on); }, [follows]);
  const toEnd = useCallback(() => {
    const to = box.current;
    if (to && follows.current) to.scrollTop = to.scrollHeight;
  }, [box, follows]);
  useLayoutEffect(toEnd);
  useEffect(() => {
    // Pictures and colours come after drawing and make the column higher.
    const column = box.current?.firstElementChild;
    if (!column || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(toEnd);
    watch.observe(column);
    if (box.current) watch.observe(box.current);
    return () => watch.disconnect();
  }, [box, toEnd]);
  const onScroll = useCallback(() => {
    const to = box.current;
    if (!to) return;
    const { top, height } = last.current;
    last.current = { top: to.scrollTop, height: to.scrollHeight };
    const rest = to.scrollHeight - to.scrollTop - to.clientHeight;
    if (to.scrollTop < top - 1 && to.scrollHeight >= height && rest > 2) set(false);
    else if (rest < 24 && to.scrollTop >= top) set(true);
  }, [box, set]);
  const onWheel = useCallback((e: { deltaY: number }) => {
    const to = box.current;
    if (e.deltaY < 0 && to && to.scrollHeight > to.clientHeight && to.scrollTop > 0) set(false);
  }, [box, set]);
  return { away, set, onScroll, onWheel };
}
