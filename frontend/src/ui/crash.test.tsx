import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { Crash } from "./crash";

function Broken({ broken }: { broken: boolean }) {
  if (broken) throw new Error("rows is not iterable");
  return <p>all well</p>;
}

/** The error is the test's own: React tells the console of it unless somebody listens. */
const heard = { onCaughtError: () => undefined };

test("what throws is replaced by what happened, with reload and copy", async () => {
  const onCopy = vi.fn(() => Promise.resolve());
  const onCrash = vi.fn();
  const onReload = vi.fn();
  render(<Crash onCopy={onCopy} onCrash={onCrash} onReload={onReload}><Broken broken /></Crash>, heard);
  expect(screen.getByRole("heading", { name: "This part of the window stopped working" })).toBeDefined();
  expect(screen.getByRole("alert").textContent).toBe("rows is not iterable");
  expect(screen.queryByText("all well")).toBeNull();
  expect(onCrash).toHaveBeenCalledTimes(1);
  await userEvent.click(screen.getByRole("button", { name: "Copy details" }));
  expect(onCopy).toHaveBeenCalledWith(expect.stringMatching(/rows is not iterable[\s\S]*Broken/));
  expect((await screen.findByRole("status")).textContent).toBe("Copied");
  await userEvent.click(screen.getByRole("button", { name: "Reload" }));
  expect(onReload).toHaveBeenCalledTimes(1);
});

test("a copy that fails says so", async () => {
  render(<Crash onCopy={() => Promise.reject(new Error("no clipboard"))}><Broken broken /></Crash>, heard);
  await userEvent.click(screen.getByRole("button", { name: "Copy details" }));
  expect((await screen.findByRole("status")).textContent).toContain("by hand");
});

test("what does not throw is shown as it is", () => {
  render(<Crash onCopy={() => Promise.resolve()}><Broken broken={false} /></Crash>);
  expect(screen.getByText("all well")).toBeDefined();
  expect(screen.queryByRole("alert")).toBeNull();
});
