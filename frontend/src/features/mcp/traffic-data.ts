import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Frame } from "../../contract/types";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";

const POLL_MS = 250;
/** How long typing must rest before what frames hold is searched. */
const SEARCH_MS = 300;

export type Outcome = "ok" | "error" | "no response" | "cancelled" | "waiting" | "open" | "";

/** A request with its answer, or a message that has none. */
export interface Exchange {
  seq: number; frame: Frame; answer?: Frame; outcome: Outcome; size: number;
}

export interface TrafficFilter { text: string; kind: "all" | "requests" | "notifications" | "problems"; way: "both" | "out" | "in" }

export const EVERYTHING: TrafficFilter = { text: "", kind: "all", way: "both" };

/** Adds a page of frames to those there are; frames that are there already are left out, and those that
 *  the application no longer keeps, up to oldest, go. */
export function appendFrames(frames: readonly Frame[], page: readonly Frame[], oldest: number): readonly Frame[] {
  const last = frames.at(-1)?.seq ?? 0;
  const fresh = page.filter((each) => each.seq > last);
  if (fresh.length === 0 && (frames[0]?.seq ?? Infinity) > oldest) return frames;
  return [...frames, ...fresh].filter((each) => each.seq > oldest);
}

/** Frames as exchanges in the order in which they began. */
export function exchanges(frames: readonly Frame[]): readonly Exchange[] {
  const all: Exchange[] = [];
  const bySeq = new Map<number, Exchange>();
  for (const frame of frames) {
    const request = frame.pair > 0 ? bySeq.get(frame.pair) : undefined;
    if (request && frame.kind !== "notification") {
      request.answer = frame;
      request.size += frame.kind === "failed" ? 0 : frame.size;
      if (request.outcome !== "cancelled" || frame.kind === "response") request.outcome = OUTCOMES[frame.kind] ?? "";
      continue;
    }
    if (request?.outcome === "waiting" && frame.kind === "notification") request.outcome = "cancelled";
    const each: Exchange = { seq: frame.seq, frame, outcome: frame.kind === "request" ? unanswered(frame) : OUTCOMES[frame.kind] ?? "", size: frame.size };
    all.push(each);
    if (frame.kind === "request") bySeq.set(frame.seq, each);
  }
  return all;
}

/** A subscription is a request that stays open (MCP 2026-07-28, subscriptions/listen). */
function unanswered(frame: Frame): Outcome {
  return frame.method === "subscriptions/listen" ? "open" : "waiting";
}

const OUTCOMES: Partial<Record<Frame["kind"], Outcome>> = { response: "ok", error: "error", failed: "no response" };

/** The exchanges that a filter lets through; found are the frames whose body holds its text. */
export function filteredTraffic(all: readonly Exchange[], filter: TrafficFilter, found: ReadonlySet<number>): readonly Exchange[] {
  const sought = filter.text.trim().toLowerCase();
  return all.filter((each) => passes(each, filter) && (sought === "" || has(each.frame, sought, found) || (each.answer !== undefined && has(each.answer, sought, found))));
}

function passes({ frame, outcome }: Exchange, { kind, way }: TrafficFilter): boolean {
  if (way !== "both" && frame.out !== (way === "out")) return false;
  switch (kind) {
    case "all": return true;
    case "requests": return frame.kind === "request";
    case "notifications": return frame.kind === "notification";
    case "problems": return outcome === "error" || outcome === "no response" || outcome === "cancelled" || frame.kind === "noise";
  }
}

function has(frame: Frame, sought: string, found: ReadonlySet<number>): boolean {
  return found.has(frame.seq) || `${frame.method}\n${frame.subject}\n${frame.id}`.toLowerCase().includes(sought);
}

/** The traffic of a server, read on as long as it is shown and not paused. */
export function useTraffic(host: Host, name: string, paused: boolean) {
  const [frames, setFrames] = useState<readonly Frame[]>([]);
  const [error, setError] = useState("");
  const [read, setRead] = useState(false);
  const after = useRef(0);
  const cleared = useRef(0);
  useEffect(() => {
    if (paused) return;
    let stopped = false;
    let timer: ReturnType<typeof setTimeout>;
    const poll = async () => {
      let more = false;
      if (!document.hidden) {
        try {
          const clears = cleared.current;
          const page = await host.frames(name, after.current);
          if (stopped) return;
          if (clears === cleared.current) { // else it may hold what was cleared meanwhile
            after.current = page.frames.at(-1)?.seq ?? page.newest;
            more = after.current < page.newest;
            setFrames((now) => appendFrames(now, page.frames, page.oldest));
          }
          setError("");
          setRead(true);
        } catch (err) {
          if (stopped) return;
          setError(errorText(err));
        }
      }
      timer = setTimeout(() => void poll(), more ? 0 : POLL_MS);
    };
    void poll();
    return () => { stopped = true; clearTimeout(timer); };
  }, [host, name, paused]);
  const empty = useCallback(() => {
    cleared.current++;
    after.current = 0;
    setFrames([]);
  }, []);
  return { all: useMemo(() => exchanges(frames), [frames]), newest: frames.at(-1)?.seq ?? 0, error, read, empty };
}

/** The frames up to newest whose body holds a text: looked for once typing rests, then in what comes. */
export function useFound(host: Host, name: string, text: string, newest: number): ReadonlySet<number> {
  const [found, setFound] = useState<ReadonlySet<number>>(NONE);
  const latest = useRef(newest);
  latest.current = newest;
  const sought = text.trim();
  useEffect(() => {
    setFound(NONE);
    if (sought.length < 2) return;
    let stopped = false;
    let after = 0;
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      const upTo = latest.current;
      if (upTo > after) {
        try {
          const seqs = await host.findFrames(name, sought, after);
          if (stopped) return;
          after = upTo;
          if (seqs.length > 0) setFound((now) => new Set([...now, ...seqs]));
        } catch {
          if (stopped) return; // it is tried again; what the list itself shows is filtered meanwhile
        }
      }
      timer = setTimeout(() => void look(), SEARCH_MS);
    };
    timer = setTimeout(() => void look(), SEARCH_MS);
    return () => { stopped = true; clearTimeout(timer); };
  }, [host, name, sought]);
  return found;
}

const NONE: ReadonlySet<number> = new Set();
