import { act, render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Trial } from "../../contract/types";
import { FakeHost, tool } from "../../platform/fake";
import { barsOf } from "./detail-stages";
import { blank, ServerFormDialog } from "./server-form";

function open() {
  const fake = new FakeHost();
  const onSave = () => Promise.resolve("");
  const view = render(<ServerFormDialog initial={{ ...blank("pg"), command: "npx" }} edits="pg" taken={[]} canEnable host={fake.host()} onSave={onSave} onClose={() => {}} />);
  const emit = (part: Partial<Trial>) => act(() => { fake.state.trial = { ...fake.state.trial, rev: fake.state.trial.rev + 1, id: "t1", ...part }; fake.emit("trial", fake.state.trial); });
  return { fake, emit, view, user: userEvent.setup(), calls: (name: string) => fake.calls.filter((each) => each[0] === name) };
}

test("a test shows its stages as they end, stops, and says what was found", async () => {
  const { user, emit, calls } = open();
  await user.click(screen.getByRole("button", { name: "Test" }));
  expect(calls("startTrial")).toEqual([["startTrial", { ...blank("pg"), command: "npx" }, "pg"]]);
  emit({ running: true, stage: "initialize", stages: [{ stage: "spawn", ms: 40 }], startedMs: Date.now(), progress: "npm: fetching" });
  expect(screen.getByRole("list", { name: "Stages of the test" }).textContent).toContain("spawn40 ms");
  expect(screen.getByText("npm: fetching")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Stop" }));
  expect(calls("stopTrial")).toHaveLength(1);
  emit({ running: false, ok: true, tookMs: 1200, tools: [tool({ name: "a" }), tool({ name: "b" })], schemaTokens: 2100, protocol: "2025-11-25", serverName: "pg-mcp", serverVersion: "2.4", conflicts: [{ tool: "a", owner: "built-in" }] });
  expect(screen.getByText("Connected in 1.2 s · 2 tools · 2.1k schema tokens · protocol 2025-11-25 · pg-mcp 2.4")).toBeTruthy();
  expect(screen.getByRole("list", { name: "Names that are taken" }).textContent).toBe("a is held by built-in");
  expect(screen.getByRole("button", { name: "Save" })).toHaveProperty("disabled", false);
});

test("a result is stale once the form changes, and not by Enable here", async () => {
  const { user, emit } = open();
  await user.click(screen.getByRole("button", { name: "Test" }));
  emit({ ok: true, tookMs: 10 });
  expect(screen.queryByText("The form has changed since this test.")).toBeNull();
  await user.type(screen.getByLabelText("Command"), "x");
  expect(screen.getByText("The form has changed since this test.")).toBeTruthy();
  await user.type(screen.getByLabelText("Command"), "{Backspace}");
  expect(screen.queryByText("The form has changed since this test.")).toBeNull();
});

test("a failure says why, what was seen, and what to do", async () => {
  const { user, emit } = open();
  await user.click(screen.getByRole("button", { name: "Test" }));
  emit({ ok: false, stage: "initialize", stages: [{ stage: "spawn", ms: 4 }], tookMs: 90, cause: "exited", reason: "exited with 1", evidence: { exitCode: 0, stderr: ["one", "two"], httpStatus: 0, url: "", file: "", line: 0, stage: "initialize" } });
  expect(screen.getByText("exited with 1")).toBeTruthy();
  expect(screen.getByText(/Run the same command in a terminal/)).toBeTruthy();
  expect(screen.getByLabelText("Evidence").textContent).toBe("Exit code0Stageinitialize");
  expect(screen.getByLabelText("Last lines of stderr").textContent).toBe("one\ntwo");
});

test("the dry run of another window is not shown; closing stops one's own", async () => {
  const { user, emit, view, calls, fake } = open();
  emit({ id: "other", ok: true, tookMs: 7 });
  expect(screen.queryByText(/Connected in/)).toBeNull();
  await user.click(screen.getByRole("button", { name: "Test" }));
  emit({ running: true, stage: "spawn" });
  view.unmount();
  expect(calls("stopTrial")).toHaveLength(1);
  act(() => fake.emit("trial", { ...fake.state.trial, rev: 99 }));
});

test("a refusal to start is said, and Test is there again", async () => {
  const { user, fake } = open();
  fake.refuse.startTrial = { code: "invalid", message: "another dry run is under way" };
  await user.click(screen.getByRole("button", { name: "Test" }));
  expect(await screen.findByText("another dry run is under way")).toBeTruthy();
  await waitFor(() => expect(screen.getByRole("button", { name: "Test" })).toHaveProperty("disabled", false));
});

test("bars follow each other; the open stage comes last and never ends before it begins", () => {
  expect(barsOf([{ stage: "a", ms: 10 }, { stage: "b", ms: 5 }], { stage: "c", ms: -3, failed: true })).toEqual([
    { stage: "a", from: 0, ms: 10, state: "past" }, { stage: "b", from: 10, ms: 5, state: "past" }, { stage: "c", from: 15, ms: 0, state: "failed" }]);
  expect(barsOf([], { stage: "", ms: 3, failed: false })).toEqual([]);
});
