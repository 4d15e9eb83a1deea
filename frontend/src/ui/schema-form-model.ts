/** A JSON schema that is an object; true and false are schemas too. */
export type Schema = Readonly<Record<string, unknown>>;

/** What kind of field a part of a schema is drawn as. */
export type Field =
  | { kind: "text"; multi: boolean; format: string; min: number; max: number; pattern: string }
  | { kind: "number"; integer: boolean; min: number; max: number }
  | { kind: "boolean" }
  | { kind: "enum"; options: readonly unknown[]; labels: readonly string[] }
  | { kind: "picks"; options: readonly unknown[]; labels: readonly string[]; min: number; max: number }
  | { kind: "const"; value: unknown }
  | { kind: "null" }
  | { kind: "array"; item: Field; start: unknown }
  | { kind: "object"; parts: readonly Part[] }
  | { kind: "choice"; options: readonly { label: string; field: Field }[] }
  | { kind: "json" };

/** One property of an object. */
export interface Part { name: string; title: string; description: string; required: boolean; field: Field; start: unknown }

/** Text that could not be read as the value its field wants. */
export class Unread {
  constructor(readonly text: string) {}
}

/** Deeper than this, or recursive, is written as JSON. */
const DEEP = 5;
/** A list of more choices than this is written item by item. */
const PICKS = 40;
const LONG_NAMES = /(text|content|body|query|sql|code|script|message|prompt|description|patch|diff|markdown|thought)s?$/i;

/** Reads a schema text; undefined when it is no JSON. */
export function readSchema(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The schema that a reference of the same document names; "" in seen stops recursion. */
function follow(root: unknown, ref: string): unknown {
  if (ref === "#") return root;
  if (!ref.startsWith("#/")) return undefined;
  let at: unknown = root;
  for (const step of ref.slice(2).split("/").map((each) => decode(each).replaceAll("~1", "/").replaceAll("~0", "~"))) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string, unknown>)[step];
  }
  return at;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The field of a whole schema. */
export function fieldOf(schema: unknown): Field {
  return field(schema, { root: schema, seen: [], name: "" });
}

interface Around { root: unknown; seen: readonly string[]; name: string }

function field(given: unknown, around: Around): Field {
  const resolved = resolve(given, around);
  if (!resolved) return { kind: "json" };
  const { schema, seen } = resolved;
  const inside = { ...around, seen };
  if (Object.hasOwn(schema, "const")) return { kind: "const", value: schema.const };
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return { kind: "enum", options: schema.enum, labels: labelsOf(schema.enum, schema.enumNames) };
  const choices = schema.oneOf ?? schema.anyOf;
  if (Array.isArray(choices)) return choice(choices, inside);
  const type = typeOf(schema);
  if (Array.isArray(type)) return choice(type.map((each) => ({ ...schema, type: each })), inside);
  switch (type) {
    case "string": return text(schema, around.name);
    case "number": case "integer": return { kind: "number", integer: type === "integer", min: bound(schema, "minimum", -Infinity), max: bound(schema, "maximum", Infinity) };
    case "boolean": return { kind: "boolean" };
    case "null": return { kind: "null" };
    case "array": return list(schema, inside);
    case "object": return object(schema, inside);
    default: return { kind: "json" };
  }
}

/** Follows references and lays the parts of a short allOf over each other. */
function resolve(given: unknown, around: Around): { schema: Schema; seen: readonly string[] } | undefined {
  let schema = given;
  let seen = around.seen;
  for (;;) {
    if (!isSchema(schema) || seen.length > DEEP) return undefined;
    if (typeof schema.$ref === "string") {
      if (seen.includes(schema.$ref)) return undefined;
      seen = [...seen, schema.$ref];
      const { $ref, ...beside } = schema;
      const target = follow(around.root, $ref as string);
      schema = isSchema(target) ? { ...target, ...beside } : undefined;
      continue;
    }
    if (Array.isArray(schema.allOf)) {
      const { allOf, ...beside } = schema;
      const parts = (allOf as unknown[]).map((each) => resolve(each, { ...around, seen })?.schema);
      if (parts.some((each) => !each)) return undefined;
      schema = [...(parts as Schema[]), beside].reduce(over, {});
      continue;
    }
    return { schema, seen };
  }
}

function over(a: Schema, b: Schema): Schema {
  const both: Record<string, unknown> = { ...a, ...b };
  if (isSchema(a.properties) || isSchema(b.properties)) both.properties = { ...(a.properties as Schema | undefined), ...(b.properties as Schema | undefined) };
  if (Array.isArray(a.required) && Array.isArray(b.required)) both.required = [...(a.required as unknown[]), ...(b.required as unknown[])];
  return both;
}

