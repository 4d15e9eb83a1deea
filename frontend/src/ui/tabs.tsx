import * as Radix from "@radix-ui/react-tabs";
import { useCallback, useEffect, useRef, useState, type ReactNode, type WheelEvent } from "react";

/** One tab; the count stands behind its label. */
export interface Tab<Id extends string> { id: Id; label: string; count?: number; content: ReactNode }

/** Tabs with arrow keys; only the content of the chosen one is in the page. Tabs that do not fit
 *  scroll: the chosen one is in sight, and the side where more are fades. */
export function Tabs<Id extends string>({ label, tabs, value, onChange }: {
  label: string; tabs: readonly Tab<Id>[]; value: Id; onChange: (id: Id) => void;
}) {
  const { list, more, look, wheel } = useOverflow(value);
  return (
    <Radix.Root className="tabs" value={value} onValueChange={(id) => onChange(id as Id)}>
      <Radix.List className="tab-list" aria-label={label} ref={list} data-more={more || undefined} onScroll={look} onWheel={wheel}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.id} value={tab.id} className="tab">{tab.label}{tab.count === undefined ? null : <span className="muted"> {tab.count}</span>}</Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => <Radix.Content key={tab.id} value={tab.id} className="tab-content">{tab.content}</Radix.Content>)}
    </Radix.Root>
  );
}

/** On which sides of a list that scrolls sideways there is more. */
export function moreOf({ scrollLeft, clientWidth, scrollWidth }: Pick<HTMLElement, "scrollLeft" | "clientWidth" | "scrollWidth">): "" | "start" | "end" | "both" {
  const before = scrollLeft > 1;
  const after = scrollWidth - clientWidth - scrollLeft > 1;
  return before ? (after ? "both" : "start") : after ? "end" : "";
}

function useOverflow(value: string) {
  const list = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState("");
  const look = useCallback(() => { if (list.current) setMore(moreOf(list.current)); }, []);
  useEffect(() => {
    const box = list.current;
    const chosen = box?.querySelector<HTMLElement>('[data-state="active"]');
    if (box && chosen) box.scrollLeft = Math.min(Math.max(box.scrollLeft, chosen.offsetLeft + chosen.offsetWidth + FADE_PX - box.clientWidth), Math.max(0, chosen.offsetLeft - FADE_PX));
    look();
  }, [value, look]);
  useEffect(() => {
    if (!list.current || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(look);
    watch.observe(list.current);
    return () => watch.disconnect();
  }, [look]);
  const wheel = (e: WheelEvent<HTMLDivElement>) => { e.currentTarget.scrollLeft += e.deltaX || e.deltaY; };
  return { list, more, look, wheel };
}

/** How wide the fade at a side is, as ui.css draws it. */
const FADE_PX = 28;
