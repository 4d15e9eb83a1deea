import { act, render } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { useRevealed } from "./use-revealed";

beforeEach(() => { vi.useFakeTimers(); });
afterEach(() => { vi.useRealTimers(); });

function Shown({ text, live }: { text: string; live: boolean }) {
  const { shown, growing } = useRevealed(text, live);
  return <p data-growing={growing}>{shown}</p>;
}
const frame = () => act(() => vi.advanceTimersByTime(17));

test("what arrives in a heap is drawn over some frames, also after its end; the first is shown at once", () => {
  const view = render(<Shown text={"a".repeat(5000)} live />);
  const size = () => view.container.textContent?.length ?? 0;
  const growing = () => view.container.querySelector("p")?.dataset.growing;
  expect(size()).toBe(5000);
  frame();
  view.rerender(<Shown text={"a".repeat(8000)} live />);
  const first = size();
  expect(first).toBeGreaterThan(5000);
  expect(first).toBeLessThan(7000);
  view.rerender(<Shown text={"a".repeat(8000)} live={false} />); // no frame went by
  expect(size()).toBe(first);
  expect(growing()).toBe("true");
  for (let at = 0; at < 6; at++) frame();
  expect(size()).toBe(8000);
  expect(growing()).toBe("false");
});

test("ordinary deltas are all there", () => {
  const view = render(<Shown text="" live />);
  for (let at = 1; at <= 20; at++) {
    view.rerender(<Shown text={"word ".repeat(at * 25)} live />);
    expect(view.container.textContent).toHaveLength(at * 125);
    frame();
  }
});
