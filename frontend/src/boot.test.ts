import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = new DOMParser().parseFromString(readFileSync("index.html", "utf8"), "text/html");

test("until the page is drawn, markup without script says what happens and what to do", () => {
  const root = page.getElementById("root");
  expect(root?.querySelector("[role=status] p")?.textContent).toBe("Starting Patchbay…");
  const late = root?.querySelector(".late")?.textContent ?? "";
  for (const part of ["not ready after 15 s", "Servers and sessions are safe", "WEBKIT_DISABLE_DMABUF_RENDERER=1", "patchbay mcp list"]) expect(late).toContain(part);
});

test("it appears late enough not to flash, and the content policy lets it", () => {
  const style = page.querySelector("#root style")?.textContent ?? "";
  expect(style).toMatch(/#boot p \{[^}]*visibility: hidden;\s+animation: boot-appears 0s 1\.5s forwards/);
  expect(style).toMatch(/\.late \{\s+animation-delay: 15s/);
  expect([...page.querySelectorAll("script")].filter((each) => !each.src && !each.getAttribute("src"))).toEqual([]);
  expect(page.querySelectorAll("[onload],[onerror],[onclick]")).toHaveLength(0);
});
