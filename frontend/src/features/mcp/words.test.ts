import { expect, test } from "vitest";
import { row } from "../../platform/fake";
import { held } from "./rows-order";
import { about, cameBack, EVERY, hint, matching, nextSort, sorted, type Sort } from "./words";

const names = (rows: readonly { name: string }[]) => rows.map((each) => each.name).join(" ");
const rows = [
  row({ name: "gone", state: "missing", type: "", reason: "Enabled in workspace.json line 6, defined nowhere" }), row({ name: "web", type: "streamable_http", toolCount: 3, latencyMs: 20, connectMs: 900 }),
  row({ name: "B", state: "error", reason: "exited with 1", connectMs: 40 }), row({ name: "a10", toolCount: 3 }), row({ name: "a9", state: "error", error: "no such file" }),
];

test.each<[Sort, string]>([
  [undefined, "web B a10 a9 gone"],
  [{ key: "state", down: false }, "B a9 gone web a10"], [{ key: "state", down: true }, "web a10 gone B a9"],
  [{ key: "server", down: false }, "a9 a10 B gone web"], [{ key: "server", down: true }, "web gone B a10 a9"],
  [{ key: "tools", down: true }, "web a10 gone B a9"], [{ key: "tools", down: false }, "web a10 gone B a9"],
  [{ key: "time", down: true }, "B web gone a10 a9"], [{ key: "time", down: false }, "web B gone a10 a9"],
])("sorted by %o", (sort, want) => { expect(names(sorted(rows, sort))).toBe(want); });

test("the third click on a column brings back the order of the definitions; numbers begin with the largest", () => {
  const first = nextSort(undefined, "state");
  expect(first).toEqual({ key: "state", down: false });
  const second = nextSort(first, "state");
  expect(second).toEqual({ key: "state", down: true });
  expect(nextSort(second, "state")).toBeUndefined();
  expect(nextSort(second, "time")).toEqual({ key: "time", down: true });
});

test.each([["", "gone web B a10 a9"], [" WEB", "web"], ["http", "web"], ["streamable", "web"], ["line 6", "gone"], ["no such", "a9"], ["1", "B a10"], ["zz", ""]])(
  "the text %o finds %o", (text, want) => { expect(names(matching(rows, { ...EVERY, text }))).toBe(want); });

test("while the pointer is there rows keep their order, new ones come where they belong, gone ones go", () => {
  const all = ["a", "b", "c", "d"].map((name) => row({ name }));
  expect(names(held(["a", "b", "c"], [all[2]!, all[1]!, all[0]!], all))).toBe("a b c");
  expect(names(held(["a", "b", "c"], [all[2]!, all[3]!, all[1]!, all[0]!], all))).toBe("a b c d");
  expect(names(held(["b", "c"], [all[0]!, all[1]!, all[2]!], all))).toBe("a b c");
  expect(names(held(["a", "gone", "c"], [all[0]!, all[2]!], all))).toBe("a c");
  expect(names(held(["a", "b"], [all[1]!], all))).toBe("a b"); // it no longer passes the filter: it stays meanwhile
  expect(held(["a"], [{ ...all[0]!, state: "busy" }], [{ ...all[0]!, state: "busy" }])[0]?.state).toBe("busy");
});

test("Pause and Retry say which other sessions they touch", () => {
  const [alone, shared, many] = [row({ name: "a" }), row({ name: "a", shared: ["Other chat", "Third"] }), row({ name: "a", shared: ["1", "2", "3", "4"] })];
  expect([hint("Pause", alone), hint("Retry", alone), hint("Edit", shared)]).toEqual(["Pause", "Retry", "Edit"]);
  expect([hint("Pause", shared), hint("Retry", shared)]).toEqual(["Pause in this session; goes on for Other chat, Third", "Retry, also for Other chat, Third"]);
  expect(hint("Retry", many)).toBe("Retry, also for 4 other sessions");
});

test("a row says how it came back", () => {
  expect(cameBack(row({ name: "a", type: "stdio", recovered: 1 }))).toBe("It ended and was started again");
  expect(cameBack(row({ name: "a", type: "stdio", recovered: 1, starts: 4 }))).toBe("It ended and was started again. 4 starts since Patchbay opened");
  expect(cameBack(row({ name: "a", type: "sse", recovered: 3 }))).toBe("It was lost, or its session there had expired, and was opened again, 3 times");
});

test("what has no column is said about a row", () => {
  const said = about(row({ name: "web", type: "sse", serverName: "Web", serverVersion: "2", toolCount: 1, schemaTokens: 1200, connectMs: 45, latencyMs: 8, warnings: ["slow"], skipped: [{ tool: "x", reason: "no name" }], shared: ["Other chat"] }));
  expect(said.split("\n")).toEqual(["web (sse)", "Web 2", "1 tool, 1.2k schema tokens", "Connected in 45 ms, latency 8 ms", "slow", "x is skipped: no name", "Also used by Other chat"]);
});
