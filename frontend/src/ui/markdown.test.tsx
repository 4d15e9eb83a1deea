import { render } from "@testing-library/react";
import { renderToStaticMarkup } from "react-dom/server";
import { beforeEach, expect, test, vi } from "vitest";
import { Splitter } from "./blocks";
import { Highlighter } from "./highlight";
import { Markdown } from "./markdown";

const parsed = vi.hoisted(() => [] as string[]);
const counting = vi.hoisted(() => ({ only: false })); // what is parsed is counted, not drawn
vi.mock("react-markdown", async (load) => {
  const real = await load<typeof import("react-markdown")>();
  return { ...real, default: (props: import("react-markdown").Options) => { parsed.push(String(props.children)); return counting.only ? null : real.default(props); } };
});
beforeEach(() => { parsed.length = 0; counting.only = false; });

const part = (at: number) => `## Part ${at}\n\nSome **words** about ${at}.\n\n\`\`\`go\nfunc f${at}() {\n\n\treturn\n}\n\`\`\`\n\n- one\n\n- two\n  more\n\n|a|b|\n|-|-|\n|${at}|2|\n`;
const long = Array.from({ length: 40 }, (_, at) => part(at)).join("\n");
const samples: Record<string, string> = {
  empty: "", plain: "one\n\ntwo", fence: "a\n\n```js\nlet x\n\n\nlet y\n```\n\nb", tildes: "~~~\n```\n\n~~~\n\nafter", open: "a\n\n```go\nx\n\ny",
  "loose list": "1. a\n\n2. b\n\n   still b\n\nend", "list after words": "see:\n- a\n\n- b\n\nend", table: "|a|b|\n|-|-|\n|1|2|\n\nx", quote: "> a\n>\n> b\n\nc",
  "link definition": "see [it][1]\n\nand [1]\n\n[1]: https://a.test/x", footnote: "a[^1]\n\nb\n\n[^1]: note", "code in list": "- a\n\n  ```sh\n  x\n\n  y\n  ```\n\n- b\n\nz",
  "ticks in a line": "```not a fence```\n\nb\n\nc", indented: "a\n\n    code\n\n    more\n\nb", html: "<div>\n\n<b>x</b>\n\n</div>", long,
  "fence after words": "so:\n```js\nlet x\n```\nthen", "fence after a list": "- a\n- b\n```\nx\n```\nc", "fence in HTML": "<div>\n```\nx\n```\n</div>\n\nend", "indented fence": "  ```js\n  let x\n    y\n  ```\nz",
  "table after words": "see:\n|a|b|\n|:-|-:|\n|1|2|\n|3|4|\nand\n\nx", "table before a list": "|a|b|\n|-|-|\n|1|2|\n- x\n- y", "table with a link": "|a|\n|-|\n|[x]|\n\n[x]: https://a.test/", "no table": "|a|b|\n|-|\n|1|2|",
  "table without bars": "a | b\n- | -\n1 | 2\n\nx", "table head only": "|a|b|\n|-|-|", "empty fence": "```\n```\n\na", "fence in a quote": "> ```\n> x\n> ```\n\na", "deep fence": "a\n\n    ```\n\nb\n\nc",
};

const draw = (text: string) => renderToStaticMarkup(<Markdown text={text} live={false} />);
/** Blocks stand in parts, and line ends between elements say nothing. */
function flat(html: string): string {
  return html.replaceAll(/<div class="md-part">|<\/div>/g, "").replace(/\n+/g, "\n").replaceAll(">\n", ">").replaceAll("\n<", "<");
}

test.each(Object.entries(samples))("%s reads the same in blocks as in one piece", (_, text) => {
  const split = flat(draw(text));
  // One piece: an unused footnote keeps the text whole and draws nothing.
  expect(split).toBe(flat(draw(`[^whole]: x\n\n${text}`)));
});

