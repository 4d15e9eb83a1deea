import { fireEvent, render, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";
import { Latest } from "../../lib/store";
import { FakeHost, row } from "../../platform/fake";
import { StatusLine } from "./status-line";

const snapshot = (part: object) => new Latest({ ...new FakeHost().state.mcp, ...part });

test("the status line says who is in which state, what the last rebuild changed, and retries what failed", () => {
  const retry = vi.fn();
  const { rerender } = render(<StatusLine onRetry={retry} store={snapshot({ toolCount: 1, schemaTokens: 90, rows: [row({ name: "a", state: "error" }), row({ name: "b", state: "error" })],
    rebuild: { atMs: 0, tookMs: 640, added: ["x_new"], removed: [], changed: ["y_other"] } })} />);
  expect(screen.getByLabelText("Status").textContent).toContain("0 connected · 2 error · 1 tool · 90 schema tokens");
  expect(screen.getByText("2 error", { exact: false }).title).toBe("a\nb");
  expect(screen.getByText(/in 640 ms · \+1 −0 tools, 1 changed/).title).toBe("+ x_new\n~ y_other");
  fireEvent.click(screen.getByRole("button", { name: "Retry failed servers" }));
  expect(retry).toHaveBeenCalledOnce();
  rerender(<StatusLine onRetry={retry} store={snapshot({ rows: [row({ name: "a" })] })} />);
  expect(screen.queryByRole("button")).toBeNull();
});
