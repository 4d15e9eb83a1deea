import { act, fireEvent, render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import type { Clash, ToolRules } from "../../contract/types";
import { FakeHost, row } from "../../platform/fake";
import { ResolveDialog } from "./resolve-dialog";
import { compared, prefixed, toolNameProblem } from "./resolve-dialog-rules";

const schema = (properties: Record<string, unknown>, required: string[] = []) => JSON.stringify({ properties, required });
const clash = (tool: string, original = tool): Clash => ({
  tool, mine: { owner: "fs", original, description: `mine ${tool}`, schema: schema({ path: { type: "string" }, head: { type: "integer" } }, ["path"]) },
  theirs: { owner: "built-in", original: tool, description: `theirs ${tool}`, schema: schema({ path: { type: "string" }, limit: { type: "integer" } }, ["path"]) },
});

function open(clashes: Clash[], taken: string[], refuse?: unknown) {
  const fake = new FakeHost();
  fake.state.clashes = { clashes, taken };
  if (refuse) fake.refuse.clashes = refuse;
  const onSave = vi.fn((_: ToolRules) => Promise.resolve(""));
  render(<ResolveDialog row={row({ name: "fs", state: "error", conflicts: clashes.map((each) => ({ tool: each.tool, owner: "built-in" })) })} host={fake.host()} onSave={onSave} onClose={() => {}} />);
  return { onSave, user: userEvent.setup() };
}

test("both sides stand beside each other and what differs is marked", async () => {
  open([clash("read_file")], ["read_file"]);
  const mine = await screen.findByRole("group", { name: "This server: fs" });
  const theirs = screen.getByRole("group", { name: "Holds the name: built-in" });
  expect(within(mine).getByText("mine read_file")).toBeTruthy();
  expect([...mine.querySelectorAll(".differs")].map((each) => each.textContent)).toEqual(["headintegerdiffers"]);
  expect([...theirs.querySelectorAll(".differs")].map((each) => each.textContent)).toEqual(["limitintegerdiffers"]);
  expect(document.activeElement).toBe(screen.getByRole("textbox", { name: "New name of read_file" }));
});

test("new names are checked against every taken one, ignoring case, and saved by the server's own names", async () => {
  const { user, onSave } = open([clash("read_file", "read-file"), clash("write_file")], ["read_file", "write_file", "fs_TAKEN"]);
  await screen.findByText("mine read_file");
  const name = screen.getByRole("textbox", { name: "New name of read_file" });
  const put = async (text: string) => { await user.clear(name); if (text) await user.type(name, text); };
  await put("FS_taken");
  expect(screen.getByRole("alert").textContent).toBe("New name of read_file: FS_taken is taken");
  expect(name.getAttribute("aria-invalid")).toBe("true");
  expect(screen.getByRole("button", { name: "Apply" })).toHaveProperty("disabled", true);
  await put("Read_File");
  expect(screen.getByRole("alert").textContent).toContain("is taken");
  await put("fs_WRITE_file");
  expect(screen.getByRole("alert").textContent).toBe("New name of write_file: fs_write_file is taken");
  await put("é");
  expect(screen.getByRole("alert").textContent).toContain("1 to 64 letters");
  await put("fs_read");
  await user.click(screen.getAllByRole("radio", { name: "Hold back" })[1]!);
  expect(screen.getByText(/The model will see/).textContent).toBe("The model will see: fs_read");
  await user.click(screen.getByRole("button", { name: "Apply" }));
  expect(onSave.mock.calls).toEqual([[{ exclude: ["write_file"], rename: { "read-file": "fs_read" } }]]);
});

test("sixty clashes are held back or renamed at once", async () => {
  const many = Array.from({ length: 60 }, (_, at) => clash(`t${at}`));
  const { onSave } = open(many, many.map((each) => each.tool));
  await act(async () => {}); // both sides are read
  expect(screen.getAllByText("Compare both")).toHaveLength(60);
  expect(document.querySelector(".arms")).toBeNull();
  await act(async () => { fireEvent.click(screen.getAllByText("Compare both")[7]!); });
  expect((await screen.findByText("mine t7")).closest(".arms")).not.toBeNull();
  // By selector: roles and labels of so many elements take long to work out.
  const control = (name: string) => [...document.querySelectorAll(".resolve-all button, .resolve-all input, footer button")].find((each) => each.ariaLabel === name || each.textContent === name)!;
  fireEvent.click(control("Hold back all"));
  expect(screen.getByText("0 renamed · 60 held back")).toBeTruthy();
  expect(screen.getByText(/The model will see/).textContent).toContain("none of these");
  fireEvent.change(control("Prefix"), { target: { value: "my fs" } });
  fireEvent.click(control("Rename all with prefix"));
  await act(async () => { fireEvent.click(control("Apply")); });
  const [[rules]] = onSave.mock.calls as [[ToolRules]];
  expect([rules.exclude.length, Object.keys(rules.rename).length, rules.rename.t59]).toEqual([0, 60, "my_fs_t59"]);
});

test("without both sides the names alone can be settled", async () => {
  const { user, onSave } = open([clash("a")], [], { code: "lost", message: "fs is gone" });
  expect(await screen.findByText(/fs is gone/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Apply" }));
  expect(onSave.mock.calls).toEqual([[{ exclude: [], rename: { a: "fs_a" } }]]);
});

test.each([["", "It needs 1 to 64"], ["a b", "It needs"], ["x".repeat(65), "It needs"], ["Taken", "Taken is taken"], ["free", ""]])("%s as a name", (name, want) => {
  expect(toolNameProblem(name, new Set(["taken"])).startsWith(want) && (want !== "" || toolNameProblem(name, new Set(["taken"])) === "")).toBe(true);
});

test("a prefix is made of what a name may have, and the whole fits", () => {
  expect(prefixed("数据 x", "t")).toBe("___x_t");
  expect(prefixed("a".repeat(80), "t")).toHaveLength(64);
});

test("schemas of any shape are compared", () => {
  expect(compared("no json", "[]")).toEqual({ mine: [], theirs: [] });
  expect(compared(schema({ a: true, b: { anyOf: [{ type: "string" }, { type: "null" }] }, c: { $ref: "#/$defs/C" }, d: { type: "array" }, e: { enum: [1, "x"] } }), schema({ a: true })).mine.map((each) => [each.type, each.differs]))
    .toEqual([["any", false], ["string | null", true], ["C", true], ["any[]", true], ['1 | "x"', true]]);
});
