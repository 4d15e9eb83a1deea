import { useVirtualizer } from "@tanstack/react-virtual";
import { ArrowLeft, ArrowRight } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useRef, type KeyboardEvent } from "react";
import { clock, lasted, milliseconds } from "../../lib/format";
import { bytes } from "../../ui/bytes";
import { useClock } from "./detail-stages";
import type { Exchange } from "./traffic-data";

/** This near to the end counts as at the end. */
const NEAR_PX = 24;
const ROW_PX = 26;

/** Exchanges, oldest first; it stays at its end until it is scrolled away. */
export function TrafficList({ name, all, chosen, onChoose }: { name: string; all: readonly Exchange[]; chosen: number; onChoose: (seq: number) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const id = useId();
  const virtual = useVirtualizer({ count: all.length, getScrollElement: () => box.current, estimateSize: () => ROW_PX, overscan: 20, getItemKey: (at) => all[at]?.seq ?? at });
  const height = virtual.getTotalSize();
  const at = all.findIndex((each) => each.seq === chosen);
  useLayoutEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [height]);
  // The chosen one comes into sight when it is chosen, not whenever the list grows.
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
  }, [chosen]);
  const onScroll = () => {
    const it = box.current;
    if (it) atEnd.current = it.scrollHeight - it.clientHeight - it.scrollTop <= NEAR_PX;
  };
  const onKeyDown = (e: KeyboardEvent) => {
    const to = { ArrowDown: at + 1, ArrowUp: at < 0 ? all.length - 1 : at - 1, Home: 0, End: all.length - 1 }[e.key];
    const next = to === undefined ? undefined : all[Math.max(0, Math.min(to, all.length - 1))];
    if (next) {
      e.preventDefault();
      onChoose(next.seq);
    } else if (e.key === "Escape" && chosen) {
      e.preventDefault();
      onChoose(0);
    }
  };
  return (
    <div className="traffic-list" ref={box} role="listbox" tabIndex={0} aria-label={`Traffic of ${name}`} aria-activedescendant={at >= 0 ? `${id}-${chosen}` : undefined} onScroll={onScroll} onKeyDown={onKeyDown}>
      <div style={{ height, position: "relative" }} role="presentation">
        {virtual.getVirtualItems().map((item) => {
          const each = all[item.index];
          return each ? <Row key={item.key} id={`${id}-${each.seq}`} exchange={each} chosen={each.seq === chosen} top={item.start} onChoose={onChoose} /> : null;
        })}
      </div>
    </div>
  );
}

function Row({ id, exchange, chosen, top, onChoose }: { id: string; exchange: Exchange; chosen: boolean; top: number; onChoose: (seq: number) => void }) {
  const { frame, answer, outcome, size } = exchange;
  const way = frame.out ? "to the server" : "from the server";
  const Arrow = frame.out ? ArrowRight : ArrowLeft;
  const bad = outcome === "error" || outcome === "no response";
  return (
    <div id={id} className={`traffic-row ${chosen ? "chosen" : ""} ${frame.kind}`} role="option" aria-selected={chosen} style={{ transform: `translateY(${top}px)` }} onClick={() => onChoose(exchange.seq)}>
      <time className="muted num">{clock(frame.atMs)}<small>.{String(frame.atMs % 1000).padStart(3, "0")}</small></time>
      <span className={frame.out ? "way out" : "way"} role="img" aria-label={way} title={way}><Arrow size={13} aria-hidden="true" /></span>
      <span className="traffic-what"><span className="mono">{frame.kind === "noise" ? "no message" : frame.method || frame.kind}</span>{frame.subject ? <span className="muted"> {frame.subject}</span> : null}{bad && answer?.subject ? <span className="traffic-bad"> {answer.subject}</span> : null}</span>
      <span className={bad ? "traffic-bad" : "muted"}>{outcome}</span>
      <span className="muted num">{answer ? milliseconds(answer.tookMs) : outcome === "waiting" ? <Waited since={frame.atMs} /> : ""}</span>
      <span className="muted num">{bytes(size)}</span>
    </div>
  );
}

/** How long a request is without its answer. */
function Waited({ since }: { since: number }) {
  return lasted(useClock(true) - since);
}
