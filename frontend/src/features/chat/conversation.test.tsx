import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ChatContent, ChatEvent, MCPSnapshot } from "../../contract/types";
import { Cell } from "../../lib/store";
import { event, FakeHost, row } from "../../platform/fake";
import { ChatStore } from "./chat-store";
import { Conversation, type ConversationProps } from "./conversation";

const part = (more: Partial<ChatContent>): ChatContent => ({ kind: "text", text: "", mimeType: "", url: "", uri: "", name: "", json: "", ...more });

async function show(events: ChatEvent[], props: Partial<ConversationProps> = {}, runId = "") {
  const fake = new FakeHost();
  fake.state.transcript = { sessionId: "s1", seq: events.length, runId, events };
  const store = new ChatStore(fake.host());
  store.start();
  store.show("s1");
  await waitFor(() => expect(store.loading.get()).toBe(false));
  const mcp = new Cell<MCPSnapshot>({ ...fake.state.mcp, rows: [row({ name: "demo", toolCount: 5 })] });
  const calls = { onLink: vi.fn(), onRetryCall: vi.fn(), onCancelCall: vi.fn(), onCopy: vi.fn(), onFrames: vi.fn(), onResend: vi.fn(() => Promise.resolve(true)), onExample: vi.fn() };
  render(<Conversation store={store} mcp={mcp} workspace="/w" {...calls} {...props} />);
  return { fake, store, ...calls };
}
const turn: ChatEvent[] = [event(1, { kind: "user", text: "first words" }), event(2, { kind: "text", text: "some **bold** answer" }), event(3, { kind: "done", stopReason: "end_turn", model: "m" })];

