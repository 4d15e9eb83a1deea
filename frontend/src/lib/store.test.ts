import { expect, test, vi } from "vitest";
import { Runner } from "./run";
import { Latest } from "./store";

test("the higher rev wins whatever order snapshots arrive in", () => {
  const store = new Latest({ rev: 0, what: "" });
  let told = 0;
  const off = store.subscribe(() => told++);
  store.take({ rev: 3, what: "new" });
  store.take({ rev: 2, what: "late" });
  store.take({ rev: 3, what: "again" });
  expect(store.get().what).toBe("new");
  expect(told).toBe(1);
  off(); off();
  store.take({ rev: 4, what: "x" });
  expect(told).toBe(1);
});

test("run shows what was rejected, drops a second click and is never busy for ever", async () => {
  const runner = new Runner();
  let release = () => {};
  const first = runner.run("a", () => new Promise<void>((done) => { release = done; }));
  expect(runner.busy.get().has("a")).toBe(true);
  expect(await runner.run("a", () => Promise.resolve())).toBe(false);
  release();
  expect(await first).toBe(true);
  expect(await runner.run("a", () => Promise.reject({ code: "invalid", message: "stdio transport requires command" }))).toBe(false);
  expect(runner.busy.get().size).toBe(0);
  expect(runner.toasts.get().map((each) => each.text)).toEqual(["stdio transport requires command"]);
  await runner.run("b", () => Promise.reject(undefined));
  expect(runner.toasts.get()[1]?.text).toContain("without saying why");
});

test("of the lines that can be taken back the newest is shown, and what is no error goes by itself", () => {
  vi.useFakeTimers();
  const runner = new Runner();
  const texts = () => runner.toasts.get().map((each) => each.text);
  runner.show("no such file", true);
  runner.show("Enabled a here", false, () => {});
  runner.show("Copied");
  runner.show("Enabled b here", false, () => {});
  expect(texts()).toEqual(["no such file", "Copied", "Enabled b here"]);
  vi.runAllTimers();
  expect(texts()).toEqual(["no such file"]);
  vi.useRealTimers();
});
