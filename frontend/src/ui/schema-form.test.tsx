import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, test } from "vitest";
import { SchemaForm } from "./schema-form";
import { argumentsOf, fieldOf, problemsOf, startOf, Unread, type Field } from "./schema-form-model";

const object = (properties: Record<string, unknown>, required: string[] = [], more: Record<string, unknown> = {}) => ({ type: "object", properties, required, ...more });
const kindOf = (schema: unknown) => { const field = fieldOf(object({ x: schema })); return field.kind === "object" ? field.parts[0]?.field.kind : undefined; };

test.each<[string, unknown, Field["kind"]]>([
  ["a string", { type: "string" }, "text"], ["an integer", { type: "integer" }, "number"], ["a boolean", { type: "boolean" }, "boolean"],
  ["an enum without a type", { enum: [1, "a", null] }, "enum"], ["a const", { const: 3 }, "const"], ["a list", { type: "array", items: { type: "string" } }, "array"],
  ["a list of objects", { type: "array", items: object({ a: { type: "string" } }) }, "array"],
  ["a list of anything", { type: "array" }, "json"], ["a list of lists", { type: "array", items: { type: "array", items: { type: "string" } } }, "json"], ["a tuple", { type: "array", prefixItems: [{ type: "string" }] }, "json"],
  ["an object without a type", { properties: { a: { type: "string" } } }, "object"], ["a map", { type: "object", additionalProperties: { type: "string" } }, "json"],
  ["no type", {}, "json"], ["no type but words", { description: "anything" }, "json"], ["true", true, "json"], ["a number for a schema", 3, "json"], ["null for a schema", null, "json"],
  ["a nullable type", { type: ["string", "null"] }, "text"], ["two types", { type: ["string", "integer"] }, "choice"], ["an optional of a union", { anyOf: [{ type: "integer" }, { type: "null" }] }, "number"],
  ["one of two", { oneOf: [{ type: "string" }, { type: "boolean" }] }, "choice"], ["one of consts", { oneOf: [{ const: "a" }, { const: "b" }] }, "enum"], ["one of anything", { anyOf: [{}, { type: "string" }] }, "json"],
  ["a broken reference", { $ref: "#/$defs/none" }, "json"], ["a foreign reference", { $ref: "https://evil.test/s.json" }, "json"], ["itself", { $ref: "#/properties/x" }, "json"],
  ["all of", { allOf: [object({ a: { type: "string" } }), object({ b: { type: "string" } })] }, "object"], ["an empty enum", { enum: [], type: "string" }, "text"], ["a type that is none", { type: "decimal" }, "json"],
])("%s is drawn as it should be", (_, schema, want) => {
  expect(kindOf(schema)).toBe(want);
});

test("a property that is never allowed is left out; a recursive one ends in JSON", () => {
  const field = fieldOf({ ...object({ never: false, tree: { $ref: "#/$defs/node" } }), $defs: { node: object({ name: { type: "string" }, child: { $ref: "#/$defs/node" } }) } });
  if (field.kind !== "object") throw new Error(field.kind);
  expect(field.parts.map((each) => each.name)).toEqual(["tree"]);
  const tree = field.parts[0]?.field;
  expect(tree?.kind === "object" && tree.parts.map((each) => each.field.kind)).toEqual(["text", "json"]);
  expect(fieldOf({ $ref: "#" }).kind).toBe("json");
});

test("names of the language itself are plain names", () => {
  const field = fieldOf(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"string"}},"required":["constructor"]}'));
  expect(field.kind === "object" && field.parts.map((each) => each.name)).toEqual(["__proto__", "constructor"]);
  expect([...problemsOf(field, {}, true)]).toEqual([["/constructor", "needs a value"]]);
});

test("what is there at first: defaults, constants, what must be there", () => {
  const field = fieldOf(object({ a: { default: 3, type: "integer" }, b: { const: true }, c: { const: 1 }, d: { type: "boolean" }, e: { type: "array", items: { type: "string" } }, f: object({ g: { type: "string", default: "x" } }) }, ["b", "d", "e"]));
  expect(startOf(field, undefined, true)).toEqual({ a: 3, b: true, d: false, e: [], f: { g: "x" } });
});

test.each<[unknown, unknown, string | undefined]>([
  [{ type: "string", minLength: 2 }, "a", "has at least 2 characters"], [{ type: "string", maxLength: 1 }, "ab", "has at most 1 characters"], [{ type: "string", pattern: "^a" }, "b", "has to match ^a"],
  [{ type: "string", pattern: "(" }, "b", undefined], [{ type: "string", format: "uri" }, "nowhere", "is a URI, for example https://example.com"], [{ type: "string", pattern: "(a+)+$" }, `${"a".repeat(40)}!`, undefined],
  [{ type: "integer" }, 1.5, "is a whole number"], [{ type: "number", minimum: 2 }, 1, "is at least 2"], [{ type: "number", maximum: 2 }, 3, "is at most 2"], [{ type: "number" }, new Unread("x"), "is a number"],
  [{ enum: ["a"] }, "b", "is one of its values"], [{}, new Unread("{"), "is no JSON yet"], [{ type: "boolean" }, "x", "is true or false"], [object({}), [], "is an object"],
])("%j with %j: %s", (schema, value, want) => {
  expect(problemsOf(fieldOf(schema), value, true).get("")).toBe(want);
});

