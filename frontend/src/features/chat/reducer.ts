import type { Attachment, ChatContent, ChatEvent, Transcript } from "../../contract/types";

/** One tool call as its card shows it. */
export interface CallItem {
  kind: "call"; key: string; id: string; server: string; tool: string; arguments: string;
  status: "running" | "ok" | "failed"; asking: boolean; tookMs: number; frame: number; content: readonly ChatContent[];
  reason: string; warning: string; progress: number; total: number; progressText: string; decision: string;
}

/** What was said or told as text. seq is its event's, for what is sent in its place. */
export interface TextItem {
  kind: "user" | "answer" | "reasoning" | "notice" | "error"; key: string; seq: number; text: string; open: boolean;
  atMs: number; tookMs: number;
  /** What a message of the person carries. */
  attached?: readonly Attachment[];
}

/** The line that ends a turn. */
export interface DoneItem { kind: "done"; key: string; stopReason: string; practice: boolean; model: string; tokens: number }

/** One thing in the conversation. A finished item is never replaced, so it is drawn once. */
export type Item = TextItem | DoneItem | CallItem;

/** A conversation up to seq. tokens are those of the turn, context those of its last request. */
export interface Conversation {
  sessionId: string; seq: number; runId: string; tokens: number; context: number; items: readonly Item[];
}

/** A conversation under way of being built: its list changes, its items never do. */
type Draft = Omit<Conversation, "items"> & { items: Item[] };

/** A conversation in which nothing was said. */
export function empty(sessionId: string): Conversation {
  return { sessionId, seq: 0, runId: "", tokens: 0, context: 0, items: [] };
}

/** Builds the conversation a transcript tells. */
export function fromTranscript(transcript: Transcript): Conversation {
  const draft: Draft = { ...empty(transcript.sessionId), items: [] };
  for (const event of transcript.events) step(draft, event);
  return { ...draft, seq: Math.max(draft.seq, transcript.seq), runId: transcript.runId };
}

/** Applies a batch of live events as far as it goes. rest are those from the first that does not
 *  follow: something between was missed, or a merged event is half known, so read the transcript
 *  again. Known events and other sessions change nothing; the list is copied once. */
export function applyAll(conv: Conversation, batch: readonly ChatEvent[]): { conv: Conversation; rest: ChatEvent[] } {
  let draft: Draft | undefined;
  for (const [at, event] of batch.entries()) {
    const seq = draft?.seq ?? conv.seq;
    if (event.sessionId !== conv.sessionId || event.seq <= seq) continue;
    if ((event.firstSeq || event.seq) !== seq + 1) return { conv: draft ?? conv, rest: batch.slice(at) };
    draft ??= { ...conv, items: conv.items.slice() };
    step(draft, event);
  }
  return { conv: draft ?? conv, rest: [] };
}

/** Applies one live event; "gap" means that it does not follow. */
export function apply(conv: Conversation, event: ChatEvent): Conversation | "gap" {
  const { conv: next, rest } = applyAll(conv, [event]);
  return rest.length > 0 ? "gap" : next;
}

function step(conv: Draft, event: ChatEvent): void {
  conv.seq = Math.max(conv.seq, event.seq);
  if (event.kind === "user") {
    conv.runId = event.runId;
    conv.tokens = 0;
    const said = textItem("user", "u", event, event.text);
    return add(conv, event.attached?.length ? { ...said, attached: event.attached } : said);
  }
  if (event.kind === "rewind") {
    conv.items = conv.items.filter((each) => Number(each.key.slice(1)) < event.toSeq);
    return;
  }
  // A turn that is over may still trail events; they belong to nothing shown.
  if (conv.runId !== "" && event.runId !== conv.runId) return;
  switch (event.kind) {
    case "text": return append(conv, "answer", event);
    case "reasoning": return append(conv, "reasoning", event);
    case "step": return close(conv, event.atMs);
    case "notice": return add(conv, textItem("notice", "n", event, event.text));
    case "error": return add(conv, textItem("error", "e", event, event.message || event.code || "the turn failed without saying why"));
    case "tool_call": return add(conv, {
      kind: "call", key: `c${event.seq}`, id: event.id, server: event.server, tool: event.tool,
      arguments: event.arguments, status: "running", asking: false, tookMs: 0, frame: 0, content: [], reason: "", warning: "",
      progress: 0, total: 0, progressText: "", decision: "",
    }, event.atMs);
    case "asking": return change(conv, event.id, { asking: true });
    case "approval": return change(conv, event.id, { asking: false, decision: event.decision });
    case "progress": return change(conv, event.id,
      { progress: event.progress, total: event.total, progressText: event.text });
    case "tool_result": return change(conv, event.id, {
      status: event.ok ? "ok" : "failed", asking: false, tookMs: event.tookMs, frame: event.frame ?? 0,
      content: event.content, reason: event.reason, warning: event.warning,
    });
    case "usage": {
      conv.context = event.inputTokens + event.outputTokens;
      conv.tokens += conv.context;
      return;
    }
    case "done": {
      add(conv, {
        kind: "done", key: `d${event.seq}`, stopReason: event.stopReason, practice: event.practice,
        model: event.model, tokens: conv.tokens,
      }, event.atMs);
      conv.runId = "";
      return;
    }
    default: return never(event.kind);
  }
}

/** An unknown kind from a newer application is passed over; here it does not compile. */
function never(_: never): void {}

function textItem(kind: TextItem["kind"], letter: string, event: ChatEvent, text: string): TextItem {
  return { kind, key: `${letter}${event.seq}`, seq: event.seq, text, open: false, atMs: event.atMs, tookMs: 0 };
}

/** Ends the streaming of the last item. */
function close(conv: Draft, atMs: number): void {
  const last = conv.items[conv.items.length - 1];
  if (!last || !("open" in last) || !last.open) return;
  const tookMs = last.atMs > 0 && atMs > last.atMs ? atMs - last.atMs : 0;
  conv.items[conv.items.length - 1] = { ...last, open: false, tookMs };
}

function add(conv: Draft, item: Item, atMs = "atMs" in item ? item.atMs : 0): void {
  close(conv, atMs);
  conv.items.push(item);
}

function append(conv: Draft, kind: "answer" | "reasoning", event: ChatEvent): void {
  const last = conv.items[conv.items.length - 1];
  if (last?.kind === kind && last.open) {
    conv.items[conv.items.length - 1] = { ...last, text: last.text + event.text };
    return;
  }
  const seq = event.firstSeq || event.seq;
  add(conv, { ...textItem(kind, "t", event, event.text), key: `t${seq}`, seq, open: true });
}

/** Changes the newest call with that id: models reuse ids in later turns. */
function change(conv: Draft, id: string, part: Partial<CallItem>): void {
  for (let at = conv.items.length - 1; at >= 0; at--) {
    const item = conv.items[at];
    if (item?.kind !== "call" || item.id !== id) continue;
    conv.items[at] = { ...item, ...part };
    return;
  }
}
