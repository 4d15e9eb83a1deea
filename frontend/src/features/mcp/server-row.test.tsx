import { act, render, screen } from "@testing-library/react";
import { afterEach, expect, test, vi } from "vitest";
import type { ServerAction } from "../../contract/types";
import { row } from "../../platform/fake";
import { ServerRow } from "./server-row";
import { capital, cure, quiet, transport } from "./words";

const commands = { onVerb: () => {}, onFile: () => {}, onDetail: () => {}, onCopy: () => {}, onSignIn: () => {} };
const show = (part: Parameters<typeof row>[0]) => render(<ServerRow row={row(part)} index={0} busy={false} current open={false} commands={commands} />);
afterEach(() => { vi.useRealTimers(); });

test("a busy row shows its stage, how far that is, how long it has taken and the last line of stderr", () => {
  vi.useFakeTimers();
  const view = show({ name: "slow", state: "busy", stage: "initialize", progress: "npm: fetching", sinceMs: Date.now() - 3400 });
  expect(view.container.querySelector(".stage")?.textContent).toBe("initialize");
  expect(view.container.querySelector(".reason")?.textContent).toBe("npm: fetching");
  expect([...view.container.querySelectorAll(".steps i")].map((each) => each.className)).toEqual(["past", "past", "past", "now", "", "", ""]);
  expect(screen.getByText("3 s")).toBeTruthy();
  act(() => { vi.advanceTimersByTime(2000); });
  expect(screen.getByText("5 s")).toBeTruthy();
});

test("a row that waits counts down by itself, then says that it tries, and offers Retry meanwhile", () => {
  vi.useFakeTimers();
  show({ name: "gone", state: "error", action: "wait", cause: "lost", reason: "Connection lost. Next try at 03:08:58 (1 of 8).", nextTryMs: Date.now() + 3000 });
  expect(screen.getByText("next try in 3 s")).toBeTruthy();
  act(() => { vi.advanceTimersByTime(1000); });
  expect(screen.getByText("next try in 2 s")).toBeTruthy();
  expect(document.querySelector(".reason")?.textContent).toBe("Connection lost.");
  expect(document.querySelector(".reason")?.getAttribute("title")).toContain("1 of 8");
  expect(screen.getAllByRole("button", { name: "Retry gone" })).toHaveLength(1);
  act(() => { vi.advanceTimersByTime(5000); });
  expect(screen.getByText("trying again")).toBeTruthy();
  expect(vi.getTimerCount()).toBe(0);
});

test("a recovered session and the whole word of a transport can be seen", () => {
  show({ name: "web", type: "streamable_http", recovered: 2 });
  expect(screen.getByText("recovered 2").title).toContain("2 times");
  expect(screen.getByText("http").title).toBe("streamable_http");
  expect(transport("sse")).toBe("sse");
});

test.each([
  ["exited with 1: no such module", true], ["the server hung up", true], ["timeout", true], ["read_file is taken by fs", false], ["docs has no tools", false],
  ["npx: command not found", false], ["/bin/x is no program", false], ["node.js is missing", false], ["Paused here", false], ["连接已断开", false], ["", false],
])("%s begins with a capital: %s", (text, want) => {
  expect(capital(text, row({ name: "docs" }))).toBe(want);
  expect(capital(text, row({ name: "docs", cause: "not_executable" }))).toBe(false);
});

test.each<[ServerAction, string]>([["enable", "Enable"], ["trust", "Trust"], ["resume", "Resume"], ["define", "Define"], ["edit", "Edit"], ["retry", "Retry"], ["resolve", "Resolve"], ["sign_in", "Sign in"], ["wait", "Retry"]])(
  "action %s is the button %s, which stands once in the row", (action, verb) => {
    const it = row({ name: "a", state: "error", action });
    expect(cure(it)).toBe(verb);
    expect(quiet(it)).not.toContain(verb);
  });
