import type { ServerRow } from "../../contract/types";
import { cure, quiet, type Verb } from "./words";

/** The keys of the board and what they do, for people. */
export const KEYS: readonly [keys: string, what: string][] = [
  ["↑ ↓ Home End PgUp PgDn", "Go from server to server"], ["← →", "Go through its controls"], ["Enter", "Open the details"], ["Space", "Turn or press the control"],
  ["E", "Enable or disable"], ["P", "Pause or resume"], ["R", "Retry"], ["C", "Copy the diagnosis"], ["Delete", "Remove"], ["/", "Filter"],
];

/** Where a key leads: by so many rows, or to an end of the list. */
export function step(key: string, page: number): number | undefined {
  switch (key) {
    case "ArrowDown": return 1;
    case "ArrowUp": return -1;
    case "PageDown": return page;
    case "PageUp": return -page;
    case "Home": return -Infinity;
    case "End": return Infinity;
    default: return undefined;
  }
}

const LETTERS: Record<string, readonly Verb[]> = { e: ["Enable", "Disable"], p: ["Pause", "Resume"], r: ["Retry"], delete: ["Remove"] };

/** What a letter does to a row now, if anything: no more than its buttons could. */
export function verbOf(key: string, row: ServerRow): Verb | undefined {
  const offered = [...quiet(row), cure(row)];
  return LETTERS[key.toLowerCase()]?.find((verb) => offered.includes(verb));
}

/** The controls of a row in the order of the arrow keys. */
export function controls(row: Element): HTMLElement[] {
  return [...row.querySelectorAll<HTMLElement>("button:enabled")];
}

/** What a control is called in any row: its name without the server's. */
function kind(control: Element): string {
  const name = control.closest("[data-name]")?.getAttribute("data-name") ?? "";
  const full = control.getAttribute("aria-label") ?? "";
  if (name === "") return full;
  return full.endsWith(` ${name}`) ? full.slice(0, -name.length) : full.startsWith(`${name} `) ? full.slice(name.length) : full;
}

/** The same control in another row; the row itself when it has none, or when from is a row. */
export function counterpart(row: HTMLElement, from: Element): HTMLElement {
  return from.matches("[role=row]") ? row : controls(row).find((each) => kind(each) === kind(from)) ?? row;
}

/** The control after or before from in its row; a row that can have the focus is where both ways
 *  begin and end. */
export function beside(row: HTMLElement, from: Element, by: 1 | -1): HTMLElement {
  const ring = [...(row.hasAttribute("tabindex") ? [row] : []), ...controls(row)];
  const at = ring.findIndex((each) => each === from);
  return ring[(at + by + ring.length) % ring.length] ?? row;
}
