import { callName, pretty, resultText } from "./call-text";
import type { CallItem, Item } from "./reducer";

/** The conversation as Markdown that reads well elsewhere: who said what, the calls with their
 *  arguments and results. Reasoning is left out, notices and errors stay. */
export function toMarkdown(items: readonly Item[]): string {
  const parts: string[] = [];
  let speaker = "";
  const says = (who: string) => {
    if (who !== speaker) parts.push(`## ${who}`);
    speaker = who;
  };
  for (const item of items) {
    if (item.kind === "reasoning") continue;
    if (item.kind === "user") {
      speaker = ""; // each message of the person has its own heading
      says("You");
      parts.push(item.text);
      if (item.attached) parts.push(item.attached.map((each) => `- attached from ${each.server}: ${each.name || each.uri}${each.name ? ` (${each.uri})` : ""}`).join("\n"));
      continue;
    }
    if (item.kind === "done") {
      if (item.stopReason !== "end_turn" && item.stopReason !== "") parts.push(`*${item.stopReason.replaceAll("_", " ")}*`);
      continue;
    }
    says("Assistant");
    switch (item.kind) {
      case "answer": parts.push(item.text.trimEnd()); break;
      case "notice": parts.push(`*${item.text}*`); break;
      case "error": parts.push(`**Error:** ${item.text}`); break;
      case "call": parts.push(callMarkdown(item)); break;
    }
  }
  return parts.length > 0 ? `${parts.join("\n\n")}\n` : "";
}

function callMarkdown(call: CallItem): string {
  const parts = [`**Tool call** \`${callName(call)}\`: ${call.status}${call.reason ? ` (${call.reason.replaceAll("_", " ")})` : ""}`];
  if (call.arguments && call.arguments !== "{}") parts.push(fenced(pretty(call.arguments), "json"));
  const result = resultText(call);
  if (result) parts.push(fenced(result, ""));
  return parts.join("\n\n");
}

/** A code block whose fence the text does not hold. */
function fenced(text: string, lang: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((each) => each[0].length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${lang}\n${text.replace(/\n$/, "")}\n${fence}`;
}