/** The type a schema says or, without one, means. A null beside one other type only says "may be left out". */
function typeOf(schema: Schema): unknown {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((each) => each !== "null") as unknown[];
    return types.length === 1 ? types[0] : types.length === 0 ? "null" : types;
  }
  if (typeof schema.type === "string") return schema.type;
  if (isSchema(schema.properties)) return "object";
  if (isSchema(schema.items)) return "array";
  return undefined;
}

function bound(schema: Schema, name: string, otherwise: number): number {
  return typeof schema[name] === "number" ? schema[name] : otherwise;
}

function text(schema: Schema, name: string): Field {
  const format = typeof schema.format === "string" ? schema.format : "";
  const max = bound(schema, "maxLength", Infinity);
  const multi = format === "" && (LONG_NAMES.test(name) || schema.contentMediaType !== undefined || (Number.isFinite(max) && max > 120));
  return { kind: "text", multi, format, min: bound(schema, "minLength", 0), max, pattern: typeof schema.pattern === "string" ? schema.pattern : "" };
}

function list(schema: Schema, around: Around): Field {
  if (Array.isArray(schema.prefixItems) || Array.isArray(schema.items)) return { kind: "json" };
  const item = field(schema.items, { ...around, name: "" });
  if (item.kind === "enum" && item.options.length <= PICKS) return { kind: "picks", options: item.options, labels: item.labels, min: bound(schema, "minItems", 0), max: bound(schema, "maxItems", Infinity) };
  return item.kind === "json" || item.kind === "array" || item.kind === "picks" ? { kind: "json" } : { kind: "array", item, start: startOf(item, undefined, true) };
}

function object(schema: Schema, around: Around): Field {
  const properties = isSchema(schema.properties) ? Object.entries(schema.properties).filter(([, each]) => each !== false) : [];
  // A map with keys of one's own has no fields to draw; an object with nothing in it has none either.
  if (properties.length === 0) return schema.additionalProperties === undefined || schema.additionalProperties === false ? { kind: "object", parts: [] } : { kind: "json" };
  const required = Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
  return { kind: "object", parts: properties.map(([name, given]) => part(name, given, required.includes(name), around)) };
}

function part(name: string, given: unknown, required: boolean, around: Around): Part {
  const drawn = field(given, { ...around, name });
  const said = isSchema(given) ? { ...(resolve(given, around)?.schema ?? given), ...given } : {};
  return {
    name, required, field: drawn, start: startOf(drawn, said.default, required),
    title: typeof said.title === "string" ? said.title : "", description: typeof said.description === "string" ? said.description : "",
  };
}

function choice(options: readonly unknown[], around: Around): Field {
  const drawn = options.map((each, at) => {
    const one = field(each, around);
    const title = isSchema(each) && typeof each.title === "string" ? each.title : "";
    return { label: title || word(one, at), field: one };
  });
  const real = drawn.filter((each) => each.field.kind !== "null");
  if (real.length === 1 && real[0]) return real[0].field;
  if (real.length === 0 || real.some((each) => each.field.kind === "json")) return { kind: "json" };
  if (real.every((each) => each.field.kind === "const")) return { kind: "enum", options: real.map((each) => (each.field as { value: unknown }).value), labels: real.map((each) => each.label) };
  return { kind: "choice", options: real };
}

function word(one: Field, at: number): string {
  switch (one.kind) {
    case "number": return one.integer ? "whole number" : "number";
    case "enum": return "one of a list";
    case "array": case "picks": return "list";
    case "const": return String(one.value);
    case "object": return one.parts.length > 0 ? one.parts.slice(0, 3).map((each) => each.name).join(", ") : "object";
    case "choice": case "json": return `choice ${at + 1}`;
    default: return one.kind;
  }
}

/** What people read for the values of an enum: their names where the schema has them. */
function labelsOf(options: readonly unknown[], names: unknown): string[] {
  return options.map((each, at) => {
    const name = Array.isArray(names) ? (names[at] as unknown) : undefined;
    return typeof name === "string" && name !== "" ? name : typeof each === "string" ? each : JSON.stringify(each);
  });
}

/** What a field holds at first: its default, what is fixed, and what must be there. */
export function startOf(one: Field, given: unknown, required: boolean): unknown {
  if (given !== undefined) return given;
  switch (one.kind) {
    case "const": return required ? one.value : undefined;
    case "null": return required ? null : undefined;
    case "boolean": return required ? false : undefined;
    case "array": case "picks": return required ? [] : undefined;
    case "choice": return required && one.options[0] ? startOf(one.options[0].field, undefined, true) : undefined;
    case "object": return required || one.parts.some((each) => each.start !== undefined && each.field.kind !== "const") ? Object.fromEntries(one.parts.filter((each) => each.start !== undefined).map((each) => [each.name, each.start])) : undefined;
    default: return undefined;
  }
}

