import { ChevronDown, ChevronUp, X } from "lucide-react";
import { useEffect, useRef } from "react";
import { IconButton } from "../../ui/icon-button";

/** The bar that looks for a text in the conversation. Enter goes to the next place, Shift+Enter to
 *  the one before, Escape closes. opened grows each time the person asks for the bar. */
export function FindBar({ query, at, count, opened, onQuery, onStep, onClose }: {
  query: string; at: number; count: number; opened: number; onQuery: (query: string) => void; onStep: (by: 1 | -1) => void; onClose: () => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => { box.current?.focus(); box.current?.select(); }, [opened]);
  const none = query !== "" && count === 0;
  return (
    <div className="find" role="search" aria-label="Find in conversation" onKeyDown={(e) => {
      if (e.key === "Escape") { e.preventDefault(); e.stopPropagation(); onClose(); }
      if (e.key === "Enter" && e.target === box.current && !e.nativeEvent.isComposing && e.keyCode !== 229) { e.preventDefault(); onStep(e.shiftKey ? -1 : 1); }
    }}>
      <input ref={box} type="search" aria-label="Find in conversation" placeholder="Find" value={query} onChange={(e) => onQuery(e.target.value)} />
      <span className={none ? "find-count none" : "find-count muted"} role="status">{query === "" ? "" : none ? "Not found" : `${at + 1} of ${count}`}</span>
      <IconButton label="Previous" icon={ChevronUp} disabled={count === 0} onClick={() => onStep(-1)} />
      <IconButton label="Next" icon={ChevronDown} disabled={count === 0} onClick={() => onStep(1)} />
      <IconButton label="Close find" icon={X} onClick={onClose} />
    </div>
  );
}
