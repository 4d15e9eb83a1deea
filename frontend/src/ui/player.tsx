import { useEffect, useState } from "react";

/** Without its plugins the window's media element neither loads nor says so. */
const PATIENCE_MS = 8000;

/** A player. WebKitGTK's media element reads no scheme of an application's own, so the bytes are
 *  fetched and played from memory. */
export function Player({ url, label, onFail }: { url: string; label: string; onFail: () => void }) {
  const [source, setSource] = useState("");
  const [state, setState] = useState<"loading" | "late" | "ready">("loading");
  useEffect(() => {
    const stop = new AbortController();
    let made = "";
    fetch(url, { signal: stop.signal })
      .then((answer) => { if (!answer.ok) throw new Error(`status ${answer.status}`); return answer.blob(); })
      .then((bytes) => { if (!stop.signal.aborted) setSource(made = URL.createObjectURL(bytes)); })
      .catch(() => { if (!stop.signal.aborted) onFail(); });
    return () => { stop.abort(); if (made) URL.revokeObjectURL(made); };
    // onFail only sets a state of the same part: a new one is no reason to load again.
  }, [url]);
  useEffect(() => {
    if (source === "" || state !== "loading") return;
    const timer = setTimeout(() => setState("late"), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [source, state]);
  return source ? <>
    <audio className="media" controls preload="metadata" src={source} aria-label={label} onError={onFail} onLoadedMetadata={() => setState("ready")} />
    {state === "late" ? <p className="line muted">It does not load. On Linux the GStreamer plugins "good" and "bad" have to be installed to play it.</p> : null}
  </> : <p className="line muted">Loading {label}…</p>;
}
