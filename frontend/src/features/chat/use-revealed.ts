import { useEffect, useReducer, useRef } from "react";

/** At most so many characters are added to a growing answer in one frame. */
const FRAME_CHARS = 800;
/** What is not more than this is no heap. */
const SMALL_CHARS = 400;

/** So much of a growing text as a frame can take: what arrives in a heap, because the page or the
 *  machine was busy, is drawn over some frames instead of holding up one. What is there at first is
 *  shown at once. */
export function useRevealed(text: string, live: boolean): { shown: string; growing: boolean } {
  const [, again] = useReducer((count: number) => count + 1, 0);
  const size = useRef(text.length);
  const due = useRef(true); // one portion for each frame
  if (text.length - size.current <= SMALL_CHARS) size.current = text.length;
  else if (due.current) {
    size.current = Math.min(text.length, size.current + FRAME_CHARS);
    due.current = false;
  }
  const behind = size.current < text.length;
  useEffect(() => {
    const frame = requestAnimationFrame(() => {
      due.current = true;
      if (behind) again();
    });
    return () => cancelAnimationFrame(frame);
  });
  return { shown: behind ? text.slice(0, size.current) : text, growing: live || behind };
}
