import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { MCPSnapshot, ServerRow } from "../../contract/types";
import { Runner } from "../../lib/run";
import { Latest } from "../../lib/store";
import { FakeHost, row } from "../../platform/fake";
import { Board } from "./board";

function open(rows: ServerRow[], part: Partial<MCPSnapshot> = {}) {
  const fake = new FakeHost();
  const runner = new Runner();
  const store = new Latest<MCPSnapshot>({ ...fake.state.mcp, ...part, rows });
  const view = render(<Board store={store} host={fake.host()} runner={runner} demoCommand="" wide={false} onWide={() => {}} />);
  const show = (next: ServerRow[]) => act(() => store.take({ ...store.get(), rev: store.get().rev + 1, rows: next }));
  return { fake, runner, store, view, show, user: userEvent.setup(), calls: (name: string) => fake.calls.filter((each) => each[0] === name) };
}
const shown = () => [...document.querySelectorAll("[data-name]")].map((each) => each.getAttribute("data-name")).join(" ");
const focused = () => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent;
const server = (name: string) => screen.getByRole("row", { name });

test("one row is a stop of the Tab key; the arrows go from row to row, through its controls, and to the columns", async () => {
  const { user, view } = open([row({ name: "a" }), row({ name: "b" }), row({ name: "off", state: "disabled", enabled: false, action: "enable" })]);
  expect(view.container.querySelectorAll("[role=grid] [tabindex='0']")).toHaveLength(1);
  server("a").focus();
  await user.keyboard("{ArrowDown}");
  expect(focused()).toBe("b");
  await user.keyboard("{ArrowRight}{ArrowRight}{ArrowRight}");
  expect(focused()).toBe("b enabled here");
  await user.keyboard("{ArrowUp}");
  expect(focused()).toBe("a enabled here");
  screen.getByRole("button", { name: "Pause a" }).focus();
  await user.keyboard("{ArrowDown}");
  expect(focused()).toBe("Pause b");
  await user.keyboard("{ArrowDown}");
  expect(focused()).toBe("off"); // it cannot be paused
  await user.keyboard("{ArrowDown}");
  expect(focused()).toBe("off");
  await user.keyboard("{ArrowLeft}");
  expect(focused()).toBe("Enable off");
  await user.keyboard("{Home}");
  expect(focused()).toBe("a");
  await user.keyboard("{PageDown}");
  expect(focused()).toBe("off");
  await user.keyboard("{Home}{ArrowUp}");
  expect(focused()).toBe("State");
  await user.keyboard("{ArrowRight}");
  expect(focused()).toBe("Server");
  await user.keyboard("{ArrowLeft}{ArrowLeft}");
  expect(focused()).toBe("Time");
  await user.keyboard("{ArrowDown}");
  expect(focused()).toBe("a");
  await user.keyboard("{End}");
  expect(server("off").tabIndex).toBe(0);
  expect(server("a").tabIndex).toBe(-1);
});

test("letters press the buttons a row has, and no other", async () => {
  const { user, calls } = open([row({ name: "a" }), row({ name: "gone", state: "missing", defined: false, enabled: true, action: "define" })]);
  server("a").focus();
  await user.keyboard("epr");
  await user.keyboard("c");
  expect([calls("disableServer"), calls("pauseServer"), calls("retryServer"), calls("copyDiagnosis")]).toEqual([[["disableServer", "a"]], [["pauseServer", "a"]], [["retryServer", "a"]], [["copyDiagnosis", "a"]]]);
  await user.keyboard("{Control>}e{/Control}");
  expect(calls("disableServer")).toHaveLength(1);
  server("gone").focus();
  await user.keyboard("pr{Delete}");
  expect([calls("pauseServer").length, calls("retryServer").length, screen.queryByRole("dialog")]).toEqual([1, 1, null]);
  server("a").focus();
  await user.keyboard("{Delete}");
  expect(await screen.findByRole("dialog", { name: "Remove a?" })).toBeTruthy();
});

