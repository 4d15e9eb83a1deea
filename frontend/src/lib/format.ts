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

/** A longer time: "8 s", "12 min", "3 h 5 min", "2 d 4 h". */
export function lasted(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (minutes === 0) return `${seconds} s`;
  if (hours === 0) return `${minutes} min`;
  if (hours < 24) return `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** An amount of memory: "812 kB", "84 MB", "1.3 GB"; "" for 0, which means unknown. */
export function memory(bytes: number): string {
  if (bytes <= 0) return "";
  const mega = bytes / (1 << 20);
  if (mega < 1) return `${Math.max(1, Math.round(bytes / 1024))} kB`;
  return mega < 1000 ? `${mega < 10 ? mega.toFixed(1) : Math.round(mega)} MB` : `${(mega / 1024).toFixed(1)} GB`;
}

/** A short time as exactly as it is known: "0.42 ms", "12 ms", "3.2 s". */
export function milliseconds(ms: number): string {
  return ms < 10 ? `${ms.toFixed(2)} ms` : duration(ms);
}
