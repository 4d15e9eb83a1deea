import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { ServerRow } from "../../contract/types";
import { Runner } from "../../lib/run";
import { FakeHost, row, tool } from "../../platform/fake";
import { ServerDetailPanel, type DetailTab } from "./detail";
import { quoted } from "./detail-overview";
import { holding, renaming, sorted, total } from "./detail-tools";

const TOOLS = [
  tool({ name: "query", description: "Runs SQL", readOnly: true, schemaTokens: 20, schema: '{"type":"object","properties":{"sql":{"type":"string"}},"required":["sql"]}' }),
  tool({ name: "pg_drop", original: "drop", destructive: true, schemaTokens: 90 }), tool({ name: "held", held: true, schemaTokens: 7 }),
];

async function open(part: Partial<ServerRow>, tab?: DetailTab) {
  const fake = new FakeHost();
  const runner = new Runner();
  fake.state.detail = { ...fake.state.detail, name: "pg", form: { ...fake.state.detail.form, name: "pg", args: ["-y", "a b"], env: [{ name: "PG_URL", value: "", hasValue: true }] }, tools: TOOLS, rules: { exclude: ["held"], rename: { drop: "pg_drop" } }, stages: [{ stage: "spawn", ms: 40 }], instructions: "Be kind." };
  const onVerb = vi.fn();
  const onClose = vi.fn();
  const onSignIn = vi.fn();
  const host = fake.host();
  const draw = (now: Partial<ServerRow>) => <ServerDetailPanel name="pg" row={row({ name: "pg", ...now })} host={host} runner={runner} tab={tab} onClose={onClose} onVerb={onVerb} onSignIn={onSignIn} />;
  const view = render(draw(part));
  await screen.findByRole("tab", { name: "Tools 3" });
  return { fake, runner, onVerb, onSignIn, onClose, again: (now: Partial<ServerRow>) => view.rerender(draw(now)), view, user: userEvent.setup(), calls: (name: string) => fake.calls.filter((each) => each[0] === name) };
}

