import type { ChatContent, ChatEvent, Transcript } from "../../contract/types";

/** One tool call as its card shows it. */
export interface CallItem {
  kind: "call"; key: string; id: string; server: string; tool: string; arguments: string;
  status: "running" | "ok" | "failed"; asking: boolean; tookMs: number; content: readonly ChatContent[];
  reason: string; progress: number; total: number; progressText: string; decision: string;
}

/** One thing in the conversation. A finished item is never replaced, so it is drawn once. */
export type Item =
  | { kind: "user" | "answer" | "reasoning" | "notice" | "error"; key: string; text: string; open: boolean }
  | { kind: "done"; key: string; stopReason: string; practice: boolean; model: string; tokens: number }
  | CallItem;

/** A conversation up to seq. */
export interface Conversation {
  sessionId: string; seq: number; runId: string; tokens: number; items: readonly Item[];
}

/** A conversation in which nothing was said. */
export function empty(sessionId: string): Conversation {
  return { sessionId, seq: 0, runId: "", tokens: 0, items: [] };
}

/** Builds the conversation a transcript tells. */
export function fromTranscript(transcript: Transcript): Conversation {
  let conv = empty(transcript.sessionId);
  for (const event of transcript.events) conv = step(conv, event);
  return { ...conv, seq: Math.max(conv.seq, transcript.seq), runId: transcript.runId };
}

/** Applies a live event. "gap" means that something between was missed, or that a merged event
 *  is half known: read the transcript again. Known events and other sessions change nothing. */
export function apply(conv: Conversation, event: ChatEvent): Conversation | "gap" {
  if (event.sessionId !== conv.sessionId || event.seq <= conv.seq) return conv;
  if ((event.firstSeq || event.seq) !== conv.seq + 1) return "gap";
  return step(conv, event);
}

function step(before: Conversation, event: ChatEvent): Conversation {
  const conv = { ...before, seq: Math.max(before.seq, event.seq) };
  if (event.kind === "user") {
    return { ...conv, runId: event.runId, tokens: 0,
      items: [...close(conv.items), { kind: "user", key: `u${event.seq}`, text: event.text, open: false }] };
  }
  // A turn that is over may still trail events; they belong to nothing shown.
  if (conv.runId !== "" && event.runId !== conv.runId) return conv;
  switch (event.kind) {
    case "text": return append(conv, "answer", event);
    case "reasoning": return append(conv, "reasoning", event);
    case "step": return { ...conv, items: close(conv.items) };
    case "notice": return add(conv, { kind: "notice", key: `n${event.seq}`, text: event.text, open: false });
    case "error": {
      const text = event.message || event.code || "the turn failed without saying why";
      return add(conv, { kind: "error", key: `e${event.seq}`, text, open: false });
    }
    case "tool_call": return add(conv, {
      kind: "call", key: `c${event.seq}`, id: event.id, server: event.server, tool: event.tool,
      arguments: event.arguments, status: "running", asking: false, tookMs: 0, content: [], reason: "",
      progress: 0, total: 0, progressText: "", decision: "",
    });
    case "asking": return change(conv, event.id, { asking: true });
    case "approval": return change(conv, event.id, { asking: false, decision: event.decision });
    case "progress": return change(conv, event.id,
      { progress: event.progress, total: event.total, progressText: event.text });
    case "tool_result": return change(conv, event.id, {
      status: event.ok ? "ok" : "failed", asking: false, tookMs: event.tookMs,
      content: event.content, reason: event.reason,
    });
    case "usage": return { ...conv, tokens: conv.tokens + event.inputTokens + event.outputTokens };
    case "done": return { ...add(conv, {
      kind: "done", key: `d${event.seq}`, stopReason: event.stopReason, practice: event.practice,
      model: event.model, tokens: conv.tokens,
    }), runId: "" };
    case "rewind": return { ...conv, items: conv.items.filter((each) => Number(each.key.slice(1)) < event.toSeq) };
    default: return never(event.kind, conv);
  }
}

/** An unknown kind from a newer application is passed over; here it does not compile. */
function never(_: never, conv: Conversation): Conversation {
  return conv;
}

/** Ends the streaming of the last item. */
function close(items: readonly Item[]): readonly Item[] {
  const last = items[items.length - 1];
  if (!last || !("open" in last) || !last.open) return items;
  return [...items.slice(0, -1), { ...last, open: false }];
}

function add(conv: Conversation, item: Item): Conversation {
  return { ...conv, items: [...close(conv.items), item] };
}

function append(conv: Conversation, kind: "answer" | "reasoning", event: ChatEvent): Conversation {
  const last = conv.items[conv.items.length - 1];
  if (last?.kind === kind && last.open) {
    return { ...conv, items: [...conv.items.slice(0, -1), { ...last, text: last.text + event.text }] };
  }
  return add(conv, { kind, key: `t${event.firstSeq || event.seq}`, text: event.text, open: true });
}

/** Changes the newest call with that id: models reuse ids in later turns. */
function change(conv: Conversation, id: string, part: Partial<CallItem>): Conversation {
  for (let at = conv.items.length - 1; at >= 0; at--) {
    const item = conv.items[at];
    if (item?.kind !== "call" || item.id !== id) continue;
    const items = conv.items.slice();
    items[at] = { ...item, ...part };
    return { ...conv, items };
  }
  return conv;
}
