import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { SweptBanner } from "./file-banner";

test("what was left behind and ended is told until it is dismissed", async () => {
  const text = "2 processes that an earlier Patchbay had left behind were ended: node (pid 12), sh (pid 13)";
  const view = render(<SweptBanner text="" />);
  expect(screen.queryByRole("status")).toBeNull();
  view.rerender(<SweptBanner text={text} />);
  expect(screen.getByRole("status").textContent).toContain(`${text}.`);
  await userEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  view.rerender(<SweptBanner text={text} />);
  expect(screen.queryByRole("status")).toBeNull();
});
