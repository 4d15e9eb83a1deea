import type { MCPSnapshot, Mention, ServerPrompt, ServerResource } from "../../contract/types";

/** A word under the caret that asks for suggestions, from start up to end. */
export interface Token { trigger: "@" | "/"; query: string; start: number; end: number }

/** Something to choose: a resource for "@", a prompt for "/". */
export type Suggestion = { key: string; group: string; title: string; detail: string } & (
  | { kind: "resource"; mention: Mention }
  | { kind: "prompt"; server: string; prompt: ServerPrompt }
);

/** What one server offers, or why it could not say. */
export interface Offer { server: string; suggestions: readonly Suggestion[]; error: string }

/** At most so many are shown: typing narrows them down. */
const MOST = 60;

/** The token at the caret: "@" at the beginning of a word, "/" at the beginning of the message. */
export function tokenAt(text: string, caret: number): Token | undefined {
  const before = text.slice(0, caret);
  const end = caret + (/^\S*/.exec(text.slice(caret))?.[0].length ?? 0);
  const slash = /^\/(\S*)$/.exec(before);
  if (slash) return { trigger: "/", query: slash[1] ?? "", start: 0, end };
  const at = /(?:^|[\s(])@([^\s@]*)$/.exec(before);
  return at ? { trigger: "@", query: at[1] ?? "", start: caret - (at[1]?.length ?? 0) - 1, end } : undefined;
}

/** The text without a token, or with something in its place. */
export function replaced(text: string, token: Token, by: string): string {
  const [head, tail] = [text.slice(0, token.start), text.slice(token.end)];
  return by === "" && (head === "" || /\s$/.test(head)) ? head + tail.replace(/^ /, "") : head + by + tail;
}

/** The servers whose library the next message may use. */
export function openServers(snapshot: MCPSnapshot): readonly { name: string; rev: number }[] {
  return snapshot.rows.filter((row) => row.lit && row.state === "connected").map((row) => ({ name: row.name, rev: row.libraryRev }));
}

export function ofResources(server: string, resources: readonly ServerResource[]): Suggestion[] {
  return resources.map((each, at) => {
    const title = each.title || each.name || each.uri;
    return { kind: "resource", key: `${server} ${at}`, group: server, title, detail: each.uri, mention: { server, uri: each.uri, name: title, held: "" } };
  });
}

export function ofPrompts(server: string, prompts: readonly ServerPrompt[]): Suggestion[] {
  return prompts.map((prompt, at) => ({
    kind: "prompt", key: `${server} ${at}`, group: server, title: prompt.name, server, prompt,
    detail: prompt.description || prompt.title,
  }));
}

/** Those that a query finds: of one server the ones whose name begins with it first. */
export function matching(offers: readonly Offer[], query: string): readonly { server: string; suggestions: readonly Suggestion[] }[] {
  const sought = query.toLowerCase();
  let left = MOST;
  const groups: { server: string; suggestions: readonly Suggestion[] }[] = [];
  for (const { server, suggestions } of offers) {
    const scored = suggestions.map((each) => ({ each, score: score(each, server, sought) })).filter(({ score: found }) => found > 0);
    scored.sort((a, b) => b.score - a.score); // stable: the server's order among equals
    const kept = scored.slice(0, left).map(({ each }) => each);
    left -= kept.length;
    if (kept.length > 0) groups.push({ server, suggestions: kept });
  }
  return groups;
}

function score(each: Suggestion, server: string, sought: string): number {
  const [title, detail] = [each.title.toLowerCase(), each.detail.toLowerCase()];
  if (sought === "") return 1;
  if (title.startsWith(sought)) return 4;
  if (title.includes(sought)) return 3;
  if (detail.includes(sought)) return 2;
  return `${server.toLowerCase()}:${title}`.includes(sought) ? 1 : 0;
}
