import { act, fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import type { Frame } from "../../contract/types";
import { Runner } from "../../lib/run";
import { FakeHost } from "../../platform/fake";
import type { Host } from "../../platform/host";
import { TrafficTab } from "./traffic";
import { appendFrames, EVERYTHING, exchanges, filteredTraffic } from "./traffic-data";

// jsdom lays nothing out: the list would have no room.
beforeEach(() => {
  vi.spyOn(Element.prototype, "clientHeight", "get").mockReturnValue(400);
  vi.spyOn(HTMLElement.prototype, "offsetHeight", "get").mockReturnValue(400);
});

const frame = (seq: number, part: Partial<Frame>): Frame => ({
  seq, atMs: 1_700_000_000_123 + seq, out: true, kind: "request", method: "tools/call", id: String(seq), subject: "", size: 100, pair: 0, tookMs: 0, ...part,
});
const SOME = [
  frame(1, { method: "initialize" }), frame(2, { out: false, kind: "response", method: "initialize", pair: 1, tookMs: 3.21, size: 2000 }),
  frame(3, { kind: "notification", method: "notifications/initialized", id: "" }),
  frame(4, { subject: "echo" }), frame(5, { subject: "hang" }),
  frame(6, { out: false, kind: "error", pair: 4, tookMs: 12, subject: "no such city" }),
  frame(7, { kind: "notification", method: "notifications/cancelled", pair: 5 }),
  frame(8, { out: false, kind: "noise", method: "", id: "" }),
  frame(9, { subject: "slow" }),
];

test("requests and their answers are one line; what has none says so", () => {
  const all = exchanges(SOME);
  expect(all.map((each) => [each.seq, each.outcome, each.answer?.seq])).toEqual([
    [1, "ok", 2], [3, "", undefined], [4, "error", 6], [5, "cancelled", undefined], [7, "", undefined], [8, "", undefined], [9, "waiting", undefined]]);
  expect(all[0]?.size).toBe(2100);
  const late = exchanges([...SOME, frame(10, { out: false, kind: "response", pair: 5 }), frame(11, { out: false, kind: "failed", pair: 9, size: 40 })]);
  expect(late.find((each) => each.seq === 5)?.outcome).toBe("ok");
  expect(late.find((each) => each.seq === 9)).toMatchObject({ outcome: "no response", size: 100 });
  expect(exchanges([frame(1, { method: "subscriptions/listen" })])).toMatchObject([{ outcome: "open" }]);
  expect(exchanges([frame(2, { out: false, kind: "response", pair: 1 })])).toMatchObject([{ seq: 2, outcome: "ok" }]); // its request is no longer kept
});

test("filters by kind, direction and text, also by what bodies hold", () => {
  const all = exchanges(SOME);
  const seqs = (part: Partial<typeof EVERYTHING>, found = new Set<number>()) => filteredTraffic(all, { ...EVERYTHING, ...part }, found).map((each) => each.seq);
  expect(seqs({ kind: "requests" })).toEqual([1, 4, 5, 9]);
  expect(seqs({ kind: "notifications" })).toEqual([3, 7]);
  expect(seqs({ kind: "problems" })).toEqual([4, 5, 8]);
  expect(seqs({ way: "in" })).toEqual([8]);
  expect(seqs({ text: " CITY " })).toEqual([4]);
  expect(seqs({ text: "zebra" }, new Set([2, 9]))).toEqual([1, 9]);
});

test("pages are put together, and the oldest go", () => {
  expect(appendFrames(SOME.slice(0, 3), SOME.slice(1, 5), 0).map((each) => each.seq)).toEqual([1, 2, 3, 4, 5]);
  expect(appendFrames(SOME, SOME.slice(2), 0)).toBe(SOME);
  const many = Array.from({ length: 2100 }, (_, at) => frame(at + 1, {}));
  expect(appendFrames([], many, 100).map((each) => each.seq).slice(0, 1)).toEqual([101]);
  expect(appendFrames(SOME, [], 7).map((each) => each.seq)).toEqual([8, 9]); // what the application no longer keeps cannot be looked at
});

function open(at?: { frame: number }) {
  const fake = new FakeHost();
  fake.state.frames = { frames: SOME, oldest: 0, newest: 9 };
  fake.state.body = { text: '{"method":"tools/call","params":{"name":"echo"}}', size: 48, cut: false, gone: false };
  const runner = new Runner();
  const view = render(<TrafficTab name="db" host={fake.host()} runner={runner} at={at} />);
  return { fake, runner, view };
}

test("the list is read, filtered, chosen by keyboard, cleared and exported", async () => {
  const { fake, runner } = open();
  const list = await screen.findByRole("listbox", { name: "Traffic of db" });
  await waitFor(() => expect(within(list).getAllByRole("option")).toHaveLength(7));
  expect(within(list).getAllByRole("option")[0]?.textContent).toMatch(/initialize.*ok3\.21 ms2\.1 KB/);
  expect(within(list).getAllByRole("img", { name: "from the server" })).toHaveLength(1);

  fireEvent.keyDown(list, { key: "Home" });
  fireEvent.keyDown(list, { key: "ArrowDown" });
  expect(screen.getByRole("region", { name: "Notification" })).toBeTruthy();
  fireEvent.click(within(list).getByText("no such city"));
  expect(await screen.findByRole("group", { name: "Request" })).toBeTruthy();
  expect(screen.getByRole("region", { name: "Error" })).toBeTruthy();
  fireEvent.keyDown(list, { key: "Escape" });
  expect(screen.queryByRole("region", { name: "Error" })).toBeNull();

  fake.state.found = [5];
  fireEvent.change(screen.getByRole("searchbox", { name: "Filter traffic" }), { target: { value: "zebra" } });
  expect(screen.getByText("No message matches the filter.")).toBeTruthy();
  await waitFor(() => expect(within(list).getAllByRole("option")).toHaveLength(1));
  fireEvent.change(screen.getByRole("searchbox", { name: "Filter traffic" }), { target: { value: "" } });
  fireEvent.change(screen.getByRole("combobox", { name: "Messages" }), { target: { value: "problems" } });
  expect(within(list).getAllByRole("option")).toHaveLength(3);

  fake.state.exported = "/home/dev/db.jsonl";
  fireEvent.click(screen.getByRole("button", { name: "Export…" }));
  await waitFor(() => expect(runner.toasts.get().some((each) => each.text.includes("/home/dev/db.jsonl"))).toBe(true));
  fake.state.frames = { frames: [], oldest: 9, newest: 9 };
  fireEvent.click(screen.getByRole("button", { name: "Clear" }));
  await screen.findByText("Nothing was sent or received yet.");
});

test("a request without an answer says how long it waits; pause stops reading", async () => {
  const { fake } = open({ frame: 9 });
  expect(await screen.findByText(/^No answer yet, /)).toBeTruthy();
  expect(screen.getAllByRole("option").at(-1)?.textContent).toMatch(/slowwaiting\d+ d \d+ h/); // in the list too
  fireEvent.click(screen.getByRole("button", { name: "Pause" }));
  await act(async () => { await new Promise((later) => setTimeout(later, 50)); });
  const reads = fake.calls.filter(([what]) => what === "frames").length;
  await act(async () => { await new Promise((later) => setTimeout(later, 600)); });
  expect(fake.calls.filter(([what]) => what === "frames")).toHaveLength(reads);
});

test("what is cut or gone says so", async () => {
  const { fake, view } = open({ frame: 4 });
  fake.state.body = { text: '{"method":"tools/call","par', size: 3 << 20, cut: true, gone: false };
  await screen.findByRole("region", { name: "Request" });
  view.unmount();
  const again = open({ frame: 77 });
  expect(await screen.findByText("These frames are no longer kept.")).toBeTruthy();
  again.view.unmount();
  const cut = open({ frame: 4 });
  cut.fake.state.body = { text: '{"method":"tools/call","par', size: 3 << 20, cut: true, gone: false };
  expect((await screen.findAllByText("The first 64.0 KB of 3.0 MB.")).length).toBe(2);
  expect(screen.getAllByLabelText("Request", { selector: "pre" })).toHaveLength(1);
});

test("what was being read when the traffic was cleared does not come back", async () => {
  const fake = new FakeHost();
  const page = (frames: Frame[], newest: number) => ({ frames, oldest: 0, newest });
  let arrive: (late: ReturnType<typeof page>) => void = () => {};
  const late = new Promise<ReturnType<typeof page>>((resolve) => { arrive = resolve; });
  const frames = vi.fn<(server: string, after: number) => Promise<ReturnType<typeof page>>>()
    .mockResolvedValue(page([], 10)).mockResolvedValueOnce(page(SOME, 9)).mockReturnValueOnce(late);
  const host = new Proxy(fake.host(), { get: (all, what: keyof Host) => what === "frames" ? frames : all[what] });
  render(<TrafficTab name="db" host={host} runner={new Runner()} />);
  const list = await screen.findByRole("listbox", { name: "Traffic of db" });
  await waitFor(() => expect(frames).toHaveBeenCalledTimes(2));
  expect(within(list).getAllByRole("option")).toHaveLength(7);
  fireEvent.click(screen.getByRole("button", { name: "Clear" }));
  await screen.findByText("Nothing was sent or received yet.");
  arrive(page([frame(10, { kind: "notification" })], 10));
  await waitFor(() => expect(frames).toHaveBeenCalledTimes(3));
  expect(within(list).queryAllByRole("option")).toHaveLength(0);
  expect(frames).toHaveBeenLastCalledWith("db", 0); // what came since is read, whenever that was
});

test("what bodies hold is found though new messages come all the time", async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    const { fake } = open();
    fireEvent.change(screen.getByRole("searchbox", { name: "Filter traffic" }), { target: { value: "zebra" } });
    for (let seq = 10; seq < 20; seq++) {
      fake.state.frames = { frames: [frame(seq, { subject: "busy" })], oldest: 0, newest: seq };
      fake.state.found = [seq];
      await act(async () => { await vi.advanceTimersByTimeAsync(250); });
    }
    const asked = fake.calls.filter(([what]) => what === "findFrames");
    expect(asked.length).toBeGreaterThan(3);
    expect(asked[0]).toEqual(["findFrames", "db", "zebra", 0]);
    expect(asked.at(-1)?.[3]).toBeGreaterThan(10); // only what is new is searched again
    expect(screen.getAllByRole("option").length).toBeGreaterThan(3);
  } finally {
    vi.useRealTimers();
  }
});
