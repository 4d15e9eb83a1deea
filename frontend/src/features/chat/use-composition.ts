import { useRef, type KeyboardEvent } from "react";

/** How long after the end of a composition an Enter still belongs to it. */
const IME_TAIL_MS = 60;

/** Tells the keys of an input method from those meant for the field: WebKit sends the one that
 *  ends a choice after compositionend with keyCode 229, Chrome before it with isComposing. */
export function useComposition() {
  const composing = useRef(false);
  const ended = useRef(-Infinity);
  return {
    start: () => { composing.current = true; },
    end: (e: { timeStamp: number }) => { composing.current = false; ended.current = e.timeStamp; },
    holds: (e: KeyboardEvent) => {
      if (composing.current || e.nativeEvent.isComposing || e.keyCode === 229) return true;
      const since = e.timeStamp - ended.current;
      return e.key === "Enter" && since >= 0 && since < IME_TAIL_MS;
    },
  };
}