test.each(Object.entries(samples))("%s reads the same however it arrived", (_, text) => {
  for (const step of [1, 7, 30]) {
    const splitter = new Splitter();
    for (let at = 0; at < text.length; at += step) splitter.take(text.slice(0, at), false);
    const arrived = splitter.take(text, true);
    expect(arrived).toEqual(new Splitter().take(text, true));
  }
});

/** How many characters are parsed while the next 2,000 characters of ordinary Markdown arrive in deltas of 20. */
function cost(before: string): number {
  counting.only = true;
  const more = Array.from({ length: 12 }, (_, at) => part(at)).join("\n");
  const view = render(<Markdown text={before} live />);
  parsed.length = 0;
  for (let at = 20; at <= 2000; at += 20) view.rerender(<Markdown text={before + more.slice(0, at)} live />);
  view.unmount();
  return parsed.reduce((sum, each) => sum + each.length, 0);
}

test("A42 what a token costs does not depend on the length of the answer", () => {
  const [short, huge] = [`${part(0)}\n`, `${Array.from({ length: 900 }, (_, at) => part(at)).join("\n")}\n`];
  expect(huge.length).toBeGreaterThan(100_000);
  expect(cost(huge)).toBeLessThanOrEqual(cost(short) * 1.1);
});

test.each([
  ["an open code block", "```go\n", "x := compute(1, 2, 3)\n", 0],
  ["a table", "|a|b|\n|-|-|\n", "| some cell | another cell |\n", 4000],
  ["a list", "", "- an item with a few words\n", 9000],
  ["a paragraph of lines", "", "words and words and more words\n", 9000],
  ["one endless line", "", "word after word ", 9000],
])("%s of 100 kB is never parsed whole while it grows", (_, head, line, most) => {
  counting.only = true;
  let text = head + line.repeat(Math.ceil(100_000 / line.length));
  const view = render(<Markdown text={text} live />);
  parsed.length = 0;
  for (let at = 0; at < 20; at++) view.rerender(<Markdown text={text += line} live />);
  expect(Math.max(0, ...parsed.map((each) => each.length))).toBeLessThanOrEqual(most);
  expect(parsed.length).toBeLessThanOrEqual(44);
  if (most === 0) expect(view.container.querySelector("pre")?.textContent).toBe(text.slice(head.length));
});

test("finished blocks are the same objects while the rest grows", () => {
  const splitter = new Splitter();
  const before = splitter.take(long, false);
  const after = splitter.take(`${long}\n\nmore`, false);
  expect(before.groups.length).toBeGreaterThan(5);
  for (const [at, group] of before.groups.slice(0, -1).entries()) expect(after.groups[at]).toBe(group);
});

test("code is coloured once it is whole, and only in languages that are known", async () => {
  const view = render(<Markdown text={"```go\nconst tries = 5 // times"} live />);
  expect(view.container.querySelector("pre span[style]")).toBeNull();
  view.rerender(<Markdown text={"```go\nconst tries = 5 // times\n```"} live={false} />);
  await vi.waitFor(() => expect(view.container.querySelector("pre span[style]")).not.toBeNull(), { timeout: 20_000 });
  expect(view.container.querySelector("pre")?.textContent).toBe("const tries = 5 // times\n");
  const colours = new Highlighter();
  expect(await colours.colour("x", "constructor")).toBeUndefined();
  expect(await colours.colour("x".repeat(30_000), "go")).toBeUndefined();
  const long = ["/* a comment", ...Array.from({ length: 60 }, (_, at) => ` over line ${at}`), "*/", "func main() {}"].join("\n");
  const lines = await colours.colour(long, "go"); // in portions that know what the one before left open
  expect(lines).toHaveLength(63);
  expect(new Set(lines?.slice(0, 62).flat().map((each) => each.color)).size).toBe(1);
  expect(lines?.[62]?.some((each) => each.color.includes("keyword"))).toBe(true);
  expect((await colours.colour("SELECT 1", "sql"))?.flat().some((each) => each.color.includes("keyword"))).toBe(true);
});
