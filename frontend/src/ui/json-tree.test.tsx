import { render, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { JsonTree } from "./json-tree";

test("levels open as asked, folded ones are not in the page, and fold again", async () => {
  render(<JsonTree label="Arguments" value={{ sql: "select 1", deep: { inner: { most: true } } }} />);
  const tree = screen.getByRole("group", { name: "Arguments" });
  expect(within(tree).getByText('"select 1"')).toBeTruthy();
  expect(screen.queryByText("inner")).toBeNull();
  await userEvent.click(screen.getByText("deep"));
  expect(await screen.findByText("inner")).toBeTruthy();
  await userEvent.click(screen.getByText("deep"));
  expect(screen.queryByText("inner")).toBeNull();
});

test("a long string is cut until it is asked for; markup stays text", async () => {
  const text = `<img src=x onerror=1>${"a".repeat(5000)}`;
  const { container } = render(<JsonTree label="Result" value={text} />);
  expect(container.textContent?.length).toBeLessThan(600);
  await userEvent.click(screen.getByRole("button", { name: "Show all 5,021 characters" }));
  expect(container.textContent).toContain("a".repeat(5000));
  expect(container.querySelector("img")).toBeNull();
});

test("a thousand elements come in slices of a hundred", async () => {
  const { container } = render(<JsonTree label="Rows" value={Array.from({ length: 1000 }, (_, at) => at)} />);
  expect(container.querySelectorAll(".json-number")).toHaveLength(100);
  await userEvent.click(screen.getByText("900 … 999"));
  expect(await screen.findAllByText("987")).toHaveLength(2); // its index and itself
});

test.each([[null, "null"], [false, "false"], [-1.5, "-1.5"], [[], "[]"], [{}, "{}"], [undefined, "undefined"]])("%j is drawn as %s", (value, text) => {
  render(<JsonTree label="Value" value={value} />);
  expect(screen.getByRole("group", { name: "Value" }).textContent).toBe(text);
});
