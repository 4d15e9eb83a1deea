import { cleanup } from "@testing-library/react";
import { afterEach, beforeEach, expect, vi } from "vitest";

// A console error or warning is a fault of the page: the test it came from fails.
const said: unknown[][] = [];
beforeEach(() => {
  said.length = 0;
  vi.spyOn(console, "error").mockImplementation((...args) => { said.push(args); });
  vi.spyOn(console, "warn").mockImplementation((...args) => { said.push(args); });
});
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  expect(said).toEqual([]);
});
