import type { MCPSnapshot, ServerRow } from "../../contract/types";

/** How a service's chip looks: open to the next message, to be left out of it, not lit. */
export type ChipLook = "open" | "waiting" | "plain";

/** The services a session can use: those enabled in its workspace, in a plain chat every defined one. */
export function services(snapshot: MCPSnapshot, workspace: string): readonly ServerRow[] {
  return snapshot.rows.filter((row) => (workspace === "" ? row.defined : row.enabled && row.trusted));
}

/** A chip's look, its words and what its title says. */
export function chip(row: ServerRow): { look: ChipLook; note: string; title: string } {
  if (!row.lit) return { look: "plain", note: "", title: `${row.name} is left out of your messages. Click to let the agent use it.` };
  if (row.state === "connected") return { look: "open", note: String(row.toolCount), title: `${row.name}: ${row.toolCount} ${row.toolCount === 1 ? "tool" : "tools"} for the agent. Click to leave it out.` };
  const why = row.reason ? `: ${row.reason}` : "";
  return { look: "waiting", note: row.state, title: `${row.name} is ${row.state}${why}. It is left out until it is connected.` };
}

/** What a message will go without, "" when it carries every tool. */
export function cutLine(cut: readonly string[]): string {
  if (cut.length === 0) return "";
  const names = cut.length <= 4 ? cut.join(", ") : `${cut.slice(0, 3).join(", ")} and ${cut.length - 3} more`;
  return `${cut.length === 1 ? "1 tool is" : `${cut.length} tools are`} beyond the 128 of a message and left out: ${names}. Turn a service off to make room.`;
}
