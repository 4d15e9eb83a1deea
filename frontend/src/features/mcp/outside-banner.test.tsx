import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { OutsideBanner } from "./outside-banner";

const edit = { path: "/home/dev/.ai4j/mcp.json", atMs: 5, diff: "-old\n+new", lostFields: ["github: tools"] };

test("an outside edit shows its change, offers what was lost, and can be dismissed until the next", () => {
  const restore = vi.fn();
  const { rerender } = render(<OutsideBanner edits={[edit]} busy={false} onRestore={restore} />);
  expect(screen.getByRole("status").textContent).toContain("github: tools");
  expect(screen.getByText(/\+new/)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Restore" }));
  expect(restore).toHaveBeenCalledOnce();
  fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
  expect(screen.queryByRole("status")).toBeNull();
  rerender(<OutsideBanner edits={[{ ...edit, atMs: 6, lostFields: [] }]} busy={false} onRestore={restore} />);
  expect(screen.getByRole("status")).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Restore" })).toBeNull();
});
