import { useLayoutEffect, useRef } from "react";
import type { ServerRow } from "../../contract/types";

/** The rows on show while the pointer is about to press something: they stay, in their order;
 *  new ones come where they belong, and those that are no more go. */
export function held(shown: readonly string[], next: readonly ServerRow[], all: readonly ServerRow[]): readonly ServerRow[] {
  const rows = new Map(all.map((row) => [row.name, row]));
  const known = new Set(shown);
  const after = new Map<string, ServerRow[]>(); // new rows by the known one they follow, "" for none
  let last = "";
  for (const row of next) {
    if (known.has(row.name)) last = row.name;
    else after.set(last, [...(after.get(last) ?? []), row]);
  }
  return ["", ...shown].flatMap((name) => {
    const row = rows.get(name);
    return [...(row && name !== "" ? [row] : []), ...(after.get(name) ?? [])];
  });
}

/** next, or while holding what was shown before as held says. Another key is another question,
 *  which is answered at once. */
export function useHeld(next: readonly ServerRow[], all: readonly ServerRow[], key: string, holding: boolean): readonly ServerRow[] {
  const before = useRef<{ key: string; names: readonly string[] }>(undefined);
  const rows = holding && before.current?.key === key ? held(before.current.names, next, all) : next;
  useLayoutEffect(() => { before.current = { key, names: rows.map((row) => row.name) }; });
  return rows;
}