/** Whether a value is one that a field could hold: which choice is open is found by it. */
export function fits(one: Field, value: unknown): boolean {
  switch (one.kind) {
    case "text": return typeof value === "string";
    case "number": return value instanceof Unread || (typeof value === "number" && (!one.integer || Number.isInteger(value)));
    case "boolean": return typeof value === "boolean";
    case "enum": return one.options.some((each) => same(each, value));
    case "const": return same(one.value, value);
    case "null": return value === null;
    case "array": return Array.isArray(value);
    case "picks": return Array.isArray(value) && value.every((each) => one.options.some((option) => same(option, each)));
    case "object": return isSchema(value) && one.parts.every((each) => !Object.hasOwn(value, each.name) || each.field.kind !== "const" || same(each.field.value, value[each.name]));
    case "choice": return one.options.some((each) => fits(each.field, value));
    case "json": return true;
  }
}

/** A property of the value itself: a server may call one "constructor". */
function own(value: Schema, name: string): unknown {
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** Whether two JSON values say the same. */
export function same(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** What is wrong with a value: path of the field → sentence. */
export function problemsOf(one: Field, value: unknown, required: boolean, path = ""): Map<string, string> {
  const found = new Map<string, string>();
  const say = (text: string) => found.set(path, text);
  const all = (more: Map<string, string>) => { for (const [at, text] of more) found.set(at, text); };
  if (value === undefined) {
    if (required) say("needs a value");
    return found;
  }
  if (value instanceof Unread) {
    say(one.kind === "number" ? (one.integer ? "is a whole number" : "is a number") : "is no JSON yet");
    return found;
  }
  switch (one.kind) {
    case "text": textProblem(one, value, say); break;
    case "number": numberProblem(one, value, say); break;
    case "boolean": if (typeof value !== "boolean") say("is true or false"); break;
    case "enum": if (!fits(one, value)) say("is one of its values"); break;
    case "const": if (!fits(one, value)) say(`is always ${JSON.stringify(one.value)}`); break;
    case "array":
      if (Array.isArray(value)) value.forEach((each, at) => all(problemsOf(one.item, each, true, `${path}/${at}`)));
      else say("is a list");
      break;
    case "picks":
      if (!fits(one, value)) say("holds what is not offered");
      else if ((value as unknown[]).length < one.min) say(`needs at least ${one.min}`);
      else if ((value as unknown[]).length > one.max) say(`takes at most ${one.max}`);
      break;
    case "object":
      if (isSchema(value)) for (const each of one.parts) all(problemsOf(each.field, own(value, each.name), each.required, `${path}/${each.name}`));
      else say("is an object");
      break;
    case "choice": {
      const open = one.options.find((each) => fits(each.field, value));
      if (open) all(problemsOf(open.field, value, required, path));
      break;
    }
    case "null": case "json": break;
  }
  return found;
}

function textProblem(one: Field & { kind: "text" }, value: unknown, say: (text: string) => void): void {
  if (typeof value !== "string") return say("is text");
  if (value.length < one.min) return say(`has at least ${one.min} characters`);
  if (value.length > one.max) return say(`has at most ${one.max} characters`);
  if (one.format === "uri" && !/^[a-z][a-z0-9+.-]*:\S+$/i.test(value)) return say("is a URI, for example https://example.com");
  if (one.format === "email" && !/^[^@\s]+@[^@\s]+$/.test(value)) return say("is an email address");
  if (one.format === "date-time" && Number.isNaN(Date.parse(value))) return say("is a date with time, for example 2026-01-31T12:00:00Z");
  if (one.pattern !== "" && !matches(one.pattern, value)) say(`has to match ${one.pattern}`);
}

/** A pattern that this engine cannot read, or that could run for ever on long text, is the server's to judge. */
function matches(pattern: string, value: string): boolean {
  if (value.length > 200 || pattern.length > 200) return true;
  if (/[+*}]\)?[+*{]/.test(pattern)) return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

function numberProblem(one: Field & { kind: "number" }, value: unknown, say: (text: string) => void): void {
  if (typeof value !== "number") return say("is a number");
  if (one.integer && !Number.isInteger(value)) return say("is a whole number");
  if (value < one.min) return say(`is at least ${one.min}`);
  if (value > one.max) say(`is at most ${one.max}`);
}

/** The value as JSON text for the tool: what is not set is left out. */
export function argumentsOf(value: unknown): string {
  return JSON.stringify(value ?? {}, null, 2) ?? "{}";
}