test("the focus stays on a button whose word changes, and goes to the row when a button goes", async () => {
  const { show } = open([row({ name: "a" }), row({ name: "b" })]);
  const button = screen.getByRole("button", { name: "Disable a" });
  button.focus();
  show([row({ name: "a", enabled: false, state: "disabled" }), row({ name: "b" })]);
  expect(focused()).toBe("Enable a");
  show([row({ name: "a", enabled: false, state: "disabled", action: "enable" }), row({ name: "b" })]);
  expect(focused()).toBe("a");
  show([row({ name: "b" })]);
  await waitFor(() => expect(focused()).toBe("b"));
});

test("the columns sort, say how, and the third click brings the order of the definitions back", async () => {
  const { user } = open([row({ name: "b", state: "connected" }), row({ name: "a", state: "error" }), row({ name: "gone", state: "missing" })]);
  const head = within(screen.getByRole("row", { name: "Columns" }));
  expect(head.getAllByRole("columnheader").map((each) => each.getAttribute("aria-label") ?? each.textContent)).toEqual(["State", "Server", "Layers", "Tools", "Time", "Actions", "Reason"]);
  const sort = (name: string) => head.getByRole("columnheader", { name }).getAttribute("aria-sort");
  await user.click(head.getByRole("button", { name: "Server" }));
  expect([shown(), sort("Server")]).toEqual(["a b gone", "ascending"]);
  await user.click(head.getByRole("button", { name: "Server" }));
  expect([shown(), sort("Server")]).toEqual(["gone b a", "descending"]);
  await user.click(head.getByRole("button", { name: "Server" }));
  expect([shown(), sort("Server")]).toEqual(["b a gone", "none"]);
  await user.click(head.getByRole("button", { name: "State" }));
  expect([shown(), sort("State"), sort("Server")]).toEqual(["a gone b", "ascending", "none"]);
});

test("rows keep their order while the pointer moves over them, until it leaves or rests", async () => {
  vi.useFakeTimers();
  const { show } = open([row({ name: "a", state: "error" }), row({ name: "b" }), row({ name: "c" })]);
  fireEvent.click(screen.getByRole("button", { name: "State" }));
  fireEvent.pointerMove(server("b"));
  const next = [row({ name: "a" }), row({ name: "b" }), row({ name: "c", state: "error" })];
  show(next);
  expect(shown()).toBe("a b c");
  fireEvent.pointerLeave(screen.getByRole("grid"));
  expect(shown()).toBe("c a b");
  fireEvent.pointerMove(server("b"));
  show([row({ name: "a" }), row({ name: "b", state: "error" }), row({ name: "c" })]);
  expect(shown()).toBe("c a b");
  act(() => { vi.runAllTimers(); });
  expect(shown()).toBe("b a c");
  vi.useRealTimers();
});

test("of many rows those in sight are in the page, with their places in the whole, and the one with the focus", async () => {
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(600);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(37);
  const { user } = open(Array.from({ length: 300 }, (_, at) => row({ name: `s${at}` })));
  const grid = screen.getByRole("grid", { name: "Servers" });
  expect(grid.getAttribute("aria-rowcount")).toBe("301");
  const rows = within(grid).getAllByRole("row").filter((each) => each.dataset.name);
  expect(rows.length).toBeLessThan(60);
  expect(rows[0]?.getAttribute("aria-rowindex")).toBe("2");
  server("s0").focus();
  await user.keyboard("{End}");
  expect(focused()).toBe("s299");
  expect(server("s299").getAttribute("aria-rowindex")).toBe("301");
  vi.restoreAllMocks();
});

test("a failed row with something in its log leads there; the name leads to the detail and back", async () => {
  const { user, show } = open([row({ name: "a", state: "error", action: "retry", reason: "exited", evidence: { stderr: ["boom"], httpStatus: 0, url: "", file: "", line: 0, stage: "spawn" } }), row({ name: "b" })]);
  await user.click(screen.getByRole("button", { name: "Details of b" }));
  expect(screen.getByRole("region", { name: "Details of b" })).toBeTruthy();
  expect(server("b").getAttribute("aria-current")).toBe("true");
  expect(document.querySelector(".board-list")?.hasAttribute("inert")).toBe(true); // no room beside the list
  const close = await screen.findByRole("button", { name: "Close details" });
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Details of b" }));
  await user.click(close);
  expect(screen.queryByRole("region", { name: "Details of b" })).toBeNull();
  await waitFor(() => expect(focused()).toBe("b"));
  await user.click(screen.getByRole("button", { name: "Log of a" }));
  expect((await screen.findByRole("tab", { name: "Log" })).getAttribute("aria-selected")).toBe("true");
  show([row({ name: "a", state: "error", action: "retry", reason: "timeout" })]);
  expect(screen.queryByRole("button", { name: "Log of a" })).toBeNull();
});

