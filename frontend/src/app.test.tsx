import { act, cleanup, createEvent, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { App } from "./app";
import { ask, event, FakeHost, row } from "./platform/fake";

Object.defineProperty(window, "scrollTo", { value: () => {} });

async function open(setup?: (fake: FakeHost) => void): Promise<FakeHost> {
  const fake = new FakeHost();
  setup?.(fake);
  render(<App host={fake.host()} />);
  await waitFor(() => expect(fake.calls.map((each) => each[0])).toContain("transcript"));
  await waitFor(() => expect(screen.getByRole("textbox", { name: "Message" })).toHaveProperty("disabled", false));
  return fake;
}
const commands = (fake: FakeHost, name: string) => fake.calls.filter((each) => each[0] === name);

test("the board says every state and offers the buttons by their names", async () => {
  const fake = await open((f) => { f.state.mcp = { ...f.state.mcp, toolCount: 37, schemaTokens: 6100, rows: [
    row({ name: "good" }), row({ name: "sleepy", state: "paused", paused: true, action: "resume", reason: "Paused in this session only" }),
    row({ name: "bad", state: "error", action: "retry", reason: "Exited with 1" }), row({ name: "off", state: "disabled", enabled: false, action: "enable" })] }; });
  const grid = await screen.findByRole("grid", { name: "Servers" });
  await within(grid).findByRole("row", { name: "good" });
  expect(grid.getAttribute("aria-rowcount")).toBe("5");
  for (const [name, state] of [["good", "connected"], ["sleepy", "paused"], ["bad", "error"], ["off", "disabled"]] as const) {
    expect(within(within(grid).getByRole("row", { name })).getAllByRole("gridcell")[0]?.textContent).toBe(state);
  }
  const user = userEvent.setup();
  for (const [button, command] of [["Pause good", "pauseServer"], ["Resume sleepy", "resumeServer"], ["Retry bad", "retryServer"], ["Enable off", "enableServer"], ["Disable good", "disableServer"], ["Retry failed", "retryFailed"], ["Rebuild all", "rebuildAll"]] as const) {
    await user.click(screen.getByRole("button", { name: button }));
    expect(commands(fake, command), button).toHaveLength(1);
  }
  expect(screen.getByRole("switch", { name: "off in this session" })).toHaveProperty("disabled", true);
  await user.click(screen.getByRole("switch", { name: "good in this session" }));
  expect(commands(fake, "pauseServer")).toHaveLength(2);
  expect(screen.getByLabelText("Status").textContent).toContain("1 connected · 1 error · 1 paused · 37 tools · 6.1k schema tokens");
  await user.click(screen.getByRole("button", { name: "/home/dev/.ai4j/mcp.json" }));
  expect(commands(fake, "openFile")[0]).toEqual(["openFile", "store", 0]);
});

test("add says what is missing, then sends the form; remove is confirmed and can be undone", async () => {
  const fake = await open((f) => { f.state.mcp = { ...f.state.mcp, rows: [row({ name: "old" })] }; });
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Add server" }));
  await user.type(await screen.findByLabelText("Name"), "old");
  expect(screen.getByRole("alert").textContent).toContain("old is defined already");
  await user.type(screen.getByLabelText("Name"), "er");
  await user.type(screen.getByLabelText("Command"), "npx");
  await user.type(screen.getByLabelText("Arguments, one per line"), "-y{Enter}pkg");
  await user.click(screen.getByRole("button", { name: "Add" }));
  expect(commands(fake, "addServer")[0]?.[1]).toMatchObject({ name: "older", command: "npx", args: ["-y", "pkg"], enable: true });
  await user.click(screen.getByRole("button", { name: "Remove old" }));
  expect(commands(fake, "removeServer")).toHaveLength(0);
  await user.click(await screen.findByRole("button", { name: "Remove" }));
  await user.click(await screen.findByRole("button", { name: "Undo" }));
  expect(commands(fake, "undoChange")).toEqual([["undoChange", "c1"]]);
});

test("a clash is settled per tool; a rejected command is shown", async () => {
  const fake = await open((f) => {
    f.refuse.resolveClash = { code: "conflict", message: "fs_b is taken by other" };
    f.state.mcp = { ...f.state.mcp, rows: [row({ name: "fs", state: "error", action: "resolve", conflicts: [{ tool: "a", owner: "built-in" }, { tool: "b", owner: "other" }] })] };
  });
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Resolve fs" }));
  await user.click((await screen.findAllByRole("radio", { name: "Hold back" }))[0]!);
  await user.click(screen.getByRole("button", { name: "Apply" }));
  expect(commands(fake, "resolveClash")).toEqual([["resolveClash", "fs", { exclude: ["a"], rename: { b: "fs_b" } }]]);
  expect(await screen.findByText(/fs_b is taken by other/)).toBeTruthy();
});

test("an approval offers the workspace only where it may be granted", async () => {
  const q = { id: "q", sessionId: "s1", callId: "c", server: "", tool: "bash", why: "executes", previewKind: "command", preview: "ls", workspaceGrant: false, atMs: 0 };
  const fake = await open((f) => { f.state.approvals = { rev: 1, questions: [q, { ...q, id: "p", tool: "write_file", workspaceGrant: true }] }; });
  const group = await screen.findByRole("group", { name: "Approve bash" });
  expect(within(group).queryByRole("button", { name: "Allow in workspace" })).toBeNull();
  expect(within(screen.getByRole("group", { name: "Approve write_file" })).getByRole("button", { name: "Allow in workspace" })).toBeTruthy();
  await userEvent.click(within(group).getByRole("button", { name: "Reject" }));
  expect(commands(fake, "answerApproval")).toEqual([["answerApproval", "q", "reject"]]);
});

test("what a server asks stands in the conversations of its sessions, and a link is opened once that is confirmed", async () => {
  const link = ask({ id: "l", kind: "link", message: "Sign in", url: "https://example.com/in" });
  const fake = await open((f) => {
    f.state.sessions = { ...f.state.sessions, sessions: [...f.state.sessions.sessions, { id: "s2", title: "Second", workspace: "/home/dev/pay", updatedMs: 0, running: true, readOnly: false }] };
    f.state.asks = { rev: 1, asks: [link, ask({ id: "o", server: "other", sessions: ["s2"], message: "elsewhere", schema: "{}" })] };
  });
  const group = await screen.findByRole("group", { name: "everything asks" });
  expect(screen.queryByRole("group", { name: "other asks" })).toBeNull();
  expect(within(screen.getByRole("navigation", { name: "Sessions" })).getAllByText("asks")).toHaveLength(2);
  await userEvent.click(within(group).getByRole("button", { name: "Open link" }));
  expect(commands(fake, "openLink")).toEqual([]);
  await userEvent.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Open" }));
  expect(commands(fake, "openLink")).toEqual([["openLink", "https://example.com/in"]]);
  fake.refuse.answerAsk = { code: "not_found", message: "this question is no longer open" };
  await userEvent.click(within(group).getByRole("button", { name: "Done" }));
  expect(await screen.findByText(/no longer open/)).toBeTruthy();
  expect(commands(fake, "answerAsk")).toEqual([["answerAsk", "l", expect.objectContaining({ action: "accept" })]]);
  act(() => fake.emit("asks", { rev: 2, asks: [] }));
  expect(screen.queryByRole("group", { name: "everything asks" })).toBeNull();
});

test("D01 the Enter that ends an input method's choice sends nothing, in both orders", async () => {
  const fake = await open();
  const box = screen.getByRole("textbox", { name: "Message" });
  fireEvent.change(box, { target: { value: "你好" } });
  fireEvent.compositionStart(box); // Chrome: keydown while composing, then the end
  fireEvent.keyDown(box, { key: "Enter", keyCode: 13, isComposing: true });
  fireEvent.compositionEnd(box);
  fireEvent.compositionStart(box); // WebKit: the end, then keydown 229
  fireEvent.compositionEnd(box);
  fireEvent.keyDown(box, { key: "Enter", keyCode: 229 });
  fireEvent.keyDown(box, { key: "Enter", keyCode: 13, shiftKey: true });
  expect(commands(fake, "sendMessage")).toEqual([]);
  const enter = createEvent.keyDown(box, { key: "Enter", keyCode: 13 });
  Object.defineProperty(enter, "timeStamp", { value: Date.now() * 2 });
  fireEvent(box, enter);
  expect(commands(fake, "sendMessage")).toEqual([["sendMessage", "s1", "你好", []]]);
});

test("A43 nothing that a model, a tool or a server says runs or loads", async () => {
  const bad = ["<img src=x onerror=\"window.pwned=1\">", "[x](javascript:window.pwned=1)", "![x](http://evil.test/p.png)", "<svg onload=\"window.pwned=1\">", "<iframe srcdoc=\"<script>parent.pwned=1</script>\"></iframe>", "<script>window.pwned=1</script>", "[y](data:text/html,x)"];
  await open((f) => {
    f.state.mcp = { ...f.state.mcp, rows: bad.map((text) => row({ name: text, state: "error", reason: text, error: text })) };
    f.state.transcript = { sessionId: "s1", seq: 100, runId: "", events: bad.flatMap((text, at) => [
      event(at * 10 + 1, { kind: "user", text }), event(at * 10 + 2, { kind: "text", text }), event(at * 10 + 3, { kind: "reasoning", text }),
      event(at * 10 + 4, { kind: "tool_call", id: `${at}`, server: text, tool: text, arguments: text }),
      event(at * 10 + 5, { kind: "tool_result", id: `${at}`, content: [{ kind: "text", text, mimeType: "", url: "", uri: "", name: "", json: "" }] }), event(at * 10 + 6, { kind: "error", message: text })]) };
  });
  await screen.findAllByText(/data:text\/html/);
  expect(document.querySelectorAll("img, iframe, script, [onerror], [onload], a[href^='javascript'], a[href^='data']")).toHaveLength(0);
  expect((window as { pwned?: number }).pwned).toBeUndefined();
});

test("A42 of a long conversation a bounded part near its end is in the page", async () => {
  await open((f) => { f.state.transcript = { sessionId: "s1", seq: 2000, runId: "", events: Array.from({ length: 2000 }, (_, at) => event(at + 1, { kind: "user", text: `message ${at}` })) }; });
  await screen.findByText("message 1999");
  expect(document.querySelectorAll(".user").length).toBeLessThan(100);
  expect(within(screen.getByRole("log", { name: "Conversation" })).queryByText("message 0")).toBeNull();
});

test("pictures and recordings of a result come from our own handler only", async () => {
  const part = (kind: string, url: string) => ({ kind, text: "", mimeType: `${kind}/x`, url, uri: "", name: "", json: "" });
  const asked: string[] = [];
  vi.stubGlobal("fetch", (url: string) => { asked.push(url); return Promise.resolve(new Response("bytes")); });
  URL.createObjectURL = () => "blob:one";
  const dropped: string[] = [];
  URL.revokeObjectURL = (url) => { dropped.push(url); };
  await open((f) => { f.state.transcript = { sessionId: "s1", seq: 9, runId: "r1", events: [event(1, { kind: "user", text: "x" }),
    event(2, { kind: "tool_call", id: "1", server: "shots", tool: "take" }),
    event(3, { kind: "tool_result", id: "1", ok: true, content: [part("image", "/media/ab12"), part("audio", "/media/cd34"), part("image", "http://evil.test/p.png"), part("image", "/media/../go")] })] }; });
  const image = await screen.findByRole("img", { name: "Image from shots · take" });
  expect(image.getAttribute("src")).toBe("/media/ab12");
  expect((await screen.findByLabelText("Audio from shots · take")).getAttribute("src")).toBe("blob:one");
  expect(asked).toEqual(["/media/cd34"]);
  expect(document.querySelectorAll("img")).toHaveLength(1);
  fireEvent.error(image);
  expect(screen.getByText(/Image from shots · take .* cannot be shown/)).toBeTruthy();
  cleanup();
  expect(dropped).toEqual(["blob:one"]);
  vi.unstubAllGlobals();
});

test("a failed call's Retry has a name of its own", async () => {
  const fake = await open((f) => {
    f.state.mcp = { ...f.state.mcp, rows: [row({ name: "docs", state: "error", action: "retry", reason: "exited with 1" })] };
    f.state.transcript = { sessionId: "s1", seq: 9, runId: "r1", events: [event(1, { kind: "user", text: "x" }), event(2, { kind: "tool_call", id: "1", server: "docs", tool: "find" }), event(3, { kind: "tool_result", id: "1", reason: "server_gone" })] };
  });
  await userEvent.click(await screen.findByRole("button", { name: "Retry call of docs" }));
  await userEvent.click(screen.getByRole("button", { name: "Retry docs" }));
  expect(commands(fake, "retryCall")).toEqual([["retryCall", "s1", "1"]]);
  expect(commands(fake, "retryServer")).toEqual([["retryServer", "docs"]]);
});

test("a session is renamed, and deleted once that is confirmed; a read-only one says so instead", async () => {
  const fake = await open((f) => { f.state.sessions = { ...f.state.sessions, sessions: [
    { id: "s1", title: "First", workspace: "/w", updatedMs: 0, running: true, readOnly: false }, { id: "s2", title: "Held", workspace: "/w", updatedMs: 0, running: false, readOnly: true }] }; });
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Rename First" }));
  await user.clear(await screen.findByLabelText("Title"));
  expect(screen.getByRole("alert").textContent).toBe("Give the session a title");
  await user.type(screen.getByLabelText("Title"), "Better{Enter}");
  expect(commands(fake, "renameSession")).toEqual([["renameSession", "s1", "Better"]]);
  await user.click(await screen.findByRole("button", { name: "Delete First" }));
  expect((await screen.findByRole("dialog")).textContent).toContain("Its turn is stopped");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(commands(fake, "deleteSession")).toEqual([]);
  await user.click(screen.getByRole("button", { name: "Delete First" }));
  await user.click(await screen.findByRole("button", { name: "Delete" }));
  expect(commands(fake, "deleteSession")).toEqual([["deleteSession", "s1"]]);
  expect(screen.getByRole("button", { name: "Held read-only" }).title).toContain("another process holds it");
  expect(screen.queryByRole("button", { name: "Delete Held" })).toBeNull();
});

test("the frames of a call are shown once: a board that is hidden and shown again is the list", async () => {
  await open((f) => {
    f.state.mcp = { ...f.state.mcp, rows: [row({ name: "pg" })] };
    f.state.transcript = { ...f.state.transcript, seq: 3, events: [event(1, { kind: "user", text: "x" }),
      event(2, { kind: "tool_call", id: "a", server: "pg", tool: "query", arguments: "{}" }), event(3, { kind: "tool_result", id: "a", ok: true, frame: 7 })] };
  });
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Hide servers" }));
  await user.click(await screen.findByRole("button", { name: "Frames of query" }));
  expect((await screen.findByRole("tab", { name: "Traffic" })).getAttribute("aria-selected")).toBe("true");
  await user.click(screen.getByRole("button", { name: "Close details" }));
  await user.click(screen.getByRole("button", { name: "Hide servers" }));
  await user.click(screen.getByRole("button", { name: "Show servers" }));
  await screen.findByRole("grid", { name: "Servers" });
  expect(screen.queryByRole("region", { name: "Details of pg" })).toBeNull();
  await user.click(screen.getByRole("button", { name: "Frames of query" })); // and again when it is asked for again
  expect(await screen.findByRole("region", { name: "Details of pg" })).toBeTruthy();
});
