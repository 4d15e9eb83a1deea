import { useCallback, useEffect, useRef, useState } from "react";
import type { ServerPrompt, ServerResource, ServerTemplate } from "../../contract/types";
import { errorText } from "../../lib/run";

/** What was read, or why it could not be. Both are undefined and "" while it is read first. */
export interface Reading<T> { value: T | undefined; error: string; reading: boolean; again: () => void }

/** Reads, and again whenever key changes or it is asked to; the answer that was asked for last
 *  wins, and what was read before stays until then. */
export function useReading<T>(key: string, read: () => Promise<T>): Reading<T> {
  const [state, setState] = useState<{ value: T | undefined; error: string; reading: boolean }>({ value: undefined, error: "", reading: true });
  const asked = useRef(0);
  const latest = useRef(read);
  latest.current = read;
  const again = useCallback(() => {
    const at = ++asked.current;
    setState((now) => ({ ...now, reading: true }));
    latest.current().then(
      (value) => { if (at === asked.current) setState({ value, error: "", reading: false }); },
      (err: unknown) => { if (at === asked.current) setState({ value: undefined, error: errorText(err), reading: false }); });
  }, []);
  useEffect(() => {
    again();
    return () => { asked.current++; };
  }, [again, key]);
  return { ...state, again };
}

/** Those that a text finds. */
export function found<T extends ServerResource | ServerTemplate | ServerPrompt>(all: readonly T[], text: string): readonly T[] {
  const sought = text.trim().toLowerCase();
  if (sought === "") return all;
  return all.filter((each) => [each.name, each.title, each.description, "uri" in each ? each.uri : "uriTemplate" in each ? each.uriTemplate : "", "mimeType" in each ? each.mimeType : ""]
    .some((part) => part.toLowerCase().includes(sought)));
}

/** What a resource is called. */
export function called(each: { title: string; name: string; uri?: string; uriTemplate?: string }): string {
  return each.title || each.name || each.uri || each.uriTemplate || "";
}
