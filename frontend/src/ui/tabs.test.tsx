import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { moreOf, Tabs } from "./tabs";

test("the arrows go through the tabs and only the chosen one's content is there", async () => {
  const onChange = vi.fn();
  render(<Tabs label="Parts" value="a" onChange={onChange} tabs={[{ id: "a", label: "One", count: 3, content: "first" }, { id: "b", label: "Two", content: "second" }]} />);
  expect(screen.getByRole("tab", { name: "One 3" }).getAttribute("aria-selected")).toBe("true");
  expect(screen.queryByText("second")).toBeNull();
  await userEvent.click(screen.getByRole("tab", { name: "One 3" }));
  await userEvent.keyboard("{ArrowRight}");
  expect(onChange).toHaveBeenCalledWith("b");
});

test.each([[0, 300, 300, ""], [0, 300, 400, "end"], [50, 300, 400, "both"], [100, 300, 400, "start"]])("scrolled by %i, %i of %i are in sight: %s", (scrollLeft, clientWidth, scrollWidth, want) => {
  expect(moreOf({ scrollLeft, clientWidth, scrollWidth })).toBe(want);
});