test("a change of the files says what it was and can be taken back; without an id it cannot", async () => {
  const { fake, user, runner, calls } = open([row({ name: "a" })]);
  fake.state.done = { id: "c7", what: "Disabled a here" };
  await user.click(screen.getByRole("button", { name: "Disable a" }));
  const [toast] = runner.toasts.get();
  expect(toast?.text).toBe("Disabled a here");
  toast?.undo?.();
  await waitFor(() => expect(runner.toasts.get().at(-1)?.text).toBe("Undone: Disabled a here"));
  expect(calls("undoChange")).toEqual([["undoChange", "c7"]]);
  fake.state.done = { id: "", what: "Disabled a" };
  await user.click(screen.getByRole("button", { name: "Disable a" }));
  expect(runner.toasts.get().at(-1)).toMatchObject({ text: "Disabled a", undo: undefined });
  await user.click(screen.getByRole("button", { name: "Copy diagnosis of a" }));
  expect(runner.toasts.get().at(-1)?.text).toBe("Copied the diagnosis of a");
});

test("the changes of the two files are listed, taken back where that is possible, and say why where not", async () => {
  const { fake, user, runner, calls } = open([row({ name: "a" })]);
  await user.click(screen.getByRole("button", { name: "Changes" }));
  expect(await screen.findByText("Patchbay has changed nothing yet")).toBeTruthy();
  await user.keyboard("{Escape}");
  fake.state.changes = [{ id: "2", atMs: Date.now(), what: "Enabled a here", file: "workspace", blocked: "" }, { id: "1", atMs: 0, what: "Added a", file: "store", blocked: "a later change comes first" }];
  await user.click(screen.getByRole("button", { name: "Changes" }));
  const items = await screen.findAllByRole("listitem");
  expect(items.map((each) => within(each).queryAllByRole("button").length)).toEqual([1, 0]);
  expect(items[1]?.textContent).toContain("a later change comes first");
  expect(items[1]?.textContent).toContain("mcp.json");
  fake.refuse.undoChange = { code: "conflict", message: "workspace.json was changed since" };
  await user.click(within(items[0]!).getByRole("button", { name: /^Undo: Enabled a here/ }));
  await waitFor(() => expect(runner.toasts.get().at(-1)).toMatchObject({ error: true, text: "workspace.json was changed since" }));
  await waitFor(() => expect(calls("changes")).toHaveLength(3));
});

test("slash and Ctrl+F go to the filter, Escape clears it, and the number of rows is told", async () => {
  const { user, view } = open([row({ name: "alpha" }), row({ name: "beta" })]);
  server("beta").focus();
  await user.keyboard("/");
  const box = screen.getByRole<HTMLInputElement>("searchbox", { name: "Filter servers" });
  expect(document.activeElement).toBe(box);
  await user.type(box, "al/");
  expect(box.value).toBe("al/");
  await user.keyboard("{Backspace}");
  await waitFor(() => expect(view.container.querySelector("[aria-live]")?.textContent).toBe("1 of 2 servers shown"));
  await user.keyboard("{Escape}");
  expect([box.value, shown()]).toEqual(["", "alpha beta"]);
  server("beta").focus();
  await user.keyboard("{Control>}f{/Control}");
  expect(document.activeElement).toBe(box);
});

test("before the first snapshot nothing is said about servers", () => {
  const { view, show } = open([], { rev: 0 });
  expect(screen.queryByText("No servers yet")).toBeNull();
  expect(view.container.querySelector(".skeleton")).not.toBeNull();
  show([]);
  expect(screen.getByText("No servers yet")).toBeTruthy();
});
