import { itemText } from "./call-text";
import type { Item } from "./reducer";

/** One place where the text sought stands: the nth of an item. */
export interface Match { item: number; nth: number }

/** Every place in the conversation, whatever is in the page of it. More than most are not counted. */
export function matches(items: readonly Item[], query: string, most = 5000): Match[] {
  const sought = query.toLowerCase();
  const found: Match[] = [];
  if (sought === "") return found;
  for (const [item, each] of items.entries()) {
    const text = itemText(each).toLowerCase();
    let nth = 0;
    for (let at = text.indexOf(sought); at >= 0 && found.length < most; at = text.indexOf(sought, at + sought.length)) found.push({ item, nth: nth++ });
  }
  return found;
}

/** The places below an element where the text sought is drawn, across the borders of its parts. */
export function ranges(root: Element, query: string, most = 500): Range[] {
  const sought = query.toLowerCase();
  const found: Range[] = [];
  if (sought === "") return found;
  const walk = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const nodes: { node: Node; from: number }[] = [];
  let text = "";
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    if (node.parentElement?.closest("button, .sr")) continue;
    nodes.push({ node, from: text.length });
    text += (node.nodeValue ?? "").toLowerCase();
  }
  const place = (at: number) => {
    let low = 0;
    for (let high = nodes.length - 1; low < high;) {
      const middle = (low + high + 1) >> 1;
      if ((nodes[middle]?.from ?? 0) <= at) low = middle; else high = middle - 1;
    }
    return nodes[low];
  };
  for (let at = text.indexOf(sought); at >= 0 && found.length < most; at = text.indexOf(sought, at + sought.length)) {
    const [start, end] = [place(at), place(at + sought.length - 1)];
    if (!start || !end) break;
    const range = document.createRange();
    range.setStart(start.node, Math.min(at - start.from, start.node.nodeValue?.length ?? 0));
    range.setEnd(end.node, Math.min(at + sought.length - end.from, end.node.nodeValue?.length ?? 0));
    found.push(range);
  }
  return found;
}