test("the overview says layer by layer why the server is in its state, with the evidence", async () => {
  const { user, calls, onVerb } = await open({ state: "error", layer: "runtime", cause: "exited", action: "retry", reason: "exited with 1: no such module", file: "/home/dev/.ai4j/mcp.json", line: 7, warnings: ["careful"],
    skipped: [{ tool: "x", reason: "has no name" }], evidence: { exitCode: 1, stderr: ["boom"], httpStatus: 0, url: "", file: "/home/dev/pay/.ai4j/workspace.json", line: 3, stage: "initialize" } });
  const layers = within(screen.getByRole("region", { name: "Layers" })).getAllByRole("listitem");
  expect(layers.map((each) => each.textContent)).toEqual(["Definitionin /home/dev/.ai4j/mcp.json:7", "Workspaceenabled here", "Trustmay start on this machine", "Sessionnot paused", "Connectionin errorholds it back"]);
  const why = screen.getByRole("region", { name: "Why" });
  expect(why.textContent).toContain("exited with 1: no such module");
  expect(within(why).getByLabelText("Last lines of stderr").textContent).toBe("boom");
  await user.click(screen.getByRole("button", { name: "/home/dev/.ai4j/mcp.json:7" }));
  await user.click(screen.getByRole("button", { name: "/home/dev/pay/.ai4j/workspace.json:3" }));
  expect(calls("openFile")).toEqual([["openFile", "store", 7], ["openFile", "workspace", 3]]);
  expect(screen.getByRole("list", { name: "Stages" }).textContent).toBe("spawn40 msinitialize (failed here)failed");
  expect(screen.getByText("npx -y 'a b'")).toBeTruthy();
  for (const text of ["PG_URL", "careful", "has no name", "Be kind."]) expect(screen.getByText(text)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Retry" }));
  await user.click(screen.getByRole("button", { name: "Edit…" }));
  expect(onVerb.mock.calls.map((each) => (each as unknown[])[0])).toEqual(["Retry", "Edit"]);
});

test.each<[Partial<ServerRow>, string]>([
  [{ state: "missing", defined: false, file: "", layer: "definition" }, "Definitiondefined nowhere on this machineholds it back"], [{ state: "disabled", enabled: false, layer: "workspace" }, "Workspacenot enabled hereholds it back"],
  [{ state: "disabled", trusted: false, layer: "workspace", cause: "untrusted" }, "Trustcame with the repository; nobody has said yes yetholds it back"], [{ state: "paused", paused: true, layer: "session" }, "Sessionpaused in this sessionholds it back"],
])("the layer that decides is marked: %j", async (part, want) => {
  await open(part);
  expect(screen.getByText("holds it back").closest("li")?.textContent).toBe(want);
});

test("what a connected server speaks and offers, and what of it is on its way out", async () => {
  const { again } = await open({ protocol: "2025-06-18", type: "sse", serverName: "pg-mcp", serverVersion: "2.4", capabilities: ["tools", "tools.listChanged", "resources", "resources.listChanged", "resources.subscribe", "logging"], deprecated: ["sse", "logging", "something_new"] });
  const part = screen.getByRole("region", { name: "Protocol" });
  for (const text of ["2025-06-18", "sse", "pg-mcp 2.4"]) expect(within(part).getByText(text)).toBeTruthy();
  expect(within(part).getAllByRole("listitem").map((each) => each.textContent)).toEqual(["tools listChanged", "resources listChanged subscribe", "logging"]);
  expect(part.textContent).toContain("Leans on deprecated: the HTTP+SSE transport, log messages, something_new.");
  again({ protocol: "2026-07-28", capabilities: ["tools"] });
  expect(part.textContent).toContain("2026-07-28 the newest");
  expect(part.textContent).not.toContain("deprecated");
  again({ state: "disabled", enabled: false });
  expect(screen.queryByRole("region", { name: "Protocol" })).toBeNull();
});

test("the detail is read again when the row has moved on, and not otherwise", async () => {
  const { again, calls } = await open({ state: "busy", sinceMs: 1 });
  again({ state: "busy", sinceMs: 1, progress: "npm" });
  expect(calls("serverDetail")).toHaveLength(1);
  again({ state: "connected", sinceMs: 2, toolCount: 3 });
  expect(calls("serverDetail")).toHaveLength(2);
  await act(async () => {});
});

test("Escape closes, except while one types; the diagnosis is copied", async () => {
  const { user, onClose, calls, runner } = await open({}, "tools");
  expect(document.activeElement).toBe(screen.getByRole("region", { name: "Details of pg" }));
  await user.click(screen.getByRole("button", { name: "Copy diagnosis" }));
  expect(calls("copyDiagnosis")).toEqual([["copyDiagnosis", "pg"]]);
  expect(runner.toasts.get()[0]?.text).toBe("Copied the diagnosis of pg");
  await user.type(screen.getByRole("searchbox", { name: "Filter tools" }), "q{Escape}");
  expect(onClose).not.toHaveBeenCalled();
  screen.getByRole("tab", { name: "Tools 3" }).focus();
  await user.keyboard("{Escape}");
  expect(onClose).toHaveBeenCalledTimes(1);
});

test("tools are found, sorted, held back with a way back, and renamed", async () => {
  const { user, calls, runner } = await open({}, "tools");
  const list = screen.getByRole("list", { name: "Tools of pg" });
  const shown = () => within(list).getAllByRole("button").map((each) => each.textContent);
  expect(screen.getByText("3 tools · 110 schema tokens · 1 held back")).toBeTruthy();
  await user.selectOptions(screen.getByLabelText("Sort tools"), "Tokens");
  expect(shown()).toEqual(["pg_drop", "query", "held"]);
  await user.type(screen.getByRole("searchbox", { name: "Filter tools" }), "sql");
  expect(shown()).toEqual(["query"]);
  await user.clear(screen.getByRole("searchbox", { name: "Filter tools" }));
  await user.click(screen.getByRole("switch", { name: "Give query to the model" }));
  expect(calls("setToolRules")).toEqual([["setToolRules", "pg", { exclude: ["held", "query"], rename: { drop: "pg_drop" } }]]);
  act(() => runner.toasts.get()[0]?.undo?.());
  await waitFor(() => expect(calls("undoChange")).toEqual([["undoChange", "c1"]]));
  await waitFor(() => expect(runner.toasts.get().at(-1)?.text).toMatch(/^Undone: /));
  await user.click(screen.getByRole("button", { name: "pg_drop" }));
  const view = screen.getByRole("region", { name: "Tool pg_drop" });
  await user.click(within(view).getByRole("button", { name: "Rename…" }));
  const name = within(view).getByRole("textbox", { name: "New name of drop" });
  await user.clear(name);
  await user.type(name, "QUERY");
  expect(within(view).getByText("QUERY is taken")).toBeTruthy();
  await user.type(name, "2");
  await user.click(within(view).getByRole("button", { name: "Rename" }));
  expect(calls("setToolRules")[1]).toEqual(["setToolRules", "pg", { exclude: ["held"], rename: { drop: "QUERY2" } }]);
});

test("a tool is tried by its own name; the try outlives a look at the log; what came back is shown", async () => {
  const { user, calls, fake } = await open({}, "tools");
  await user.click(screen.getByRole("button", { name: "query" }));
  await user.click(screen.getByRole("button", { name: "Run" }));
  expect(screen.getByRole("status").textContent).toBe("sql needs a value");
  expect(calls("callTool")).toHaveLength(0);
  await user.type(screen.getByLabelText(/^sql/), "select 1");
  await user.click(screen.getByRole("tab", { name: "Log" }));
  await user.click(screen.getByRole("tab", { name: "Tools 3" }));
  expect(screen.getByLabelText(/^sql/)).toHaveProperty("value", "select 1");
  const part = { text: "", mimeType: "", url: "", uri: "", name: "", json: "" };
  fake.state.outcome = { ok: false, reason: "timed_out", warning: "the result is odd", tookMs: 1500, frame: 0, content: [{ ...part, kind: "text", text: "<b>no</b>" }, { ...part, kind: "structured", json: '{"rows":[1]}' }, { ...part, kind: "image", url: "http://evil.test/x.png", name: "evil" }, { ...part, kind: "image", url: "/media/0a", name: "good" }, { ...part, kind: "resource", uri: "file:///a", text: "body" }] };
  await user.click(screen.getByRole("radio", { name: "JSON" }));
  expect(JSON.parse(screen.getByLabelText<HTMLTextAreaElement>("Arguments as JSON").value)).toEqual({ sql: "select 1" });
  await user.click(screen.getByRole("button", { name: "Run" }));
  const result = await screen.findByRole("region", { name: "Result" });
  expect(calls("callTool")[0]?.slice(2, 4)).toEqual(["pg", "query"]);
  expect(result.textContent).toContain("timed out");
  expect(result.textContent).toContain("1.5 s");
  expect(within(result).getByRole("note", { name: "Warning" }).textContent).toBe("the result is odd");
  expect(result.textContent).toContain("<b>no</b>");
  expect(result.textContent).toContain("file:///a");
  expect([...result.querySelectorAll("img")].map((each) => each.getAttribute("src"))).toEqual(["/media/0a"]);
  expect(within(result).getByRole("group", { name: "Returned JSON" }).textContent).toContain("rows");
});

test("a running try can be cancelled, and ends with the panel", async () => {
  const { user, calls, fake, view } = await open({}, "tools");
  await user.click(screen.getByRole("button", { name: "pg_drop" }));
  let release = () => {};
  fake.state.outcome = new Promise<void>((done) => { release = done; }) as never;
  await user.click(screen.getByRole("button", { name: "Run" }));
  const id = calls("callTool")[0]?.[1];
  expect(screen.getByRole("status").textContent).toContain("Running");
  await user.click(screen.getByRole("button", { name: "Cancel" }));
  expect(calls("cancelTool")).toEqual([["cancelTool", id]]);
  view.unmount();
  expect(calls("cancelTool")).toHaveLength(2);
  release();
});

test("what cannot be read is said", async () => {
  const fake = new FakeHost();
  fake.refuse.serverDetail = { code: "not_found", message: "there is no server gone" };
  render(<ServerDetailPanel name="gone" row={undefined} host={fake.host()} runner={new Runner()} tab="tools" onClose={() => {}} onVerb={() => {}} onSignIn={() => {}} />);
  expect(await screen.findByText("there is no server gone")).toBeTruthy();
});

test("rules are changed one by one and keep the others", () => {
  const rules = { exclude: ["a"], rename: { b: "c" } };
  expect(holding(rules, "a", false)).toEqual({ exclude: [], rename: { b: "c" } });
  expect(holding(rules, "a", true)).toEqual(rules);
  expect(renaming(rules, "b", "b")).toEqual({ exclude: ["a"], rename: {} });
  expect(renaming(rules, "x", "y")).toEqual({ exclude: ["a"], rename: { b: "c", x: "y" } });
  expect(sorted(TOOLS, "", "name").map((each) => each.name)).toEqual(["held", "pg_drop", "query"]);
  expect(total([tool({ name: "a" })])).toBe("1 tool · 0 schema tokens");
  expect(["a", "", "a b", "it's"].map(quoted)).toEqual(["a", "''", "'a b'", "'it'\\''s'"]);
});
