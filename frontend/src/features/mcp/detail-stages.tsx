import { useEffect, useState } from "react";
import type { StageTime } from "../../contract/types";
import { duration } from "../../lib/format";

/** The time now, anew several times a second while something runs. */
export function useClock(running: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!running) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 200);
    return () => clearInterval(timer);
  }, [running]);
  return now;
}

interface Bar { stage: string; from: number; ms: number; state: "past" | "now" | "failed" }

/** Where each bar begins and ends; the running or failed stage comes last. */
export function barsOf(stages: readonly StageTime[], open: { stage: string; ms: number; failed: boolean } | undefined): Bar[] {
  let from = 0;
  const bars: Bar[] = stages.map(({ stage, ms }) => {
    const bar: Bar = { stage, from, ms, state: "past" };
    from += ms;
    return bar;
  });
  if (open && open.stage !== "") bars.push({ stage: open.stage, from, ms: Math.max(open.ms, 0), state: open.failed ? "failed" : "now" });
  return bars;
}

/** A start as a waterfall: each stage begins where the one before ended. */
export function StageBars({ label, stages, open }: {
  label: string; stages: readonly StageTime[]; open?: { stage: string; ms: number; failed: boolean };
}) {
  const bars = barsOf(stages, open);
  const total = Math.max(1, bars.reduce((sum, each) => sum + each.ms, 0));
  if (bars.length === 0) return null;
  return (
    <ol className="waterfall" aria-label={label}>
      {bars.map((bar, at) => (
        <li key={`${at}${bar.stage}`} className={bar.state}>
          <span className="waterfall-name">{bar.stage}{bar.state === "failed" ? <span className="sr"> (failed here)</span> : bar.state === "now" ? <span className="sr"> (running)</span> : null}</span>
          <span className="waterfall-track" aria-hidden="true"><i style={{ left: `${(bar.from / total) * 100}%`, width: `${(bar.ms / total) * 100}%` }} /></span>
          <span className="num muted">{duration(bar.ms) || (bar.state === "now" ? "…" : bar.state === "failed" ? "failed" : "< 1 ms")}</span>
        </li>
      ))}
    </ol>
  );
}
