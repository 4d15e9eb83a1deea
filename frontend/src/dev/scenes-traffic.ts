import type { Frame } from "../contract/types";
import type { FakeHost } from "../platform/fake";

const METHODS = ["tools/call", "tools/call", "ping", "resources/read", "tools/call", "completion/complete"];
const SUBJECTS = ["query", "describe_table", "", "postgres://db/public/deliveries", "a_tool_with_a_name_that_is_as_long_as_names_of_tools_get_in_the_wild", ""];

/** What the Traffic tab shows: nearly two thousand messages, some refused, one unanswered. */
export function trafficScene(fake: FakeHost): void {
  const frames: Frame[] = [];
  const began = Date.now() - 600_000;
  const push = (part: Partial<Frame>) => frames.push({ seq: frames.length + 1, atMs: began + frames.length * 290, out: true, kind: "request", method: "", id: "", subject: "", size: 240, pair: 0, tookMs: 0, ...part });
  for (let at = 0; frames.length < 1990; at++) {
    const kind = at % 6;
    push({ method: METHODS[kind] ?? "", subject: SUBJECTS[kind] ?? "", id: String(at) });
    const pair = frames.length;
    const refused = at % 41 === 4;
    push({ out: false, kind: refused ? "error" : "response", method: METHODS[kind] ?? "", id: String(at), pair, tookMs: (at * 7) % 90 + 0.4, size: kind === 3 ? 2_300_000 : 410 + (at % 9) * 200, subject: refused ? "relation \"deliverys\" does not exist" : "" });
    if (at % 17 === 0) push({ out: false, kind: "notification", method: "notifications/message", subject: "slow query: 1.2 s", size: 180 });
    if (at % 97 === 9) push({ out: false, kind: "noise", method: "", size: 61, subject: "DEBUG pool: 3 of 5 connections are in use" });
  }
  push({ method: "tools/call", subject: "query", id: "last" });
  fake.state.frames = { frames, oldest: 0, newest: frames.length };
  fake.state.body = { text: JSON.stringify({ jsonrpc: "2.0", id: 71, result: { content: [{ type: "text", text: "3 rows" }], structuredContent: { rows: [{ id: 71, host: "db.example.com", password: "•••" }] } } }), size: 212, cut: false, gone: false };
}
