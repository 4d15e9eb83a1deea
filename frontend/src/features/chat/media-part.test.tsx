import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isMedia, MediaPart } from "./media-part";

const audio = { kind: "audio", text: "", mimeType: "audio/wav", url: "/media/ab", uri: "", name: "", json: "" };
beforeEach(() => {
  vi.useFakeTimers();
  URL.createObjectURL = () => "blob:one";
  URL.revokeObjectURL = () => {};
});
afterEach(() => { vi.useRealTimers(); vi.unstubAllGlobals(); });
const answer = (status: number) => vi.stubGlobal("fetch", () => Promise.resolve(new Response("x", { status })));

test("a player that does not load says what may be missing, until it loads", async () => {
  answer(200);
  render(<MediaPart part={audio} of="rec" />);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(screen.queryByText(/does not load/)).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  expect(screen.getByText(/GStreamer/)).toBeTruthy();
  fireEvent.loadedMetadata(screen.getByLabelText("Audio from rec"));
  expect(screen.queryByText(/does not load/)).toBeNull();
});

test("a recording that is gone says so instead of showing a player", async () => {
  answer(404);
  const view = render(<MediaPart part={audio} of="rec" />);
  await act(() => vi.advanceTimersByTimeAsync(1));
  expect(screen.getByText("Audio from rec (audio/wav) cannot be shown here.")).toBeTruthy();
  expect(view.container.querySelector("audio")).toBeNull();
});

test.each([["/media/ab12", "image", true], ["/media/ab12", "resource", false], ["http://a.test/media/ab", "image", false], ["/media/../x", "audio", false], ["//evil.test/media/ab", "image", false], ["", "image", false]])(
  "%s as %s is shown as media: %s", (url, kind, want) => { expect(isMedia({ ...audio, url, kind })).toBe(want); });
