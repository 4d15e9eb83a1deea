import type { Clash, Clashes, ServerRow } from "../../contract/types";

/** What is wrong with a tool's new name, "" when nothing is; taken is in small letters. */
export function toolNameProblem(name: string, taken: ReadonlySet<string>): string {
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(name)) return "It needs 1 to 64 letters, digits, _ or -";
  return taken.has(name.toLowerCase()) ? `${name} is taken` : "";
}

/** What is known without asking: the names and who holds them. */
export function clashesOf(row: ServerRow): Clashes {
  const tools = [...new Map(row.conflicts.map((each) => [each.tool, each])).values()];
  const arm = { description: "", schema: "" };
  return { clashes: tools.map((each) => ({ tool: each.tool, mine: { ...arm, owner: row.name, original: each.tool }, theirs: { ...arm, owner: each.owner, original: each.tool } })), taken: tools.map((each) => each.tool) };
}

/** The name that a tool gets when the server's name is put before it. */
export function prefixed(prefix: string, tool: string): string {
  return `${prefix.replace(/[^A-Za-z0-9_-]/g, "_")}_${tool}`.slice(0, 64);
}

/** What becomes of each clashing tool: a new name, or held back. */
export interface Choice { held: boolean; name: string }

/** What is wrong with each new name: tool → sentence. */
export function choiceProblems(clashes: readonly Clash[], choices: Readonly<Record<string, Choice>>, taken: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const used = new Set(taken.map((each) => each.toLowerCase()));
  for (const { tool } of clashes) used.add(tool.toLowerCase());
  for (const { tool } of clashes) {
    const choice = choices[tool];
    if (!choice || choice.held) continue;
    const problem = toolNameProblem(choice.name, used);
    if (problem) found.set(tool, problem);
    used.add(choice.name.toLowerCase());
  }
  return found;
}

/** A property of a tool's schema in a few words. */
export interface Property { name: string; type: string; required: boolean; differs: boolean }

/** The properties of two schemas; differs marks what the other has not, or has otherwise. */
export function compared(mine: string, theirs: string): { mine: Property[]; theirs: Property[] } {
  const [a, b] = [properties(mine), properties(theirs)];
  const mark = (list: Property[], other: Property[]) => list.map((each) => {
    const same = other.find((one) => one.name === each.name);
    return { ...each, differs: !same || same.type !== each.type || same.required !== each.required };
  });
  return { mine: mark(a, b), theirs: mark(b, a) };
}

function properties(text: string): Property[] {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch {
    return [];
  }
  if (typeof schema !== "object" || schema === null || !("properties" in schema) || typeof schema.properties !== "object" || schema.properties === null) return [];
  const required = "required" in schema && Array.isArray(schema.required) ? (schema.required as unknown[]) : [];
  return Object.entries(schema.properties).map(([name, each]) => ({ name, type: typeText(each), required: required.includes(name), differs: false }));
}

function typeText(schema: unknown): string {
  if (typeof schema !== "object" || schema === null) return "any";
  const it = schema as Record<string, unknown>;
  if (Array.isArray(it.enum)) return it.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (Array.isArray(it.type)) return it.type.join(" | ");
  if (it.type === "array") return `${typeText(it.items)}[]`;
  if (typeof it.type === "string") return it.type;
  if (typeof it.$ref === "string") return it.$ref.split("/").pop() ?? "any";
  return Array.isArray(it.anyOf ?? it.oneOf) ? ((it.anyOf ?? it.oneOf) as unknown[]).map(typeText).join(" | ") : "any";
}
