import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { App } from "./app";
import { FakeHost } from "./platform/fake";

async function open(setup?: (fake: FakeHost) => void): Promise<FakeHost> {
  const fake = new FakeHost();
  setup?.(fake);
  render(<App host={fake.host()} />);
  await waitFor(() => expect(screen.getByRole("textbox", { name: "Message", hidden: true })).toHaveProperty("disabled", false));
  return fake;
}
const commands = (fake: FakeHost, name: string) => fake.calls.filter((each) => each[0] === name);
const session = (id: string, title: string, workspace: string) => ({ id, title, workspace, updatedMs: 0, running: false, readOnly: false });

test("the workspace menu offers the recent ones, a folder, and none", async () => {
  const fake = await open((f) => { f.state.sessions = { rev: 1, current: "s1", sessions: [session("s1", "First", "/home/dev/pay"), session("s2", "Other", "/home/dev/infra"), session("s3", "Again", "/home/dev/pay")] }; });
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Workspace pay" }));
  const menu = await screen.findByRole("menu", { name: "Workspace pay" });
  expect(within(menu).getAllByRole("menuitem").map((each) => each.textContent)).toEqual([
    "pay/home/dev/paychosen", "infra/home/dev/infra", "Open folder…", "No workspaceA plain chat: no file tools, servers only as you light them"]);
  await user.click(within(menu).getByRole("menuitem", { name: /infra/ }));
  expect(commands(fake, "showWorkspace")).toEqual([["showWorkspace", "/home/dev/infra"]]);
});

test("a search shows where the words are; a refused one says why; Escape brings the list back", async () => {
  const fake = await open((f) => {
    f.state.hits = [{ sessionId: "s9", title: "Ledger", workspace: "/home/dev/pay", atMs: 0, role: "user", before: "why does the ", match: "ledger", after: " fail" }];
  });
  const user = userEvent.setup();
  const box = screen.getByRole("searchbox", { name: "Search sessions" });
  await user.type(box, "ledger");
  const hit = await screen.findByRole("button", { name: /Ledger.*You: why does the ledger fail.*pay/s });
  expect(hit.querySelector("mark")?.textContent).toBe("ledger");
  await user.click(hit);
  expect(commands(fake, "selectSession")).toEqual([["selectSession", "s9"]]);
  fake.refuse.searchSessions = { code: "internal", message: "the history is damaged" };
  await user.type(box, "x");
  await screen.findByText("the history is damaged");
  await user.keyboard("{Escape}");
  expect(screen.getByRole("button", { name: /^First/ })).toBeTruthy();
});

test("panes are hidden and shown, their width is changed by keys, and that is kept", async () => {
  const fake = await open();
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "Hide sessions" }));
  expect(screen.queryByRole("navigation", { name: "Sessions" })).toBeNull();
  await user.keyboard("{Control>}b{/Control}");
  expect(screen.getByRole("navigation", { name: "Sessions" })).toBeTruthy();
  const split = screen.getByRole("separator", { name: "Width of the server board" });
  const before = Number(split.getAttribute("aria-valuenow"));
  split.focus();
  await user.keyboard("{ArrowRight}");
  expect(Number(split.getAttribute("aria-valuenow"))).toBe(before - 16);
  await waitFor(() => expect(commands(fake, "setLayout").at(-1)?.[1]).toMatchObject({ boardWidth: before - 16, sessionsHidden: false }));
  await user.keyboard("{Control>}j{/Control}");
  expect(screen.queryByRole("grid", { name: "Servers" })).toBeNull();
});

test("a question is not missed: not behind a wide board, nor in another session", async () => {
  const fake = await open((f) => {
    f.state.settings.layout.boardWide = true;
    f.state.sessions = { rev: 1, current: "s1", sessions: [session("s1", "First", ""), session("s2", "Other", "")] };
    f.state.approvals = { rev: 1, questions: ["s1", "s2"].map((id) => ({ id: `q${id}`, sessionId: id, callId: "1", server: "", tool: "bash", why: "", previewKind: "command", preview: "ls", workspaceGrant: true, atMs: 0 })) };
  });
  const user = userEvent.setup();
  expect(screen.getByRole("button", { name: "Other asks" })).toBeTruthy();
  await user.click(await screen.findByRole("button", { name: "A tool waits for your answer" }));
  await user.click(within(screen.getByRole("group", { name: "Approve bash" })).getByRole("button", { name: "Allow once" }));
  expect(commands(fake, "answerApproval")).toEqual([["answerApproval", "qs1", "allow_once"]]);
});

test("the model is tested with what the form says; the verdict is in words", async () => {
  const fake = await open((f) => { f.state.profileTest = { ok: false, message: "401: the key was refused", tookMs: 0, models: ["a", "b"] }; });
  const user = userEvent.setup();
  await user.keyboard("{Control>},{/Control}");
  const dialog = await screen.findByRole("dialog", { name: "Settings" });
  await user.type(within(dialog).getByLabelText("Base URL"), "http://localhost:1/v1");
  await user.type(within(dialog).getByRole("combobox", { name: "Model" }), "m");
  await user.type(within(dialog).getByLabelText("Key"), "k");
  await user.click(within(dialog).getByRole("button", { name: "Test" }));
  await within(dialog).findByText(/401: the key was refused/);
  expect(commands(fake, "testProfile")[0]).toEqual(["testProfile", { name: "", baseUrl: "http://localhost:1/v1", model: "m", hasKey: false }, "k"]);
  await user.type(within(dialog).getByLabelText("Key"), "2");
  expect(within(dialog).queryByText(/401/)).toBeNull();
});

test("the desktop is told whether the window has the attention", async () => {
  const fake = await open();
  const has = vi.spyOn(document, "hasFocus").mockReturnValue(false);
  fireEvent.blur(window);
  expect(commands(fake, "focused").at(-1)).toEqual(["focused", false]);
  has.mockRestore();
});

test("what can be undone goes by itself, an error stays", async () => {
  const fake = new FakeHost();
  fake.refuse.rebuildAll = { code: "busy", message: "not now" };
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    render(<App host={fake.host()} />);
    fireEvent.click(await screen.findByRole("button", { name: "Rebuild all" }));
    await screen.findByText("not now");
    await vi.advanceTimersByTimeAsync(60_000);
    fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    expect(screen.queryByText("not now")).toBeNull();
  } finally {
    vi.useRealTimers();
  }
});

test("what is wrong with the settings is said where one writes", async () => {
  await open((f) => { f.state.settings = { ...f.state.settings, messages: ["The settings file is not used: line 3"] }; });
  expect(screen.getByText("The settings file is not used: line 3").closest("form")?.className).toBe("composer");
});
