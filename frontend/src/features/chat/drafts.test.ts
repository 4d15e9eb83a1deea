import { beforeEach, expect, test } from "vitest";
import { Drafts } from "./drafts";

beforeEach(() => sessionStorage.clear());

test("a draft is there again in the next page of the same window, until it is sent", () => {
  new Drafts().set("s1", "half a thought");
  const next = new Drafts();
  expect([next.get("s1"), next.get("s2")]).toEqual(["half a thought", undefined]);
  next.delete("s1");
  expect(new Drafts().get("s1")).toBeUndefined();
});

test("where nothing can be kept a draft lives as long as the page", () => {
  const full = () => { throw new Error("QuotaExceededError"); };
  const drafts = new Drafts({ getItem: full, setItem: full, removeItem: full });
  expect(drafts.get("s1")).toBeUndefined();
  expect(drafts.set("s1", "x").get("s1")).toBe("x");
  expect(drafts.delete("s1")).toBe(true);
});
