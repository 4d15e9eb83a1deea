import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { row } from "../../platform/fake";
import { TrustBanner } from "./trust-banner";

const untrusted = (many: number) => Array.from({ length: many }, (_, i) => row({ name: `s${i}`, state: "disabled", cause: "untrusted" }));

test("thirty names are unticked at once and one of them is trusted", async () => {
  const [user, onTrust] = [userEvent.setup(), vi.fn()];
  render(<TrustBanner rows={untrusted(30)} busy={false} onTrust={onTrust} />);
  expect(screen.getByText("This repository wants to start 30 servers.")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Select none" }));
  expect(screen.getByRole("button", { name: "Trust selected" })).toHaveProperty("disabled", true);
  await user.click(screen.getByRole("checkbox", { name: "s7" }));
  await user.click(screen.getByRole("button", { name: "Trust selected" }));
  expect(onTrust.mock.calls).toEqual([[["s7"]]]);
  await user.click(screen.getByRole("button", { name: "Select none" }));
  await user.click(screen.getByRole("button", { name: "Select all" }));
  await user.click(screen.getByRole("button", { name: "Trust selected" }));
  expect(onTrust.mock.calls[1]?.[0]).toHaveLength(30);
});

test("a few names have their boxes alone", () => {
  render(<TrustBanner rows={untrusted(1)} busy={false} onTrust={() => {}} />);
  expect(screen.getByText("This repository wants to start a server.")).toBeTruthy();
  expect(screen.getAllByRole("button").map((each) => each.textContent)).toEqual(["Trust selected"]);
});
