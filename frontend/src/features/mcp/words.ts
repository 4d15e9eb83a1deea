import type { MCPSnapshot, ServerAction, ServerRow, ServerState } from "../../contract/types";
import { short } from "../../lib/format";
import type { LampShape } from "../../ui/lamp";

/** The lamp of each state; a new state does not compile without one. */
export const LAMP: Record<ServerState, LampShape> = {
  connected: "disc", busy: "arc", paused: "bars", disabled: "ring", error: "cross", missing: "dashed",
};

/** What a row's buttons can do. */
export type Verb = "Enable" | "Disable" | "Pause" | "Resume" | "Retry" | "Edit" | "Remove" | "Resolve" | "Trust" | "Define";

const VERB: Record<ServerAction, Verb> = {
  enable: "Enable", trust: "Trust", resume: "Resume", define: "Define", edit: "Edit", retry: "Retry", resolve: "Resolve",
  sign_in: "Edit", // the way in is a header of the definition
  wait: "Retry", // rather than wait
};

/** The button that puts the row right, if a button can. */
export function cure(row: ServerRow): Verb | undefined {
  return row.action ? VERB[row.action] : undefined;
}

/** The buttons that make sense for the row, without its cure: each name stands once in a row. */
export function quiet(row: ServerRow): Verb[] {
  const verbs: Verb[] = [];
  if (row.enabled) verbs.push("Disable");
  else if (row.defined) verbs.push("Enable");
  if (row.enabled && row.defined) verbs.push(row.paused ? "Resume" : "Pause");
  if (row.enabled && row.defined) verbs.push("Retry");
  if (row.conflicts.length > 0) verbs.push("Resolve");
  if (row.defined) verbs.push("Edit", "Remove");
  return verbs.filter((each) => each !== cure(row));
}

const COUNTED: readonly ServerState[] = ["connected", "busy", "error", "missing", "paused"];

/** The status line's parts: `4 connected`, `1 error`, …, `37 tools`, `6.1k schema tokens`. */
export function counts(snapshot: MCPSnapshot): { state: ServerState; count: number }[] {
  return COUNTED.map((state) => ({ state, count: snapshot.rows.filter((row) => row.state === state).length }))
    .filter((each) => each.count > 0 || each.state === "connected");
}

/** Which rows are shown: those of a state, "" for every one, whose name holds the text. */
export interface Filter { state: ServerState | ""; text: string }

/** The rows that a filter lets through, in their order. */
export function matching(rows: readonly ServerRow[], filter: Filter): readonly ServerRow[] {
  const text = filter.text.trim().toLowerCase();
  if (filter.state === "" && text === "") return rows;
  return rows.filter((row) => (filter.state === "" || row.state === filter.state) && row.name.toLowerCase().includes(text));
}

/** The size of the tool surface in words. */
export function surface(snapshot: MCPSnapshot): string {
  return `${snapshot.toolCount} ${snapshot.toolCount === 1 ? "tool" : "tools"} · ${short(snapshot.schemaTokens)} schema tokens`;
}

/** The sentence of a row, "" when there is nothing to say. */
export function sentence(row: ServerRow): string {
  if (row.state === "busy") return row.progress;
  if (row.state === "connected") return row.warnings[0] ?? (row.skipped[0] ? `${row.skipped[0].tool} is skipped: ${row.skipped[0].reason}` : "");
  const text = row.reason || row.error;
  // The countdown beside it says the same, and keeps saying it.
  return row.nextTryMs > 0 ? text.replace(/ Next try at [\d:]+( \(\d+ of \d+\))?\.?$/, "") : text;
}

/** Whether the sentence begins with a plain word, so that it may begin with a capital; names of
 *  tools, files and servers stay as they are written. */
export function capital(text: string, row: ServerRow): boolean {
  // A program that cannot be started is named first.
  return row.cause !== "not_executable" && /^[a-z]+([ ,'’-][^:]|$)/.test(text) && !text.startsWith(`${row.name} `);
}

/** The stages of an attempt in their order. */
export const STAGES = ["resolve", "spawn", "connect", "initialize", "list", "validate", "claim"] as const;

/** A transport in one short word. */
export function transport(type: string): string {
  return type === "streamable_http" ? "http" : type;
}
