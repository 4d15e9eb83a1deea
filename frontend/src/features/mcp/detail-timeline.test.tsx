import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { ServerStart } from "../../contract/types";
import { FakeHost, row, start } from "../../platform/fake";
import { TimelineTab } from "./detail-timeline";
import { inWords, pieces, reason, story } from "./detail-timeline-story";

const FAILED: Partial<ServerStart> = { outcome: "failed", stage: "initialize", message: "exited with 1", stages: [{ stage: "spawn", ms: 40 }] };

test("what became of the starts is one sentence", () => {
  const ok = start({ number: 9 });
  const bad = start({ number: 8, ...FAILED });
  const told = (...starts: Parameters<typeof story>[0]) => story(starts);
  expect(told()).toBe("It was not started since Patchbay opened.");
  expect(told(ok)).toBe("It connected at the first start.");
  expect(told(ok, ok)).toBe("It connected at the first try of the last start.");
  expect(told(ok, bad, bad, bad, ok, bad)).toBe("3 starts failed, then it connected.");
  expect(told(ok, bad)).toBe("1 start failed, then it connected.");
  expect(told(start({ number: 9, endedMs: 5, end: "was ended by signal killed" }), bad)).toBe("Its last connection ended: was ended by signal killed.");
  expect(told(bad, bad, ok)).toBe("The last 2 starts failed.");
  expect(told(bad, ok)).toBe("The last start failed.");
  expect(told(start({ number: 9, outcome: "running" }), bad, bad)).toBe("It is starting, after 2 failed starts.");
  expect(told(start({ number: 9, outcome: "running" }))).toBe("It is starting.");
  expect(told(start({ number: 9, outcome: "cut", message: "restarted by Retry" }))).toBe("The last start was given up: restarted by Retry.");
});

test("the stage that a start ended in has the rest of its time", () => {
  const failed = start({ number: 2, tookMs: 100, ...FAILED });
  expect(pieces(failed, 0)).toEqual([{ stage: "spawn", ms: 40, state: "past" }, { stage: "initialize", ms: 60, state: "failed" }]);
  expect(inWords(failed, 0)).toBe("Start 2, failed: spawn 40 ms, initialize 60 ms, failed there");
  const running = start({ number: 3, outcome: "running", beganMs: 1000, tookMs: 0, stage: "list", stages: [{ stage: "spawn", ms: 0 }] });
  expect(inWords(running, 3500)).toBe("Start 3, starting: spawn under 1 ms, list 2.5 s so far");
  expect(inWords(start({ number: 4, stages: [{ stage: "spawn", ms: 100 }] }), 0)).toBe("Start 4, connected: spawn 100 ms");
  expect(reason(start({ number: 1, reason: "reconnect", try: 3 }))).toBe("Reconnect 3");
  expect(reason(start({ number: 1, reason: "edited" }))).toBe("Edited");
});

test("starts stand newest first on one scale, with their end, and a legend of their stages", async () => {
  const fake = new FakeHost();
  fake.state.timeline = { total: 12, starts: [
    start({ number: 12, reason: "reconnect", try: 1, tookMs: 1000, pid: 77, stages: [{ stage: "spawn", ms: 200 }, { stage: "list", ms: 800 }] }),
    start({ number: 11, tookMs: 250, ...FAILED }), start({ number: 10, tookMs: 500, endedMs: 60_500, end: "was ended by signal killed", stages: [{ stage: "spawn", ms: 500 }] }),
  ] };
  render(<TimelineTab name="pg" row={row({ name: "pg" })} host={fake.host()} />);
  const list = await screen.findByRole("list", { name: "Starts of pg" });
  const items = within(list).getAllByRole("listitem").map((each) => each.textContent);
  expect(items[0]).toMatch(/^connectedReconnect 1 · .* · pid 77.*1\.0 s$/);
  expect(items[1]).toMatch(/^failedFirst start · .*250 ms.*Exited with 1$/);
  expect(items[2]).toContain("Ended after 1 min: was ended by signal killed");
  expect(screen.getByRole("status").textContent).toBe("1 start failed, then it connected. 12 starts since Patchbay opened; the last 3 are shown.");
  expect(within(screen.getByRole("list", { name: "Stages" })).getAllByRole("listitem").map((each) => each.textContent)).toEqual(["spawn", "initialize", "list"]);
  const widths = within(list).getAllByRole("img").map((each) => (each.firstElementChild as HTMLElement).style.width);
  expect(widths).toEqual(["100%", "25%", "50%"]);
  const bar = within(list).getByRole("img", { name: "Start 12, connected: spawn 200 ms, list 800 ms" });
  await userEvent.hover(bar);
  expect(bar.textContent).toBe("spawn200 mslist800 ms");
  await userEvent.unhover(bar);
  expect(bar.textContent).toBe("");
  act(() => bar.focus());
  expect(bar.textContent).toBe("spawn200 mslist800 ms");
});

test("the timeline is read again when the row has moved on, and says when it cannot be read", async () => {
  const fake = new FakeHost();
  const host = fake.host();
  const draw = (part: Parameters<typeof row>[0]) => <TimelineTab name="pg" row={row(part)} host={host} />;
  const view = render(draw({ name: "pg", state: "busy", stage: "spawn" }));
  await screen.findByText("It was not started since Patchbay opened.");
  view.rerender(draw({ name: "pg", state: "busy", stage: "spawn", progress: "npm" }));
  expect(fake.calls).toHaveLength(1);
  fake.refuse.serverTimeline = { code: "not_found", message: "there is no server pg" };
  view.rerender(draw({ name: "pg", state: "busy", stage: "initialize" }));
  await waitFor(() => expect(screen.getByText("there is no server pg")).toBeTruthy());
  expect(fake.calls).toHaveLength(2);
});
