import { expect, test, vi } from "vitest";
import { event, FakeHost } from "../../platform/fake";
import { ChatStore } from "./chat-store";
import { apply, empty, fromTranscript, type Conversation } from "./reducer";

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
