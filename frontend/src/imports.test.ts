import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const files = readdirSync("src", { recursive: true, encoding: "utf8" }).filter((f) => /\.tsx?$/.test(f)).map((f) => f.replaceAll("\\", "/"));

/** "features/mcp", "ui", "" for the top. */
function area(path: string): string {
  const [top, second] = path.split("/");
  if (!path.includes("/")) return "";
  return top === "features" ? `features/${second}` : (top ?? "");
}

test("imports point from features to ui, lib, platform and contract, never back or across; one file imports the bindings", () => {
  const wrong: string[] = [];
  let seen = 0;
  for (const file of files) {
    for (const match of readFileSync(join("src", file), "utf8").matchAll(/from "(\.[^"]+)"/g)) {
      const from = area(file);
      const to = area(join(file, "..", match[1] ?? "").replaceAll("\\", "/"));
      seen++;
      const test = /\.test\.tsx?$/.test(file);
      const bindings = match[1]?.includes("wailsjs") ?? false;
      const fine = bindings ? file === "platform/wails.ts" : from === to || from === "" || from === "dev" || (test && to === "platform")
        || (from.startsWith("features/") ? ["ui", "lib", "platform", "contract"].includes(to) : from === "platform" || from === "lib" ? to === "contract" : false);
      if (!fine || (to === "dev" && from !== "dev") || (match[1]?.endsWith("/fake") && !test && from !== "dev")) wrong.push(`${file} imports ${match[1]}`);
    }
  }
  expect(seen).toBeGreaterThan(40);
  expect(wrong).toEqual([]);
});
