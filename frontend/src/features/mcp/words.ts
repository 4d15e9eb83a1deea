import type { MCPSnapshot, ServerAction, ServerRow, ServerState } from "../../contract/types";
import { duration, short } from "../../lib/format";
import type { LampShape } from "../../ui/lamp";

/** The lamp of each state; a new state does not compile without one. */
export const LAMP: Record<ServerState, LampShape> = {
  connected: "disc", busy: "arc", paused: "bars", disabled: "ring", error: "cross", missing: "dashed",
};

/** What a row's buttons can do. */
export type Verb = "Enable" | "Disable" | "Pause" | "Resume" | "Retry" | "Edit" | "Remove" | "Resolve" | "Trust" | "Define" | "Sign in";

const VERB: Record<ServerAction, Verb> = {
  enable: "Enable", trust: "Trust", resume: "Resume", define: "Define", edit: "Edit", retry: "Retry", resolve: "Resolve",
  sign_in: "Sign in",
  wait: "Retry", // rather than wait
};

/** The button that puts the row right, if a button can; a sign-in that is under way is the way already. */
export function cure(row: ServerRow): Verb | undefined {
  if (signingIn(row)) return row.action === "sign_in" ? undefined : row.action && VERB[row.action];
  if (row.state === "connected" && signInText(row)) return "Sign in";
  return row.action && VERB[row.action];
}

/** Whether a sign-in waits for the person or for its turn. */
export function signingIn(row: ServerRow): boolean {
  return row.signIn?.state === "waiting" || row.signIn?.state === "queued";
}

/** What the sign-in of a connected server lacks, "" for nothing: its calls fail until the person signs in again. */
export function signInText({ name, signIn }: ServerRow): string {
  if (signIn?.state === "failed") return signIn.message;
  return signIn?.state === "signed_in" && signIn.wants.length > 0 ? `${name} wants more access than you allowed: ${signIn.wants.join(", ")}. Sign in again to allow it` : "";
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

/** Which rows are shown: those of a state, "" for every one, that hold the text. */
export interface Filter { state: ServerState | ""; text: string }

/** The filter that lets every row through. */
export const EVERY: Filter = { state: "", text: "" };

/** The rows that a filter lets through, in their order: the text is in the name or the reason, or
 *  the transport begins with it. */
export function matching(rows: readonly ServerRow[], filter: Filter): readonly ServerRow[] {
  const text = filter.text.trim().toLowerCase();
  if (filter.state === "" && text === "") return rows;
  const holds = (row: ServerRow) => text === "" || row.name.toLowerCase().includes(text)
    || row.type.startsWith(text) || transport(row.type).startsWith(text) || (row.reason || row.error).toLowerCase().includes(text);
  return rows.filter((row) => (filter.state === "" || row.state === filter.state) && holds(row));
}

/** The columns that rows can be sorted by. */
export type SortKey = "state" | "server" | "tools" | "time";

/** How rows are sorted; undefined is the order of the definitions. */
export type Sort = { key: SortKey; down: boolean } | undefined;

/** What needs a hand comes first. */
const URGENCY: Record<ServerState, number> = { error: 0, missing: 1, busy: 2, paused: 3, disabled: 4, connected: 5 };

/** The sort after a click on a column: one way, the other, the order of the definitions. Numbers
 *  begin with the largest. */
export function nextSort(sort: Sort, key: SortKey): Sort {
  const first = key === "tools" || key === "time";
  if (sort?.key !== key) return { key, down: first };
  return sort.down === first ? { key, down: !first } : undefined;
}

/** The rows in the order of sort; those that are equal stay as they are, those without a value go last. */
export function sorted(rows: readonly ServerRow[], sort: Sort): readonly ServerRow[] {
  const value = (row: ServerRow): number | undefined => {
    switch (sort?.key) {
      case undefined: return row.state === "missing" ? 1 : 0;
      case "state": return URGENCY[row.state];
      case "tools": return row.toolCount || undefined;
      case "time": return row.latencyMs || row.connectMs || undefined;
      case "server": return 0;
    }
  };
  const sign = sort?.down ? -1 : 1;
  return [...rows].sort((a, b) => {
    if (sort?.key === "server") return sign * a.name.localeCompare(b.name, undefined, { numeric: true, sensitivity: "base" });
    const [x, y] = [value(a), value(b)];
    return x === y ? 0 : x === undefined ? 1 : y === undefined ? -1 : sign * (x - y);
  });
}

/** Everything worth knowing about a row that has no column, a line each. */
export function about(row: ServerRow): string {
  const program = [row.serverName, row.serverVersion].filter(Boolean).join(" ");
  return [
    row.type ? `${row.name} (${row.type})` : row.name, program,
    row.toolCount > 0 ? `${row.toolCount} ${row.toolCount === 1 ? "tool" : "tools"}, ${short(row.schemaTokens)} schema tokens` : "",
    times(row), ...row.warnings, ...row.skipped.map((each) => `${each.tool} is skipped: ${each.reason}`),
    row.shared.length > 0 ? `Also used by ${row.shared.join(", ")}` : "",
  ].filter(Boolean).join("\n");
}

/** What a button does, the other sessions it touches included. */
export function hint(verb: Verb, row: ServerRow): string {
  if (row.shared.length === 0) return verb;
  const others = row.shared.length > 3 ? `${row.shared.length} other sessions` : row.shared.join(", ");
  if (verb === "Pause") return `Pause in this session; goes on for ${others}`;
  return verb === "Retry" ? `Retry, also for ${others}` : verb;
}

/** How a connection came back by itself. */
export function cameBack(row: ServerRow): string {
  const how = row.type === "stdio" ? "It ended and was started again" : "It was lost, or its session there had expired, and was opened again";
  const times = row.recovered > 1 ? `${how}, ${row.recovered} times` : how;
  return row.starts > 1 ? `${times}. ${row.starts} starts since Patchbay opened` : times;
}

/** How long the connection took and how fast it answers; "" when there was none. */
export function times(row: ServerRow): string {
  return [row.connectMs ? `Connected in ${duration(row.connectMs)}` : "", row.latencyMs ? `latency ${duration(row.latencyMs)}` : ""].filter(Boolean).join(", ");
}

/** Whether the log has something to say about why the row failed. */
export function hasLog(row: ServerRow): boolean {
  return row.state === "error" && (row.evidence?.stderr.length ?? 0) > 0;
}

/** The size of the tool surface in words. */
export function surface(snapshot: MCPSnapshot): string {
  return `${snapshot.toolCount} ${snapshot.toolCount === 1 ? "tool" : "tools"} · ${short(snapshot.schemaTokens)} schema tokens`;
}

/** The sentence of a row, "" when there is nothing to say. */
export function sentence(row: ServerRow): string {
  if (row.state === "busy") return row.progress;
  if (row.state === "connected") return signInText(row) || (row.warnings[0] ?? (row.skipped[0] ? `${row.skipped[0].tool} is skipped: ${row.skipped[0].reason}` : ""));
  if (row.action === "sign_in" && row.signIn?.state === "failed" && row.signIn.message) return row.signIn.message;
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

/** A sentence as one of its own: a plain first word begins with a capital. */
export function capitalised(text: string): string {
  return /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** The revisions of MCP that a definition can pin, newest first. */
export const REVISIONS = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;
