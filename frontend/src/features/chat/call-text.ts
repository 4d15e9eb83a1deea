import type { ChatContent } from "../../contract/types";
import { isMedia } from "./media-part";
import type { CallItem, Item } from "./reducer";

/** The name of a call as its card shows it: "SERVER · TOOL", a built-in tool's without a server. */
export function callName(call: CallItem): string {
  return call.server === "" ? call.tool : `${call.server} · ${call.tool}`;
}

/** One part of a result as text. */
export function contentText(part: ChatContent): string {
  if (part.text) return part.text;
  if (part.json) return pretty(part.json);
  const what = [part.kind.replaceAll("_", " "), part.name, part.uri, part.mimeType].filter(Boolean).join(" ");
  return `[${what}]`;
}

/** A result as text, without pictures and recordings. */
export function resultText(call: CallItem): string {
  return contentsText(call.content);
}

/** Parts of a result as text, without pictures and recordings. */
export function contentsText(content: readonly ChatContent[]): string {
  return content.filter((each) => !isMedia(each)).map(contentText).filter(Boolean).join("\n");
}

/** What a search in the conversation looks through. */
export function itemText(item: Item): string {
  switch (item.kind) {
    case "done": return "";
    case "call": return [callName(item), item.arguments, resultText(item)].join("\n");
    default: return item.text;
  }
}

/** The arguments of a call in one short line: the values for few, "name: value" for more. */
export function summary(args: string): string {
  const value = parsed(args);
  if (value === null || typeof value !== "object") return args === "{}" ? "" : args.slice(0, SUMMARY_CHARS);
  const entries = Object.entries(value);
  const line = entries.map(([name, each]) => {
    const text = typeof each === "string" ? each.slice(0, SUMMARY_CHARS).replace(/\s+/g, " ").trim() : JSON.stringify(each)?.slice(0, SUMMARY_CHARS) ?? "";
    return entries.length === 1 ? text : `${name}: ${text}`;
  }).join("  ");
  return line.length > SUMMARY_CHARS ? `${line.slice(0, SUMMARY_CHARS)}…` : line;
}

const SUMMARY_CHARS = 120;

/** JSON as a value, the text itself where it is none: a model's arguments need not be JSON. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}

/** JSON with line breaks; a text that is none stays as it came. */
export function pretty(json: string): string {
  const value = parsed(json);
  return typeof value === "string" ? json : JSON.stringify(value, null, 2);
}
