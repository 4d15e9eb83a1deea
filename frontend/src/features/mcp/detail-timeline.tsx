import { Check, LoaderCircle, Minus, X, type LucideIcon } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { ServerRow, ServerStart, ServerTimeline, StartOutcome } from "../../contract/types";
import { clock, duration, lasted } from "../../lib/format";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";
import { useClock } from "./detail-stages";
import { inWords, OUTCOME, pieces, reason, story, took } from "./detail-timeline-story";
import { capitalised, STAGES } from "./words";

const GLYPH: Record<StartOutcome, LucideIcon> = { running: LoaderCircle, connected: Check, failed: X, cut: Minus };

/** Reads the timeline, and again when the row has moved on; the answer that was asked for last wins. */
function useTimeline(host: Host, name: string, row: ServerRow | undefined) {
  const [timeline, setTimeline] = useState<ServerTimeline>();
  const [error, setError] = useState("");
  const asked = useRef(0);
  useEffect(() => {
    const at = ++asked.current;
    host.serverTimeline(name).then(
      (next) => { if (at === asked.current) { setTimeline(next); setError(""); } },
      (err: unknown) => { if (at === asked.current) setError(errorText(err)); });
    return () => { asked.current++; };
  }, [host, name, row?.state, row?.stage, row?.sinceMs, row?.starts]);
  return { timeline, error };
}

/** The last starts of a server, one below the other on one scale: why each was made, what its stages
 *  took, what became of it. */
export function TimelineTab({ name, row, host }: { name: string; row: ServerRow | undefined; host: Host }) {
  const { timeline, error } = useTimeline(host, name, row);
  const starts = timeline?.starts ?? [];
  const now = useClock(starts[0]?.outcome === "running");
  const longest = Math.max(1, ...starts.map((each) => took(each, now)));
  if (error) return <div className="detail-body"><p className="line error">{error}</p></div>;
  if (!timeline) return <div className="detail-body" aria-busy="true" />;
  return (
    <div className="detail-body timeline">
      <p className="timeline-story" role="status">{story(starts)} {timeline.total > starts.length ? <span className="muted">{timeline.total} starts since Patchbay opened; the last {starts.length} are shown.</span> : null}</p>
      {starts.length > 0 ? <>
        <Legend starts={starts} now={now} longest={longest} />
        <ol className="starts" aria-label={`Starts of ${name}`}>{starts.map((each) => <Start key={each.number} start={each} now={now} longest={longest} />)}</ol>
      </> : null}
    </div>
  );
}

function Legend({ starts, now, longest }: { starts: readonly ServerStart[]; now: number; longest: number }) {
  const there = new Set(starts.flatMap((each) => pieces(each, now).map((piece) => piece.stage)));
  return (
    <div className="timeline-legend">
      <ul aria-label="Stages">{STAGES.filter((each) => there.has(each)).map((each) => <li key={each}><i className={`swatch stage-${each}`} aria-hidden="true" />{each}</li>)}</ul>
      <span className="muted num" title="All bars have the same scale">0 – {duration(longest)}</span>
    </div>
  );
}

function Start({ start, now, longest }: { start: ServerStart; now: number; longest: number }) {
  const Glyph = GLYPH[start.outcome];
  const words = start.outcome === "failed" || start.outcome === "cut" ? start.message : "";
  return (
    <li className={`start was-${start.outcome}`}>
      <div className="start-head">
        <Glyph aria-hidden="true" size={13} strokeWidth={2.4} /><b>{OUTCOME[start.outcome]}</b>
        <span className="muted start-about">{reason(start)} · {clock(start.beganMs)}{start.pid > 0 ? ` · pid ${start.pid}` : ""}</span>
        <span className="grow" /><span className="num">{duration(took(start, now)) || "< 1 ms"}</span>
      </div>
      <Bar start={start} now={now} longest={longest} />
      {words ? <p className="start-why" title={words}>{capitalised(words)}</p> : null}
      {start.endedMs > 0 ? <p className="start-why muted" title={start.end}>Ended after {lasted(start.endedMs - start.beganMs - start.tookMs)}: {start.end}</p> : null}
    </li>
  );
}

/** The stages of a start side by side; the pointer or the focus tells each one's time. */
function Bar({ start, now, longest }: { start: ServerStart; now: number; longest: number }) {
  const [told, setTold] = useState(false);
  const parts = pieces(start, now);
  const open = { onPointerEnter: () => setTold(true), onPointerLeave: () => setTold(false), onFocus: () => setTold(true), onBlur: () => setTold(false) };
  return (
    <div className="start-bar" role="img" tabIndex={0} aria-label={inWords(start, now)} {...open}>
      <span className="start-track" style={{ width: `${Math.max(1, (took(start, now) / longest) * 100)}%` }}>
        {parts.map((each, at) => <i key={`${at}${each.stage}`} className={`stage-${each.stage} is-${each.state}`} style={{ flexGrow: Math.max(each.ms, 0.001) }} />)}
      </span>
      {told && parts.length > 0 ? <ul className="start-tip" aria-hidden="true">{parts.map((each, at) => (
        <li key={`${at}${each.stage}`} className={`is-${each.state}`}><i className={`swatch stage-${each.stage} is-${each.state}`} />{each.stage}<span className="num">{duration(each.ms) || "< 1 ms"}{each.state === "failed" ? " ✕" : ""}</span></li>
      ))}</ul> : null}
    </div>
  );
}
