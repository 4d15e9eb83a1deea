import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LogLine } from "../../contract/types";
import { Runner } from "../../lib/run";
import { FakeHost } from "../../platform/fake";
import { append, filtered, LogView } from "./log-view";

const line = (seq: number, text = `line ${seq}`, level = "stderr"): LogLine => ({ seq, atMs: 0, level, text });

// A window without layout has no heights: the list would draw nothing.
beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(20);
});
afterEach(() => { vi.useRealTimers(); });

async function open(lines: LogLine[]) {
  const fake = new FakeHost();
  const runner = new Runner();
  fake.state.log = { lines, next: lines.length, lost: false, level: "" };
  const view = render(<LogView name="pg" host={fake.host()} runner={runner} />);
  await act(async () => { await vi.advanceTimersByTimeAsync(1); });
  const more = (next: LogLine[], lost = false) => act(async () => {
    fake.state.log = { lines: next, next: next.at(-1)?.seq ?? 0, lost, level: fake.state.log.level };
    await vi.advanceTimersByTimeAsync(600);
  });
  return { fake, runner, view, more, polls: () => fake.calls.filter((each) => each[0] === "serverLog") };
}

test("lines come while the tab is open, from where the last page ended, and stop when it goes", async () => {
  const { more, polls, view } = await open([line(1), line(2)]);
  expect(screen.getByRole("log", { name: "Log of pg" })).toBeTruthy();
  expect(await screen.findByText("line 2")).toBeTruthy();
  await more([line(3)]);
  expect(await screen.findByText("line 3")).toBeTruthy();
  expect(polls()[1]).toEqual(["serverLog", "pg", 2]);
  view.unmount();
  const before = polls().length;
  await vi.advanceTimersByTimeAsync(3000);
  expect(polls()).toHaveLength(before);
});

test("it follows the end until one scrolls up, and again by the button", async () => {
  const { more } = await open([line(1)]);
  const box = screen.getByRole("log");
  const follow = screen.getByRole("button", { name: "Follow" });
  Object.defineProperty(box, "scrollHeight", { configurable: true, value: 5000 });
  await more([line(2)]);
  expect([follow.getAttribute("aria-pressed"), box.scrollTop]).toEqual(["true", 5000]);
  box.scrollTop = 1000;
  fireEvent.scroll(box);
  expect(follow.getAttribute("aria-pressed")).toBe("false");
  await more([line(3)]);
  expect(box.scrollTop).toBe(1000);
  fireEvent.click(follow);
  expect([follow.getAttribute("aria-pressed"), box.scrollTop]).toEqual(["true", 5000]);
});

test("the server is asked for a level, and what came is shown from a level on", async () => {
  const { fake, more } = await open([line(1, "on stderr"), line(2, "fine", "debug"), line(3, "odd", "warning"), line(4, "bad", "critical")]);
  const sends = screen.getByRole<HTMLSelectElement>("combobox", { name: "Level that the server sends" });
  expect(sends.value).toBe("");
  await act(async () => { fireEvent.change(sends, { target: { value: "warning" } }); await vi.advanceTimersByTimeAsync(1); });
  expect(fake.calls).toContainEqual(["setLogLevel", "pg", "warning"]);
  fake.state.log.level = "warning";
  await more([]);
  expect(sends.value).toBe("warning");
  fireEvent.change(screen.getByRole("combobox", { name: "Level" }), { target: { value: "warning" } });
  expect(screen.getByRole("log").textContent).toMatch(/odd.*bad/);
  expect(screen.getByRole("log").textContent).not.toMatch(/fine|on stderr/);
  fake.refuse.setLogLevel = { code: "invalid", message: "pg does not declare log messages" };
  await act(async () => { fireEvent.change(sends, { target: { value: "error" } }); await vi.advanceTimersByTimeAsync(1); });
  expect(sends.value).toBe("warning");
});

test("what is shown can be narrowed and copied", async () => {
  const { fake, runner } = await open([line(1, "listening"), line(2, "Error: no"), line(3, "slow", "warning"), line(4, "fine", "info")]);
  fireEvent.change(screen.getByLabelText("Level"), { target: { value: "problems" } });
  expect(screen.getByText("2 lines")).toBeTruthy();
  fireEvent.change(screen.getByLabelText("Filter lines"), { target: { value: "SLOW" } });
  fireEvent.click(screen.getByRole("button", { name: "Copy" }));
  await act(async () => { await vi.advanceTimersByTimeAsync(1); });
  expect(fake.calls.find((each) => each[0] === "copyText")?.[1]).toMatch(/^\d\d:\d\d:\d\d warning slow$/);
  expect(runner.toasts.get()[0]?.text).toBe("Copied 1 line");
  fireEvent.change(screen.getByLabelText("Filter lines"), { target: { value: "zzz" } });
  expect(screen.getByText("No line matches the filter.")).toBeTruthy();
});

test("a server without a log, and one that cannot be asked, say so", async () => {
  const { fake, more } = await open([]);
  expect(screen.getByText("Nothing was written yet.")).toBeTruthy();
  fake.refuse.serverLog = { code: "not_found", message: "there is no server pg" };
  await more([]);
  expect(screen.getByText("there is no server pg")).toBeTruthy();
  delete fake.refuse.serverLog;
  await more([line(1)]);
  expect(screen.queryByText("there is no server pg")).toBeNull();
});

test("a gap is marked, lines come once, and two thousand are kept", () => {
  const first = append([], [line(1), line(2)], true);
  expect(first.map((each) => each.seq)).toEqual([1, 2]); // nothing was seen before them
  expect(append(first, [line(2), line(9)], true).map((each) => [each.seq, each.gap ?? false])).toEqual([[1, false], [2, false], [8.5, true], [9, false]]);
  expect(append(first, [line(1)], true)).toBe(first);
  const many = append([], Array.from({ length: 2500 }, (_, at) => line(at)), false);
  expect([many.length, many[0]?.seq]).toEqual([2000, 500]);
  expect(filtered(append(first, [line(9, "x", "info")], true), "stderr", "").map((each) => each.seq)).toEqual([1, 2]);
});