test("choices are called by their names, some of a few have a box each, and a form for people uses titles", async () => {
  const schema = object({
    size: { type: "string", title: "Size of it", oneOf: [{ const: "s", title: "Small" }, { const: "l", title: "Large" }] },
    old: { type: "string", enum: ["a", "b"], enumNames: ["Alpha", "Beta"] },
    extras: { type: "array", title: "Extras", minItems: 1, maxItems: 2, items: { anyOf: [{ const: "x", title: "Ex" }, { const: "y", title: "Why" }, { const: "z", title: "Zed" }] } },
    sure: { type: "boolean", title: "Sure" },
  }, ["extras"]);
  const Titled = () => {
    const [value, setValue] = useState<unknown>({});
    return <><SchemaForm titles field={fieldOf(schema)} value={value} problems={problemsOf(fieldOf(schema), value, true)} onChange={setValue} /><output>{argumentsOf(value)}</output></>;
  };
  render(<Titled />);
  await userEvent.selectOptions(screen.getByRole("combobox", { name: /^Size of it/ }), "Large");
  await userEvent.selectOptions(screen.getByRole("combobox", { name: /^old/ }), "Beta");
  await userEvent.selectOptions(screen.getByRole("combobox", { name: /^Sure/ }), "Yes");
  const extras = screen.getByRole("group", { name: /^Extras/ });
  for (const name of ["Zed", "Ex", "Why"]) await userEvent.click(within(extras).getByRole("checkbox", { name }));
  expect(extras.textContent).toContain("takes at most 2");
  await userEvent.click(within(extras).getByRole("checkbox", { name: "Why" }));
  expect(made()).toEqual({ size: "l", old: "b", sure: true, extras: ["x", "z"] });
  await userEvent.click(within(extras).getByRole("checkbox", { name: "Ex" }));
  await userEvent.click(within(extras).getByRole("checkbox", { name: "Zed" }));
  expect(extras.textContent).toContain("needs at least 1");
});

function Rig({ schema, start }: { schema: unknown; start?: unknown }) {
  const field = fieldOf(schema);
  const [value, setValue] = useState<unknown>(start ?? startOf(field, undefined, true) ?? {});
  return <><SchemaForm field={field} value={value} problems={problemsOf(field, value, true)} onChange={setValue} /><output>{argumentsOf(value)}</output></>;
}
const made = () => JSON.parse(document.querySelector("output")?.textContent ?? "") as unknown;

test("every kind of field writes its part of the arguments", async () => {
  render(<Rig schema={object({
    sql: { type: "string", description: "One statement" }, limit: { type: "number" }, mode: { enum: ["fast", 2] }, dry: { type: "boolean" }, tags: { type: "array", items: { type: "string" } },
    at: object({ day: { type: "string", format: "date" } }), either: { oneOf: [{ type: "string" }, { type: "integer" }] }, any: {},
  }, ["sql"])} />);
  const user = userEvent.setup();
  const sql = screen.getByLabelText(/^sql/);
  expect(sql.getAttribute("aria-required")).toBe("true");
  expect(document.getElementById((sql.getAttribute("aria-describedby") ?? "").split(" ")[1] ?? "")?.textContent).toBe("One statement");
  expect(screen.getByText("sql needs a value")).toBeTruthy();
  await user.type(sql, "select 1");
  await user.type(screen.getByLabelText(/^limit/), "1.50");
  expect(screen.getByLabelText(/^limit/)).toHaveProperty("value", "1.50");
  await user.selectOptions(screen.getByLabelText("mode"), "2");
  await user.selectOptions(screen.getByLabelText("dry"), "true");
  await user.click(screen.getByRole("button", { name: "Add to tags" }));
  await user.type(screen.getByLabelText(/^tags 1/), "a");
  await user.click(screen.getByRole("button", { name: "Set at" }));
  await user.type(screen.getByLabelText(/^day/), "2026-12-01");
  await user.selectOptions(screen.getByLabelText("Kind of either"), "whole number");
  await user.type(within(screen.getByRole("group", { name: "either" })).getByRole("textbox"), "7");
  await user.type(screen.getByLabelText(/^any/), "[[1]");
  expect(made()).toEqual({ sql: "select 1", limit: 1.5, mode: 2, dry: true, tags: ["a"], at: { day: "2026-12-01" }, either: 7, any: [1] });
  await user.clear(screen.getByLabelText(/^limit/));
  await user.selectOptions(screen.getByLabelText("mode"), "not set");
  await user.click(screen.getByRole("button", { name: "Remove tags 1" }));
  await user.click(screen.getByRole("button", { name: "Leave out at" }));
  expect(made()).toEqual({ sql: "select 1", dry: true, either: 7, any: [1] });
});

test("a one-line field that gets several lines becomes as many", async () => {
  render(<Rig schema={object({ name: { type: "string" } })} />);
  const user = userEvent.setup();
  expect(screen.getByRole("textbox").tagName).toBe("INPUT");
  await user.click(screen.getByRole("textbox"));
  await user.paste("a\nb");
  expect(screen.getByRole("textbox").tagName).toBe("TEXTAREA");
  expect(made()).toEqual({ name: "a\nb" });
});

test("names and descriptions of a server are text; nothing to fill in is said", () => {
  const { rerender } = render(<Rig schema={object({ "<img src=x>": { type: "string", description: "<script>1</script>" } })} />);
  expect(screen.getByText("<script>1</script>")).toBeTruthy();
  expect(document.querySelector("img, script")).toBeNull();
  rerender(<Rig key="2" schema={{ type: "object" }} />);
  expect(screen.getByText("It takes no arguments.")).toBeTruthy();
});
