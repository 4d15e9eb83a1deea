import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const css = readFileSync("src/styles/tokens.css", "utf8");

/** The colour tokens: in the light theme the first value of light-dark(), in the dark one the second. */
function tokens(which: 1 | 2): Record<string, string> {
  return Object.fromEntries([...css.matchAll(/--([\w-]+): (?:light-dark\((#[0-9a-f]+), (#[0-9a-f]+)\)|(var\(--[\w-]+\)|#[0-9a-f]+));/g)]
    .map((each) => [each[1] ?? "", each[4] ?? each[which + 1] ?? ""]));
}
const light = tokens(1);
const dark = tokens(2);

function luminance(hex: string): number {
  const full = hex.length === 4 ? hex.replace(/[0-9a-f]/g, "$&$&") : hex;
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => parseInt(full.slice(at, at + 2), 16) / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** The contrast ratio of the specification "WCAG 2", section 1.4.3. */
function contrast(theme: Record<string, string>, text: string, ground: string): number {
  const colour = (name: string): string => {
    const value = theme[name] ?? "";
    const to = /^var\(--([\w-]+)\)$/.exec(value)?.[1];
    if (to) return colour(to);
    if (value === "") throw new Error(`there is no token ${name}`);
    return value;
  };
  const [a, b] = [luminance(colour(text)), luminance(colour(ground))].sort((x, y) => y - x) as [number, number];
  return (a + 0.05) / (b + 0.05);
}

/** Which text stands on which ground. */
const PAIRS: Record<string, string[]> = {
  text: ["ground", "panel", "side", "line", "tint", "code", "bad-tint"],
  muted: ["ground", "panel", "side", "code", "bad-tint", "tint"],
  accent: ["ground", "panel", "tint"],
  "on-accent": ["accent"],
  "ok-word": ["panel", "side", "code", "tint"], busy: ["panel", "side"], "paused-word": ["panel", "side"], "off-word": ["panel"], missing: ["panel", "side"],
  error: ["panel", "ground", "side", "code", "bad-tint"],
  ...Object.fromEntries(Object.keys(light).filter((each) => each.startsWith("code-token-")).map((each) => [each, ["code"]])),
};
const cases = Object.entries(PAIRS).flatMap(([text, grounds]) => grounds.flatMap((ground) => [["light", text, ground], ["dark", text, ground]] as const));

test.each(cases)("in the %s theme %s can be read on %s", (theme, text, ground) => {
  expect(contrast(theme === "light" ? light : dark, text, ground)).toBeGreaterThanOrEqual(4.5);
});

test("lamps can be told from their ground, and every token is a colour", () => {
  for (const theme of [light, dark]) for (const lamp of ["ok", "busy", "paused", "error", "missing", "off"]) expect(contrast(theme, lamp, "panel"), lamp).toBeGreaterThanOrEqual(3);
  expect(css.match(/^ +--/gm)).toHaveLength(Object.keys(light).length);
  expect(Object.keys(dark).sort()).toEqual(Object.keys(light).sort());
  expect(Object.keys(light).length).toBeGreaterThan(25);
});
