import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { ServerRow } from "../../contract/types";
import { lasted, memory } from "../../lib/format";
import { Runner } from "../../lib/run";
import { FakeHost, row } from "../../platform/fake";
import { ProcessTab } from "./detail-process";

const PROCESS = { parent: 1, depth: 0, orphan: false, zombie: false, name: "node", command: "node x --api-key •••", memory: 50 << 20, cpuMs: 1500, startedMs: Date.now() - 65_000 };

afterEach(() => { vi.useRealTimers(); vi.restoreAllMocks(); });

function open(part: Partial<ServerRow>, prepare: (fake: FakeHost) => void = () => {}) {
  const fake = new FakeHost();
  const runner = new Runner();
  prepare(fake);
  const data = { detail: fake.state.detail, error: "", reload: () => {} };
  const view = render(<ProcessTab name="pg" row={row({ name: "pg", ...part })} data={data} host={fake.host()} runner={runner} />);
  return { fake, runner, view, calls: (name: string) => fake.calls.filter((each) => each[0] === name) };
}

test("the tree, its sums and why the last process ended are shown", async () => {
  open({}, (fake) => {
    fake.state.processes = { memory: 84 << 20, sharedTwice: true, cpuMs: 2300, starts: 4, recovered: 2, lastEnd: "was ended by signal killed", lastEndMs: Date.now(),
      processes: [{ ...PROCESS, pid: 100 }, { ...PROCESS, pid: 101, depth: 1, orphan: true, name: "sh", command: "", memory: 0, cpuMs: 0 }, { ...PROCESS, pid: 102, depth: 1, zombie: true }] };
  });
  const rows = within(await screen.findByRole("table", { name: "Processes of pg" })).getAllByRole("row").slice(1).map((each) => each.textContent);
  expect(rows).toEqual(["nodenode x --api-key •••10050 MB1.5 s", "└ shorphan101–0 s", "└ nodeendednode x --api-key •••10250 MB1.5 s"]);
  const sums = screen.getByLabelText("Sums").textContent;
  for (const text of ["Processes3", "Memory84 MB (shared pages counted for each)", "CPU time2.3 s", "Uptime1 min", "Restarts3", "Recovered2 times", "Last endWas ended by signal killed at "]) expect(sums).toContain(text);
});

test.each<[Partial<ServerRow>, string]>([[{ state: "paused" }, "Nothing of it runs."], [{ type: "sse" }, "It is reached by HTTP: none of its processes is Patchbay's."]])("what has no process says so: %j", async (part, want) => {
  open(part);
  expect(await screen.findByText(want)).toBeTruthy();
  expect(screen.getByLabelText("Sums").textContent).toBe("Restartsnot started yet");
});

test("the processes are looked at every two seconds, only while they can be seen", async () => {
  vi.useFakeTimers();
  const { calls, view } = open({});
  await act(() => vi.advanceTimersByTimeAsync(4100));
  expect(calls("serverProcesses")).toHaveLength(3);
  const hidden = vi.spyOn(document, "hidden", "get").mockReturnValue(true);
  await act(() => vi.advanceTimersByTimeAsync(6000));
  expect(calls("serverProcesses")).toHaveLength(3);
  hidden.mockReturnValue(false);
  await act(() => vi.advanceTimersByTimeAsync(2000));
  expect(calls("serverProcesses")).toHaveLength(4);
  view.unmount();
  await act(() => vi.advanceTimersByTimeAsync(6000));
  expect(calls("serverProcesses")).toHaveLength(4);
});

test("the doctor says what differs and its line is copied", async () => {
  const { calls, runner } = open({}, (fake) => {
    fake.state.doctor = { ...fake.state.doctor, problems: ["The working folder /no does not exist."], notes: ["Node is v18 here and v22 in the login shell."], target: "/usr/lib/npx-cli.js", envNames: ["A", "B"],
      lacking: [{ folder: "/home/dev/.nvm/bin", added: true }, { folder: "/opt/x", added: false }], variables: ["HTTPS_PROXY", "X"], set: ["A", "B"], line: "cd /x && npx",
      programs: [{ name: "node", differs: true, here: { path: "/usr/bin/node", version: "v18", problem: "" }, there: { path: "", version: "", problem: "not found" } }] };
  });
  const section = await screen.findByRole("region", { name: "Environment" });
  await within(section).findByText("The working folder /no does not exist.");
  for (const text of ["Node is v18 here and v22 in the login shell.", "/usr/lib/npx-cli.js", "A, B", "/bin/bash"]) expect(within(section).getByText(text)).toBeTruthy();
  expect(screen.getByRole("table", { name: "Programs" }).textContent).toContain("nodediffersv18/usr/bin/nodenot found");
  expect(screen.getByRole("region", { name: "In the login shell's PATH, not in Patchbay's" }).textContent).toContain("/home/dev/.nvm/binadded/opt/x");
  expect(screen.getByText("2 variables that only the login shell sets")).toBeTruthy();
  expect(screen.getByText(/Stored values are not in it/).textContent).toContain("set A, B first");
  await userEvent.click(screen.getByRole("button", { name: "Copy line" }));
  expect(calls("copyText")).toEqual([["copyText", "cd /x && npx"]]);
  expect(runner.toasts.get()[0]?.text).toBe("Copied the line");
  await userEvent.click(screen.getByRole("button", { name: "Check again" }));
  expect(calls("serverDoctor").map((each) => each.slice(2))).toEqual([["pg", false], ["pg", true]]);
});

test("an examination can be cancelled, ends with the tab, and says when it failed", async () => {
  const { calls, view, fake } = open({}, (each) => { each.state.doctor = new Promise(() => {}) as never; });
  await userEvent.click(await screen.findByRole("button", { name: "Cancel" }));
  expect(calls("stopDoctor")).toEqual([["stopDoctor", calls("serverDoctor")[0]?.[1]]]);
  fake.refuse.serverDoctor = { code: "internal", message: "no answer" };
  await userEvent.click(screen.getByRole("button", { name: "Check again" }));
  expect(await screen.findByText("no answer")).toBeTruthy();
  delete fake.refuse.serverDoctor;
  await userEvent.click(screen.getByRole("button", { name: "Check again" }));
  view.unmount();
  await waitFor(() => expect(calls("stopDoctor")).toHaveLength(2));
});

test("a server that is defined nowhere has no doctor", async () => {
  const { calls } = open({ defined: false, type: "" });
  await screen.findByText("Nothing of it runs.");
  expect(calls("serverDoctor")).toHaveLength(0);
});

test("amounts and long times are short", () => {
  expect([0, 500, 300_000, 5_200_000, 84 << 20, 1.3 * 2 ** 30].map(memory)).toEqual(["", "1 kB", "293 kB", "5.0 MB", "84 MB", "1.3 GB"]);
  expect([0, 8200, 61_000, 3.66e6, 9.4e7].map(lasted)).toEqual(["0 s", "8 s", "1 min", "1 h 1 min", "1 d 2 h"]);
});
