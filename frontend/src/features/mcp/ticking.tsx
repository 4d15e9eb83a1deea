import { useEffect, useState } from "react";
import { duration } from "../../lib/format";

/** The time now, anew each second while active: only the text that shows it is drawn again. */
function useNow(active: boolean): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [active]);
  return now;
}

/** Counts down to the next try. */
export function Countdown({ untilMs }: { untilMs: number }) {
  const [late, setLate] = useState(false);
  const left = Math.ceil((untilMs - useNow(!late)) / 1000);
  useEffect(() => setLate(left <= 0), [left]);
  return <span className="next num">{left > 0 ? `next try in ${left < 60 ? `${left} s` : `${Math.ceil(left / 60)} min`}` : "trying again"}</span>;
}

/** How long something has been going on, in whole seconds; "" for 0, which means unknown. */
export function Elapsed({ sinceMs }: { sinceMs: number }) {
  const now = useNow(sinceMs > 0);
  return sinceMs > 0 && now > sinceMs ? duration(Math.floor((now - sinceMs) / 1000) * 1000).replace(".0 s", " s") : "";
}

/** How long is left until a time, in whole minutes and in the last one in seconds; "" for 0, which means without limit. */
export function Left({ untilMs }: { untilMs: number }) {
  const left = Math.ceil((untilMs - useNow(untilMs > 0)) / 1000);
  return untilMs > 0 && left > 0 ? <span className="next num">{left < 60 ? `${left} s` : `${Math.ceil(left / 60)} min`} left</span> : null;
}
