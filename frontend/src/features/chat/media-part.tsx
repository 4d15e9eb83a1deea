import { useState } from "react";
import type { ChatContent } from "../../contract/types";
import { Player } from "../../ui/player";

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
