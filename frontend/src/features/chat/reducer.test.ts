import { expect, test, vi } from "vitest";
import { event, FakeHost } from "../../platform/fake";
import { ChatStore } from "./chat-store";
import { apply, applyAll, empty, fromTranscript, type Conversation } from "./reducer";
import { toMarkdown } from "./to-markdown";

function play(...events: ReturnType<typeof event>[]): Conversation {
  let conv = empty("s1");
  for (const each of events) {
    const next = apply(conv, each);
    if (next === "gap") throw new Error(`gap at ${each.seq}`);
    conv = next;
  }
  return conv;
}

const begin = event(1, { kind: "user", text: "hi" });

test("merged deltas continue an answer; a duplicate and another session change nothing", () => {
  const conv = play(begin, event(2, { kind: "text", text: "a" }), event(5, { kind: "text", text: "bcd", firstSeq: 3 }));
  expect(conv.items.map((each) => "text" in each && each.text)).toEqual(["hi", "abcd"]);
  expect(apply(conv, event(5, { kind: "text", text: "bcd", firstSeq: 3 }))).toBe(conv);
  expect(apply(conv, event(6, { kind: "text", text: "x", sessionId: "s2" }))).toBe(conv);
});

test("a missed event and a half known merged one are gaps", () => {
  const conv = play(begin);
  expect(apply(conv, event(3, { kind: "text", text: "x" }))).toBe("gap");
  expect(apply(conv, event(3, { kind: "text", text: "xyz", firstSeq: 1 }))).toBe("gap");
});

test("a turn that is over leaves the next one alone", () => {
  const conv = play(begin, event(2, { kind: "user", text: "again", runId: "r2" }), event(3, { kind: "text", text: "stale" }));
  expect(conv.items).toHaveLength(2);
  expect(conv.seq).toBe(3);
});

test("a call runs, asks, ends; a step begins a new message; finished items keep their identity", () => {
  const before = play(begin, event(2, { kind: "text", text: "a" }), event(3, { kind: "tool_call", id: "c", server: "s", tool: "t" }));
  const after = [event(4, { kind: "asking", id: "c" }), event(5, { kind: "approval", id: "c", decision: "allow_once" }),
    event(6, { kind: "tool_result", id: "c", ok: false, reason: "server_gone", tookMs: 9 }), event(7, { kind: "step" }), event(8, { kind: "text", text: "b" }),
    event(9, { kind: "done", stopReason: "end_turn", practice: true })].reduce((conv, each) => apply(conv, each) as Conversation, before);
  expect(after.items[2]).toMatchObject({ status: "failed", asking: false, reason: "server_gone", decision: "allow_once" });
  expect(after.items.map((each) => each.kind)).toEqual(["user", "answer", "call", "answer", "done"]);
  expect(after.items[1]).toBe(before.items[1]);
  expect(after.runId).toBe("");
});

test("the store reads the transcript again on a gap and keeps what came meanwhile", async () => {
  const fake = new FakeHost();
  fake.state.transcript = { sessionId: "s1", seq: 1, runId: "r1", events: [begin] };
  const store = new ChatStore(fake.host());
  const off = store.start();
  store.show("s1");
  fake.emit("chat", [event(2, { kind: "text", text: "early" })]); // before the transcript is there
  await vi.waitFor(() => expect(store.conversation.get().seq).toBe(2));
  fake.state.transcript = { sessionId: "s1", seq: 4, runId: "r1", events: [begin, event(4, { kind: "text", text: "early, all", firstSeq: 2 })] };
  fake.emit("chat", [event(4, { kind: "text", text: "all" })]); // 3 was missed
  fake.emit("chat", [event(5, { kind: "text", text: "!" })]);
  await vi.waitFor(() => expect(store.conversation.get().seq).toBe(5), { timeout: 20_000 });
  expect(store.conversation.get()).toEqual({ ...fromTranscript(fake.state.transcript), seq: 5, items: [expect.anything(), expect.objectContaining({ text: "early, all!" })] });
  off();
});