test("a message is edited in its place and sent again by its number; a refusal keeps what was written", async () => {
  const { onResend } = await show(turn);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Edit and resend" }));
  const box = screen.getByRole("textbox", { name: "Edit message" });
  expect(document.activeElement).toBe(box);
  await user.clear(box);
  expect(screen.getByRole("button", { name: "Resend" })).toHaveProperty("disabled", true);
  await user.type(box, "better words");
  onResend.mockResolvedValueOnce(false);
  await user.click(screen.getByRole("button", { name: "Resend" }));
  expect(box).toHaveProperty("value", "better words");
  await user.click(screen.getByRole("button", { name: "Resend" }));
  expect(onResend.mock.calls).toEqual([[1, "better words"], [1, "better words"]]);
  expect(screen.queryByRole("textbox", { name: "Edit message" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Edit and resend" }));
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("textbox", { name: "Edit message" })).toBeNull();
});

test("while a turn runs, and where nothing can be sent, nothing is edited", async () => {
  await show([turn[0]!, event(2, { kind: "text", text: "so far" })], {}, "r1");
  expect(screen.getByText("so far")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Edit and resend" })).toBeNull();
});

test("a message, an answer and the whole conversation are copied", async () => {
  const { onCopy } = await show(turn);
  for (const name of ["Copy message", "Copy as Markdown", "Copy conversation as Markdown"]) fireEvent.click(screen.getByRole("button", { name }));
  expect(onCopy.mock.calls.flat()).toEqual(["first words", "some **bold** answer", "## You\n\nfirst words\n\n## Assistant\n\nsome **bold** answer\n"]);
});

test("find counts what is out of sight and folded too, opens it, and goes around", async () => {
  const many = Array.from({ length: 300 }, (_, at) => event(at + 1, { kind: "user", text: at % 100 === 0 ? "a needle here" : `hay ${at}` }));
  await show([...many, event(301, { kind: "reasoning", text: "the NEEDLE thought" }), event(302, { kind: "tool_call", id: "c", tool: "t", server: "s", arguments: '{"q":"needle"}' }), event(303, { kind: "tool_result", id: "c", ok: true, content: [part({ text: `${"x\n".repeat(400)}needle` })] })]);
  const user = userEvent.setup();
  await user.keyboard("{Control>}f{/Control}");
  const box = screen.getByRole("searchbox", { name: "Find in conversation" });
  await user.type(box, "needle");
  expect(screen.getByRole("status").textContent).toBe("6 of 6");
  const card = screen.getByRole("article", { name: "Tool call s · t" });
  expect(card.closest(".entry")?.className).toContain("found");
  expect(card.textContent).toContain("needle");
  await user.click(screen.getByRole("button", { name: "Next" }));
  expect(screen.getByRole("status").textContent).toBe("1 of 6");
  await user.keyboard("{Shift>}{Tab}{/Shift}{Shift>}{Tab}{/Shift}{Shift>}{Enter}{/Shift}{Shift>}{Enter}{/Shift}{Shift>}{Enter}{/Shift}");
  expect(screen.getByRole("status").textContent).toBe("4 of 6");
  expect(screen.getByText("the NEEDLE thought")).toBeTruthy();
  await user.type(box, "s");
  expect(screen.getByRole("status").textContent).toBe("Not found");
  await user.keyboard("{Escape}");
  expect(screen.queryByRole("searchbox")).toBeNull();
  expect(document.activeElement).toBe(screen.getByRole("log", { name: "Conversation" }));
});

test("the end of a search gives the focus back to who had it", async () => {
  await show(turn);
  const user = userEvent.setup();
  screen.getByRole("button", { name: "Edit and resend" }).focus();
  await user.keyboard("{Control>}f{/Control}first{Control>}f{/Control}{Escape}");
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Edit and resend" }));
  await user.click(screen.getByRole("button", { name: "Find in conversation" }));
  await user.keyboard("{Escape}");
  expect(document.activeElement).toBe(screen.getByRole("log", { name: "Conversation" }));
});

test("who scrolled up stays there while an answer grows, and is at the end again when they say something or retry", async () => {
  const { store } = await show([...turn, event(4, { kind: "user", text: "x" }), event(5, { kind: "tool_call", id: "b", server: "docs", tool: "find" }), event(6, { kind: "tool_result", id: "b", ok: false, reason: "server_gone" }), event(7, { kind: "text", text: "so far" })], {}, "r1");
  const log = screen.getByRole("log", { name: "Conversation" });
  Object.defineProperties(log, { scrollHeight: { get: () => 2000 }, clientHeight: { get: () => 500 } });
  const up = () => { log.scrollTop = 700; fireEvent.wheel(log, { deltaY: -50 }); };
  up();
  act(() => store.receive([event(8, { kind: "done", stopReason: "end_turn" })]));
  expect([log.scrollTop, screen.queryAllByRole("button", { name: "Go to the latest" }).length]).toEqual([700, 1]);
  act(() => store.receive([event(9, { kind: "user", text: "and now" }), event(10, { kind: "done" })]));
  expect([log.scrollTop, screen.queryAllByRole("button", { name: "Go to the latest" }).length]).toEqual([2000, 0]);
  up();
  fireEvent.click(screen.getByRole("button", { name: "Retry call of docs" }));
  expect(log.scrollTop).toBe(2000);
});

test("while a change waits for an answer its question alone shows it", async () => {
  const { store } = await show([event(1, { kind: "user", text: "x" }), event(2, { kind: "tool_call", id: "d", tool: "write_file", arguments: JSON.stringify({ path: "b.md", content: "one" }) }), event(3, { kind: "asking", id: "d" })], {}, "r1");
  expect(screen.queryByRole("group", { name: "Change" })).toBeNull();
  act(() => store.receive([event(4, { kind: "approval", id: "d", decision: "allow_once" })]));
  expect(screen.getByRole("group", { name: "Change" })).toBeTruthy();
});

test("Ctrl+F elsewhere is left to whoever has the focus", async () => {
  await show(turn);
  const other = document.body.appendChild(document.createElement("input"));
  other.focus();
  fireEvent.keyDown(other, { key: "f", ctrlKey: true });
  expect(screen.queryByRole("searchbox")).toBeNull();
  other.remove();
});

test("an empty conversation offers examples for the practice model only", async () => {
  const { onExample } = await show([], { practice: true });
  await userEvent.click(screen.getByRole("button", { name: "call demo_add with a=2 b=3" }));
  expect(onExample).toHaveBeenCalledWith("call demo_add with a=2 b=3");
  expect(within(screen.getByRole("list", { name: "Examples" })).getAllByRole("button")).toHaveLength(3);
});

test("an empty conversation of a real model has no examples", async () => {
  await show([]);
  expect(screen.getByRole("heading", { name: "What should the agent do?" })).toBeTruthy();
  expect(screen.queryByRole("list", { name: "Examples" })).toBeNull();
});

test("a card shows its arguments as a line and a tree, its result by kind, and offers the call again", async () => {
  const { onRetryCall, onCancelCall, onCopy, onFrames } = await show([event(1, { kind: "user", text: "x" }),
    event(2, { kind: "tool_call", id: "a", server: "pg", tool: "query", arguments: '{"limit":3,"table":"deliveries"}' }),
    event(3, { kind: "tool_result", id: "a", ok: true, warning: "the result does not fit", tookMs: 38, frame: 7, content: [part({ text: '{"rows": 3}' }), part({ json: '{"rows":3}' }), part({ kind: "resource_link", name: "Policy", uri: "file:///p.md" })] }),
    event(4, { kind: "tool_call", id: "b", server: "docs", tool: "find", arguments: '{"sql":"select\\n1"}' }),
    event(5, { kind: "tool_result", id: "b", ok: false, reason: "server_gone", content: [part({ text: "docs exited with 1" })] }),
    event(6, { kind: "tool_call", id: "c", tool: "apply_patch", arguments: JSON.stringify({ patch: "*** Begin Patch\n*** Update File: a.go\n@@\n-old\n+new\n*** End Patch" }) }),
    event(7, { kind: "tool_call", id: "d", tool: "write_file", arguments: JSON.stringify({ path: "b.md", content: "one\ntwo\n" }) }),
    event(8, { kind: "tool_call", id: "e", server: "demo", tool: "count", arguments: "{}" }), event(9, { kind: "progress", id: "e", progress: 2, total: 5 })], {}, "r1");
  const user = userEvent.setup();
  const card = within(screen.getByRole("article", { name: "Tool call pg · query" }));
  const line = card.getByRole("button", { name: /^Arguments / });
  expect(line.textContent).toBe("limit: 3  table: deliveries");
  expect(card.queryByRole("group", { name: "Arguments" })).toBeNull();
  await user.click(line);
  expect(card.getByRole("group", { name: "Arguments" }).textContent).toContain("deliveries");
  expect(card.getAllByRole("group", { name: "Result" })).toHaveLength(1); // the same as text and as data
  expect(card.getByText("file:///p.md")).toBeTruthy();
  fireEvent.click(card.getByRole("button", { name: "Copy result of pg · query" }));
  expect(onCopy.mock.calls[0]?.[0]).toContain("[resource link Policy file:///p.md]");
  fireEvent.click(card.getByRole("button", { name: "Frames of query" }));
  expect(onFrames.mock.calls).toEqual([["pg", 7]]);
  expect(card.getByRole("note", { name: "Warning" }).textContent).toBe("the result does not fit");
  expect(card.queryByRole("button", { name: /^Cancel/ })).toBeNull();
  const failed = within(screen.getByRole("article", { name: "Tool call docs · find" }));
  expect(failed.getByText("failed (server gone)")).toBeTruthy();
  expect(failed.getByLabelText("Arguments").textContent).toBe("select\n1");
  await user.click(failed.getByRole("button", { name: "Retry call of docs" }));
  expect(onRetryCall).toHaveBeenCalledWith(expect.objectContaining({ id: "b", server: "docs" }));
  expect(within(screen.getByRole("article", { name: "Tool call apply_patch" })).getByRole("group", { name: "Change" }).textContent).toBe("a.go+1−1- old\n+ new\n");
  expect(within(screen.getByRole("article", { name: "Tool call write_file" })).getByRole("group", { name: "Change" }).textContent).toContain("b.md+2−0⋯ the whole file\n+ one\n+ two\n");
  expect(screen.getByRole("progressbar", { name: "Progress of demo · count" })).toHaveProperty("value", 2);
  await user.click(screen.getByRole("button", { name: "Cancel call of count" }));
  expect(onCancelCall).toHaveBeenCalledWith(expect.objectContaining({ id: "e" }));
});

test("an error says what to do, reasoning how long it took", async () => {
  await show([event(1, { kind: "user", text: "x", atMs: 1 }), event(2, { kind: "reasoning", text: "deep", atMs: 1000 }), event(3, { kind: "error", message: "the endpoint answered 401", atMs: 3500 }), event(4, { kind: "done", stopReason: "max_steps" })]);
  expect(screen.getByText(/Check the key of the model/)).toBeTruthy();
  expect(screen.queryByText("deep")).toBeNull();
  await userEvent.click(screen.getByText("Reasoning for 2.5 s"));
  expect(screen.getByText("deep")).toBeTruthy();
  expect(screen.getByText(/say "go on"/)).toBeTruthy();
});
