import type { ServerForm } from "../../contract/types";

/** The transports a definition can have. */
export const TRANSPORTS = ["stdio", "streamable_http", "sse"] as const;

/** An empty definition, enabled here. */
export function blank(name = ""): ServerForm {
  return { name, type: "stdio", command: "", args: [], cwd: "", url: "", env: [], headers: [], enable: true, timeoutMs: 0, callTimeoutMs: 0, protocol: "" };
}

/** What is wrong with a form: the field, the words at it, and a sentence for the whole form. */
export interface Problem { field: string; text: string; sentence: string }

/** Everything that keeps a form from being saved, in the order of its fields. */
export function problemsOf(form: ServerForm, taken: readonly string[]): Problem[] {
  const found: Problem[] = [];
  const say = (field: string, text: string, sentence = text) => found.push({ field, text, sentence });
  const name = form.name.trim();
  if (name === "") say("name", "Give the server a name");
  else if (taken.includes(name)) say("name", `${name} is defined already: choose another name or edit that one`);
  const url = form.url.trim();
  if (form.type === "") say("type", "missing MCP transport type");
  else if (form.type === "stdio") {
    if (form.command.trim() === "") say("command", "stdio transport requires command", "A stdio server needs a command, for example npx");
  } else if (!(TRANSPORTS as readonly string[]).includes(form.type)) say("type", `unsupported MCP transport: ${form.type}`);
  else if (url === "") say("url", `${form.type} transport requires url`, "The URL starts with http:// or https://");
  else if (!/^(https?:\/\/[^\s/]+|\$\{)/.test(url)) say("url", "The URL starts with http:// or https://");
  const entries = form.type === "stdio" ? form.env : form.headers;
  const names = entries.map((each) => each.name.trim());
  names.forEach((each, at) => {
    if (each === "") say(`entry ${at}`, "Needs a name", "Every entry needs a name: fill it in or remove the entry");
    else if (names.indexOf(each) !== at) say(`entry ${at}`, `${each} is there twice`);
    else if (form.type === "stdio" ? /[=\0]/.test(each) : !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(each)) say(`entry ${at}`, form.type === "stdio" ? "A name has no =" : "A header's name has letters, digits and - only");
  });
  for (const [field, ms] of [["timeoutMs", form.timeoutMs], ["callTimeoutMs", form.callTimeoutMs]] as const) {
    if (!(ms >= 0 && ms <= LONGEST_MS)) say(field, "Seconds, at most a day; empty for the default", "A limit is given in seconds, at most a day");
  }
  return found;
}

/** The longest limit that a form takes. */
const LONGEST_MS = 86_400_000;

/** Whether two forms say the same. */
export function sameForm(a: ServerForm, b: ServerForm): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Whether a form holds a value that was typed or pasted. */
export function hasValues(form: ServerForm): boolean {
  return [...form.env, ...form.headers].some((each) => each.value !== "");
}

/** What the parts of a form are called in a sentence. */
const PARTS: Readonly<Record<keyof ServerForm, string>> = {
  name: "name", type: "transport", command: "command", args: "arguments", cwd: "working folder", url: "URL", env: "environment", headers: "headers", enable: "enablement",
  timeoutMs: "limit to connect", callTimeoutMs: "limit of a call", protocol: "protocol",
};

/** Brings together what was changed in a form and what another program changed meanwhile; of a
 *  part that both changed, mine is kept and named. began is what both started from. */
export function merged(began: ServerForm, mine: ServerForm, theirs: ServerForm): { form: ServerForm; both: string[] } {
  const form: ServerForm = { ...mine };
  const both: string[] = [];
  const settle = <Part extends keyof ServerForm>(part: Part) => {
    const same = (a: ServerForm, b: ServerForm) => JSON.stringify(a[part]) === JSON.stringify(b[part]);
    if (same(began, theirs) || same(mine, theirs)) return;
    if (same(began, mine)) form[part] = theirs[part];
    else both.push(PARTS[part]);
  };
  for (const part of Object.keys(PARTS) as (keyof ServerForm)[]) settle(part);
  return { form, both };
}

/** What a text in a field of the form really is, when it is clearly something else. */
export function offerOf(text: string): string {
  const it = text.trim();
  if (/^\{[\s\S]*[:}]/.test(it)) return "Use as another client's JSON";
  if (/^https?:\/\/\S+$/.test(it)) return "Use as a URL";
  return /^\S*[^\s\\]\s+\S/.test(it) && !/^"[^"]*"$/.test(it) ? "Use as a command line" : "";
}

/** Lays a pasted form over the one there is; a name that the person gave stays. */
export function filled(form: ServerForm, pasted: ServerForm, ownName: boolean): ServerForm {
  return { ...pasted, name: ownName && form.name.trim() !== "" ? form.name : pasted.name || form.name, enable: form.enable };
}
