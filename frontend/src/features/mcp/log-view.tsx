import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { LogLine } from "../../contract/types";
import { clock } from "../../lib/format";
import { errorText, type Runner } from "../../lib/run";
import type { Host } from "../../platform/host";

/** So many lines are kept in the page. */
const KEPT = 2000;
const POLL_MS = 500;
/** This near to the end counts as at the end. */
const NEAR_PX = 24;

/** A line of the log, or a place where lines were dropped. */
type Line = LogLine & { gap?: true };

/** The levels of log messages, least urgent first (RFC 5424). */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;

/** Which lines are shown; a level means log messages of it and above. */
export type LogFilter = "all" | "stderr" | "problems" | (typeof LEVELS)[number];

/** Adds a page of lines to those there are; lines that are there already are left out. */
export function append(lines: readonly Line[], page: readonly LogLine[], lost: boolean): readonly Line[] {
  const last = lines.at(-1)?.seq ?? -1;
  const fresh = page.filter((each) => each.seq > last);
  const first = fresh[0];
  if (!first) return lines;
  const gap: Line[] = lost && lines.length > 0 ? [{ seq: first.seq - 0.5, atMs: first.atMs, level: "", text: "Lines between were dropped", gap: true }] : [];
  return [...lines, ...gap, ...fresh].slice(-KEPT);
}

/** The lines that a filter lets through. */
export function filtered(lines: readonly Line[], level: LogFilter, text: string): readonly Line[] {
  const sought = text.trim().toLowerCase();
  if (level === "all" && sought === "") return lines;
  return lines.filter((each) => !each.gap
    && passes(each, level)
    && (sought === "" || each.text.toLowerCase().includes(sought)));
}

function passes(line: Line, level: LogFilter): boolean {
  if (level === "all") return true;
  if (level === "stderr") return line.level === "stderr";
  if (level === "problems") return severity(line) !== "";
  return rank(line.level) >= rank(level);
}

function rank(level: string): number {
  return (LEVELS as readonly string[]).indexOf(level);
}

/** How bad a line is: from its level, for stderr from its words. */
function severity(line: LogLine): "" | "warning" | "error" {
  if (/^(error|critical|alert|emergency)$/.test(line.level)) return "error";
  if (line.level === "warning") return "warning";
  if (line.level !== "stderr") return "";
  return /\b(error|fatal|panic|exception|traceback)\b/i.test(line.text) ? "error" : /\bwarn(ing)?\b/i.test(line.text) ? "warning" : "";
}

function useLog(host: Host, name: string) {
  const [lines, setLines] = useState<readonly Line[]>([]);
  const [error, setError] = useState("");
  const [read, setRead] = useState(false);
  const [asked, setAsked] = useState("");
  useEffect(() => {
    let stopped = false;
    let after = 0;
    let timer: ReturnType<typeof setTimeout>;
    setLines([]);
    const poll = async () => {
      try {
        const page = await host.serverLog(name, after);
        if (stopped) return;
        after = page.next;
        setLines((now) => append(now, page.lines, page.lost));
        setAsked(page.level);
        setError("");
        setRead(true);
      } catch (err) {
        if (stopped) return;
        setError(errorText(err));
      }
      timer = setTimeout(() => void poll(), POLL_MS);
    };
    void poll();
    return () => { stopped = true; clearTimeout(timer); };
  }, [host, name]);
  return { lines, error, read, asked, setAsked };
}

/** What a server wrote to stderr and said by log messages, as it comes. */
export function LogView({ name, host, runner }: { name: string; host: Host; runner: Runner }) {
  const { lines, error, read, asked, setAsked } = useLog(host, name);
  const [level, setLevel] = useState<LogFilter>("all");
  const [text, setText] = useState("");
  const [follow, setFollow] = useState(true);
  const shown = useMemo(() => filtered(lines, level, text), [lines, level, text]);
  const ask = (level: string) => void runner.run(`log level ${name}`, async () => {
    await host.setLogLevel(name, level);
    setAsked(level);
  });
  const copy = () => void runner.run(`copy log ${name}`, async () => {
    await host.copyText(shown.map((each) => (each.gap ? `… ${each.text}` : `${clock(each.atMs)} ${each.level} ${each.text}`)).join("\n"));
    runner.show(`Copied ${shown.length} ${shown.length === 1 ? "line" : "lines"}`);
  });
  return (
    <div className="log-view">
      <div className="log-bar">
        <select aria-label="Level" value={level} onChange={(e) => setLevel(e.target.value as LogFilter)}>
          <option value="all">All</option><option value="stderr">stderr</option><option value="problems">Warnings and errors</option>
          <optgroup label="Log messages">{LEVELS.map((each) => <option key={each} value={each}>{each === "emergency" ? each : `${each} and above`}</option>)}</optgroup>
        </select>
        <label className="log-asked muted" title="Which log messages the server is asked to send, until its definition changes">server sends
          <select aria-label="Level that the server sends" value={asked} onChange={(e) => ask(e.target.value)}>
            {asked === "" ? <option value="">as it likes</option> : null}
            {LEVELS.map((each) => <option key={each} value={each}>{each}</option>)}
          </select></label>
        <input type="search" aria-label="Filter lines" placeholder="Filter…" value={text} onChange={(e) => setText(e.target.value)} />
        <span className="muted num">{shown.length.toLocaleString("en")} {shown.length === 1 ? "line" : "lines"}</span>
        <span className="grow" />
        <button type="button" className="btn ghost" aria-pressed={follow} onClick={() => setFollow(!follow)}>Follow</button>
        <button type="button" className="btn ghost" disabled={shown.length === 0} onClick={copy}>Copy</button>
      </div>
      {error ? <p className="line error log-note">{error}</p> : null}
      {read && shown.length === 0 ? <p className="muted log-note">{lines.length > 0 ? "No line matches the filter." : "Nothing was written yet."}</p> : null}
      <Lines name={name} lines={shown} follow={follow} onFollow={setFollow} />
    </div>
  );
}

function Lines({ name, lines, follow, onFollow }: { name: string; lines: readonly Line[]; follow: boolean; onFollow: (follow: boolean) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const last = useRef(0);
  const virtual = useVirtualizer({
    count: lines.length, getScrollElement: () => box.current, estimateSize: () => 20, overscan: 20, getItemKey: (at) => lines[at]?.seq ?? at,
  });
  const height = virtual.getTotalSize();
  useLayoutEffect(() => {
    if (follow && box.current) {
      box.current.scrollTop = box.current.scrollHeight;
      last.current = box.current.scrollTop;
    }
  }, [follow, height, lines]);
  const onScroll = () => {
    const it = box.current;
    if (!it) return;
    const up = it.scrollTop < last.current;
    last.current = it.scrollTop;
    if (up && it.scrollHeight - it.clientHeight - it.scrollTop > NEAR_PX && follow) onFollow(false);
  };
  return (
    <div className="log-lines mono" ref={box} role="log" aria-live="off" aria-label={`Log of ${name}`} tabIndex={0} onScroll={onScroll}>
      <div style={{ height, position: "relative" }}>
        {virtual.getVirtualItems().map((item) => {
          const line = lines[item.index];
          return line ? (
            <div key={item.key} ref={virtual.measureElement} data-index={item.index} className={line.gap ? "log-line gap" : `log-line ${severity(line)}`} style={{ transform: `translateY(${item.start}px)` }}>
              <time className="muted">{line.gap ? "" : clock(line.atMs)}</time><span className="log-level muted">{line.level}</span><span className="log-text">{line.text}</span>
            </div>
          ) : null;
        })}
      </div>
    </div>
  );
}
