import type { ServerStart, StartOutcome, StartReason } from "../../contract/types";
import { duration } from "../../lib/format";

/** What became of a start, in a word; a new outcome does not compile without one. */
export const OUTCOME: Record<StartOutcome, string> = { running: "starting", connected: "connected", failed: "failed", cut: "given up" };

const REASON: Record<StartReason, string> = {
  first: "First start", again: "Wanted again", edited: "Edited", retry: "Retry", reconnect: "Reconnect",
};

/** Why a start was made. */
export function reason(start: ServerStart): string {
  return start.reason === "reconnect" && start.try > 0 ? `${REASON.reconnect} ${start.try}` : REASON[start.reason];
}

/** How long a start took, so far when it runs. */
export function took(start: ServerStart, now: number): number {
  return start.outcome === "running" ? Math.max(0, now - start.beganMs) : start.tookMs;
}

/** A piece of a start's bar. */
export interface Piece { stage: string; ms: number; state: "past" | "now" | "failed" | "cut" }

/** A start's stages in order; the one that runs, or in which it ended without a connection, comes last. */
export function pieces(start: ServerStart, now: number): Piece[] {
  const past: Piece[] = start.stages.map(({ stage, ms }) => ({ stage, ms, state: "past" }));
  if (start.outcome === "connected" || start.stage === "") return past;
  const ms = Math.max(0, took(start, now) - past.reduce((sum, each) => sum + each.ms, 0));
  return [...past, { stage: start.stage, ms, state: start.outcome === "running" ? "now" : start.outcome }];
}

/** A start's stages in words. */
export function inWords(start: ServerStart, now: number): string {
  const stages = pieces(start, now).map((each) => {
    const word = each.state === "failed" ? ", failed there" : each.state === "cut" ? ", given up there" : each.state === "now" ? " so far" : "";
    return `${each.stage} ${duration(each.ms) || "under 1 ms"}${word}`;
  });
  return `Start ${start.number}, ${OUTCOME[start.outcome]}: ${stages.join(", ") || "no stage"}`;
}

function many(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

/** What the starts come to, in one sentence. They are listed newest first. */
export function story(starts: readonly ServerStart[]): string {
  const [newest, ...before] = starts;
  if (!newest) return "It was not started since Patchbay opened.";
  const failed = (from: readonly ServerStart[]) => {
    const at = from.findIndex((each) => each.outcome !== "failed");
    return at < 0 ? from.length : at;
  };
  const earlier = failed(before);
  switch (newest.outcome) {
    case "running": return earlier > 0 ? `It is starting, after ${many(earlier, "failed start")}.` : "It is starting.";
    case "connected": {
      if (newest.endedMs > 0) return `Its last connection ended: ${newest.end || "without a reason"}.`;
      if (earlier > 0) return `${many(earlier, "start")} failed, then it connected.`;
      return before.length > 0 ? "It connected at the first try of the last start." : "It connected at the first start.";
    }
    case "failed": return earlier > 0 ? `The last ${earlier + 1} starts failed.` : "The last start failed.";
    case "cut": return `The last start was given up: ${newest.message || "without a reason"}.`;
  }
}