test("a message that is edited takes back what came from it on, live and in a transcript", () => {
  const events = [begin, event(2, { kind: "text", text: "hello", firstSeq: 2 }), event(3, { kind: "done", stopReason: "end_turn" }),
    event(4, { kind: "user", text: "wrong", runId: "r2" }), event(5, { kind: "text", text: "answer", runId: "r2" }), event(6, { kind: "done", stopReason: "end_turn", runId: "r2" }),
    event(7, { kind: "rewind", toSeq: 4, runId: "r3" }), event(8, { kind: "user", text: "right", runId: "r3" }), event(9, { kind: "text", text: "better", runId: "r3" })];
  const want = ["hi", "hello", undefined, "right", "better"];
  const live = play(...events);
  expect(live.items.map((each) => ("text" in each ? each.text : undefined))).toEqual(want);
  expect(live.runId).toBe("r3");
  const read = fromTranscript({ sessionId: "s1", seq: 9, runId: "r3", events });
  expect(read).toEqual(live);
  expect(read.items.filter((each) => each.kind === "user").map((each) => "seq" in each && each.seq)).toEqual([1, 8]);
});

test("a transcript is built in one list, and a batch copies the list once", () => {
  const events = Array.from({ length: 3000 }, (_, at) => event(at + 1, { kind: "user", text: `m${at}` }));
  const copies = vi.spyOn(Array.prototype, "slice");
  const conv = fromTranscript({ sessionId: "s1", seq: 3000, runId: "", events });
  expect(copies).not.toHaveBeenCalled();
  const { conv: next } = applyAll({ ...conv, runId: "r1" }, Array.from({ length: 50 }, (_, at) => event(3001 + at, { kind: "text", text: "x" })));
  expect(copies).toHaveBeenCalledTimes(1);
  copies.mockRestore();
  expect(conv.items).toHaveLength(3000);
  expect(next.items).toHaveLength(3001);
  expect(next.items[5]).toBe(conv.items[5]);
});

test("reasoning knows how long it took, the conversation what its last request was worth", () => {
  const conv = play(begin, event(2, { kind: "reasoning", text: "hm", atMs: 1000 }), event(3, { kind: "text", text: "so", atMs: 5200 }),
    event(4, { kind: "usage", inputTokens: 100, outputTokens: 20 }), event(5, { kind: "usage", inputTokens: 150, outputTokens: 5 }), event(6, { kind: "done", stopReason: "end_turn" }));
  expect(conv.items[1]).toMatchObject({ kind: "reasoning", tookMs: 4200 });
  expect(conv.context).toBe(155);
  expect(conv.items[3]).toMatchObject({ tokens: 275 });
});

test("text that streams is published once per frame, and at once with what ends it", async () => {
  const fake = new FakeHost();
  fake.state.transcript = { sessionId: "s1", seq: 1, runId: "r1", events: [begin] };
  const store = new ChatStore(fake.host());
  const off = store.start();
  store.show("s1");
  await vi.waitFor(() => expect(store.conversation.get().seq).toBe(1));
  vi.useFakeTimers();
  let told = 0;
  store.conversation.subscribe(() => told++);
  for (let seq = 2; seq < 102; seq++) fake.emit("chat", [event(seq, { kind: "text", text: "a" })]);
  expect(told).toBe(0);
  vi.advanceTimersByTime(40);
  expect(told).toBe(1);
  expect(store.conversation.get().items[1]).toMatchObject({ text: "a".repeat(100) });
  fake.emit("chat", [event(102, { kind: "text", text: "b" })]);
  fake.emit("chat", [event(103, { kind: "done", stopReason: "end_turn" })]);
  expect(told).toBe(2);
  expect(store.conversation.get()).toMatchObject({ seq: 103, runId: "" });
  vi.advanceTimersByTime(1000);
  expect(told).toBe(2);
  vi.useRealTimers();
  off();
});

test("the conversation as Markdown says who spoke, what was called and what came back", () => {
  const conv = play(begin, event(2, { kind: "reasoning", text: "secret thoughts" }), event(3, { kind: "text", text: "Look:\n" }),
    event(4, { kind: "tool_call", id: "c", server: "pg", tool: "query", arguments: '{"sql":"select 1"}' }),
    event(5, { kind: "tool_result", id: "c", ok: true, content: [{ kind: "text", text: "a ``` b", mimeType: "", url: "", uri: "", name: "", json: "" }] }),
    event(6, { kind: "step" }), event(7, { kind: "text", text: "Done." }), event(8, { kind: "done", stopReason: "cancelled" }),
    event(9, { kind: "user", text: "thanks", runId: "r2" }));
  expect(toMarkdown(conv.items)).toBe([
    "## You", "hi", "## Assistant", "Look:", "**Tool call** `pg · query`: ok", '```json\n{\n  "sql": "select 1"\n}\n```', "````\na ``` b\n````",
    "Done.", "*cancelled*", "## You", "thanks\n",
  ].join("\n\n"));
  expect(toMarkdown([])).toBe("");
});
