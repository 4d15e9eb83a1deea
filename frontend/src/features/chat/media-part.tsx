import { useEffect, useState } from "react";
import type { ChatContent } from "../../contract/types";

/** Whether the part is shown as a picture or a player: only what our own handler serves is. */
export function isMedia(part: ChatContent): boolean {
  return /^\/media\/[0-9a-f]+$/.test(part.url) && (part.kind === "image" || part.kind === "audio");
}

/** An image or a recording of a tool result. */
export function MediaPart({ part, of }: { part: ChatContent; of: string }) {
  const [broken, setBroken] = useState(false);
  const what = part.name || `${part.kind === "image" ? "Image" : "Audio"} from ${of}`;
  if (broken) return <p className="line muted">{what} ({part.mimeType || "unknown type"}) cannot be shown here.</p>;
  const fail = () => setBroken(true);
  return part.kind === "image"
    ? <img className="media" src={part.url} alt={what} title={what} loading="lazy" decoding="async" onError={fail} />
    : <Player url={part.url} label={what} onFail={fail} />;
}

/** Without its plugins the window's media element neither loads nor says so. */
const PATIENCE_MS = 8000;

/** A player. WebKitGTK's media element reads no scheme of an application's own, so the bytes are
 *  fetched and played from memory. */
function Player({ url, label, onFail }: { url: string; label: string; onFail: () => void }) {
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
