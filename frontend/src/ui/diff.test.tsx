import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Diff } from "./diff";
import { diffFiles, isDiff } from "./diff-lines";

const unified = "--- a/x/retry.go\n+++ b/x/retry.go\n@@ -1,3 +1,3 @@ func run()\n a\n-const max = 1\n+const max = 5\n+// more\n c\n--- /dev/null\n+++ b/new.md\n@@ -0,0 +1 @@\n+hello\n";
const patch = "*** Begin Patch\n*** Update File: old/name.go\n*** Move to: new/name.go\n@@ func A()\n keep\n-old\n+new\n*** Delete File: unused.txt\n*** End Patch";

test("both kinds of change name their files, what happens to them, and count the lines", () => {
  const short = (text: string) => diffFiles(text).map(({ path, what, added, removed }) => [path, what, added, removed]);
  expect(short(unified)).toEqual([["x/retry.go", "", 2, 1], ["new.md", "new file", 1, 0]]);
  expect(short(patch)).toEqual([["new/name.go", "was old/name.go", 1, 1], ["unused.txt", "deleted", 0, 0]]);
  expect(diffFiles(unified)[0]?.lines[0]).toEqual({ sign: "@", text: "func run()" });
  expect(short("--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n--- dashes\n")).toEqual([["gone", "deleted", 0, 1]]);
  expect(short("words\n-a\n+b")).toEqual([["", "", 1, 1]]);
});

test.each([[unified, true], [patch, true], [`diff --git a/x b/x\nindex 1..2\n${unified}`, true], ["- a\n+ b", false], ["--- a\ntext", false], ["", false]])("%j is a change: %s", (text, want) => expect(isDiff(text)).toBe(want));

test("a line says by its sign what its colour says; a long file is folded", () => {
  render(<Diff label="Change" text={`${unified}--- a/long\n+++ b/long\n@@ -1 +1 @@\n${"+x\n".repeat(200)}`} />);
  expect(screen.getByRole("group", { name: "Change" }).textContent).toContain("- const max = 1\n+ const max = 5\n");
  expect(document.querySelectorAll(".diff-line.plus").length).toBeLessThan(60);
  fireEvent.click(screen.getByRole("button", { name: "Show all 201 lines" }));
  expect(document.querySelectorAll(".diff-line.plus")).toHaveLength(203);
});
