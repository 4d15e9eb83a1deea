import { afterEach, expect, test, vi } from "vitest";
import { CALL_LIMIT_MS, wailsHost } from "./wails";

const page = window as unknown as { go?: unknown; runtime?: unknown };
afterEach(() => {
  vi.useRealTimers();
  delete page.go;
  delete page.runtime;
});

test("a method the window has not is rejected by name, one that never answers after the limit", async () => {
  await expect(wailsHost().rebuildAll()).rejects.toMatchObject({ code: "internal", message: expect.stringContaining("rebuildAll") });
  vi.useFakeTimers();
  page.go = { app: { MCP: { RetryFailed: () => new Promise(() => {}) } } };
  const waits = expect(wailsHost().retryFailed()).rejects.toMatchObject({ message: expect.stringContaining("no answer") });
  await vi.advanceTimersByTimeAsync(CALL_LIMIT_MS);
  await waits;
});

test("one listener per topic in the window, its own fan-out, off safe twice", () => {
  const inner: ((value: unknown) => void)[] = [];
  page.runtime = { EventsOnMultiple: (_: string, listener: (value: unknown) => void) => { inner.push(listener); return () => {}; } };
  const host = wailsHost();
  const seen: string[] = [];
  const off = host.on("settings", () => seen.push("a"));
  host.on("settings", () => seen.push("b"));
  expect(inner).toHaveLength(1);
  inner[0]?.({});
  off(); off();
  inner[0]?.({});
  expect(seen).toEqual(["a", "b", "b"]);
});
