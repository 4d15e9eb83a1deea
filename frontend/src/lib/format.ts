/** "45 ms", "3.2 s", "2 min"; "" for 0, which means unknown. */
export function duration(ms: number): string {
  if (ms <= 0) return "";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** "812", "6.1k". */
export function short(count: number): string {
  return count < 1000 ? String(count) : `${(count / 1000).toFixed(1)}k`;
}

/** How long ago, in one or two letters, or the day. */
export function ago(ms: number, now: number): string {
  const minutes = (now - ms) / 60_000;
  if (minutes < 1) return "now";
  if (minutes < 60) return `${Math.floor(minutes)}m`;
  if (minutes < 1440) return `${Math.floor(minutes / 60)}h`;
  return new Date(ms).toLocaleDateString("en", { day: "numeric", month: "short" });
}

/** The last part of a path, for Unix and Windows. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).filter(Boolean).pop() ?? path;
}

/** The clock time with seconds. */
export function clock(ms: number): string {
  return new Date(ms).toLocaleTimeString("en-GB");
}
