import type { ApprovalMode } from "./types";

/** The approval modes in words. */
export const MODES: readonly { mode: ApprovalMode; label: string; help: string }[] = [
  { mode: "safe", label: "Safe", help: "ask for what writes or executes, and for servers' tools" },
  { mode: "manual", label: "Manual", help: "ask for every call" },
  { mode: "auto", label: "Auto", help: "never ask" },
];
