import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { bytes } from "./bytes";
import { Document, reading, type Shown } from "./document";

const doc = (part: Partial<Shown>): Shown => ({ kind: "resource", text: "", mimeType: "", url: "", uri: "", name: "", json: "", ...part });

test.each<[Partial<Shown>, string, string]>([
  [{ mimeType: "text/markdown; charset=utf-8" }, "markdown", ""], [{ uri: "a:///x.md?y" }, "markdown", ""], [{ uri: "x.md", mimeType: "text/html" }, "code", "html"],
  [{ mimeType: "application/vnd.api+json" }, "json", "json"], [{ text: " {\"a\":1}" }, "json", "json"], [{ uri: "file:///main.go", mimeType: "text/plain" }, "code", "go"],
  [{ uri: "file:///x.constructor" }, "plain", ""], [{ text: "hello" }, "plain", ""],
])("%j is read as %s", (part, as, lang) => expect(reading(doc(part))).toEqual({ as, lang }));

test("sizes", () => expect([1, 812, 2048, 3 * 1024 * 1024].map(bytes)).toEqual(["1 byte", "812 bytes", "2.0 KB", "3.0 MB"]));

test("what is no JSON though it says so is text; a long text is cut until it is asked for; only our own media load", async () => {
  const view = render(<Document label="x" doc={doc({ mimeType: "application/json", text: "not json" })} />);
  expect(screen.getByLabelText("x").textContent).toBe("not json");
  view.rerender(<Document label="x" doc={doc({ text: "y".repeat(70_000) })} />);
  expect(screen.getByLabelText("x").textContent).toHaveLength(60_000);
  await userEvent.click(screen.getByRole("button", { name: "Show all 70,000 characters" }));
  expect(screen.getByLabelText("x").textContent).toHaveLength(70_000);
  view.rerender(<Document label="x" doc={doc({ kind: "image", url: "https://example.com/x.png", size: 3 })} />);
  expect([screen.queryByRole("img"), screen.getByText("Binary, 3 bytes: not shown here.")]).toEqual([null, expect.anything()]);
});
