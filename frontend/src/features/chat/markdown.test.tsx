import { render } from "@testing-library/react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import { blocks } from "./blocks";
import { Highlighter } from "./highlight";
import { Markdown } from "./markdown";

const parsed = vi.hoisted(() => [] as string[]);
vi.mock("react-markdown", async (load) => {
  const real = await load<typeof import("react-markdown")>();
  return { ...real, default: (props: import("react-markdown").Options) => { parsed.push(String(props.children)); return real.default(props); } };
});

const long = Array.from({ length: 40 }, (_, at) => `## Part ${at}\n\nSome **words** about ${at}.\n\n\`\`\`go\nfunc f${at}() {\n\n\treturn\n}\n\`\`\`\n\n- one\n\n- two\n  more\n`).join("\n");
const samples: Record<string, string> = {
  empty: "", plain: "one\n\ntwo", fence: "a\n\n```js\nlet x\n\n\nlet y\n```\n\nb", tildes: "~~~\n```\n\n~~~\n\nafter", open: "a\n\n```go\nx\n\ny",
  "loose list": "1. a\n\n2. b\n\n   still b\n\nend", "list after words": "see:\n- a\n\n- b\n\nend", table: "|a|b|\n|-|-|\n|1|2|\n\nx", quote: "> a\n>\n> b\n\nc",
  "link definition": "see [it][1]\n\nand [1]\n\n[1]: https://a.test/x", footnote: "a[^1]\n\nb\n\n[^1]: note", "code in list": "- a\n\n  ```sh\n  x\n\n  y\n  ```\n\n- b\n\nz",
  "ticks in a line": "```not a fence```\n\nb\n\nc", indented: "a\n\n    code\n\n    more\n\nb", html: "<div>\n\n<b>x</b>\n\n</div>", long,
};

test.each(Object.entries(samples))("%s reads the same in blocks as in one piece", (_, text) => {
  const whole = document.createElement("div");
  const split = document.createElement("div");
  const draw = (part: string) => renderToStaticMarkup(<Markdown text={part} live={false} onLink={() => {}} />);
  split.innerHTML = draw(text);
  // One piece: an unused footnote keeps the text whole and draws nothing.
  whole.innerHTML = draw(`[^whole]: x\n\n${text}`);
  const flat = (html: string) => html.replace(/\n+/g, "\n").replaceAll(">\n", ">").replaceAll("\n<", "<");
  expect(flat(split.firstElementChild?.innerHTML ?? "")).toBe(flat(whole.firstElementChild?.innerHTML ?? ""));
});

test("A42 while an answer grows only its last block is parsed again", () => {
  const view = render(<Markdown text={long} live onLink={() => {}} />);
  expect(parsed.length).toBeGreaterThan(110);
  parsed.length = 0;
  let text = long;
  for (let at = 0; at < 50; at++) {
    text += at % 10 === 9 ? "\n\nnext" : " word";
    view.rerender(<Markdown text={text} live onLink={() => {}} />);
  }
  // A finished block is drawn once more, without live.
  expect(parsed.length).toBeLessThanOrEqual(60);
  expect(Math.max(...parsed.map((each) => each.length))).toBeLessThan(200);
  expect(blocks(long).length).toBeGreaterThan(110);
});

test("code is coloured once it is whole, and only in languages that are known", async () => {
  const view = render(<Markdown text={"```go\nconst tries = 5 // times"} live onLink={() => {}} />);
  expect(view.container.querySelector("pre span")).toBeNull();
  view.rerender(<Markdown text={"```go\nconst tries = 5 // times\n```"} live={false} onLink={() => {}} />);
  await vi.waitFor(() => expect(view.container.querySelector("pre span[style]")).not.toBeNull(), { timeout: 20_000 });
  expect(view.container.querySelector("pre")?.textContent).toBe("const tries = 5 // times\n");
  const colours = new Highlighter();
  expect(await colours.colour("x", "constructor")).toBeUndefined();
  expect(await colours.colour("x".repeat(30_000), "go")).toBeUndefined();
  expect((await colours.colour("SELECT 1", "sql"))?.flat().some((each) => each.color.includes("keyword"))).toBe(true);
});
