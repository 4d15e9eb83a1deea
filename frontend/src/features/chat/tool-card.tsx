import { memo, useState } from "react";
import type { ChatContent } from "../../contract/types";
import { duration } from "../../lib/format";
import { Lamp } from "../../ui/lamp";
import { isMedia, MediaPart } from "./media-part";
import type { CallItem } from "./reducer";

const FOLD_CHARS = 700;
const SHOW_CHARS = 100_000;
/** Reasons for which trying the server again is the way out. */
const SERVER_FAULTS: readonly string[] = ["server_gone", "timed_out", "protocol_error"];

/** One tool call: what was asked, how it went, what came back. */
export const ToolCard = memo(function ToolCard({ call, onRetry }: { call: CallItem; onRetry: (server: string) => void }) {
  const name = call.server === "" ? call.tool : `${call.server} · ${call.tool}`;
  const result = call.content.filter((each) => !isMedia(each)).map(contentText).filter(Boolean).join("\n");
  return (
    <article className={`card ${call.status}`} aria-label={`Tool call ${name}`}>
      <header>
        <Lamp shape={call.status === "running" ? "arc" : call.status === "ok" ? "disc" : "cross"} />
        <span className="mono name">{call.server ? <span className="muted">{call.server} · </span> : null}{call.tool}</span>
        <span className="muted">{call.asking ? "waiting for approval" : call.status}{call.reason ? ` (${call.reason.replaceAll("_", " ")})` : ""}</span>
        <span className="grow" />
        <span className="muted num">{duration(call.tookMs)}</span>
        {call.status === "failed" && call.server !== "" && SERVER_FAULTS.includes(call.reason)
          ? <button type="button" className="btn" aria-label={`Retry call of ${call.server}`} onClick={() => onRetry(call.server)}>Retry</button> : null}
      </header>
      {call.arguments && call.arguments !== "{}" ? <Folded label="Arguments" text={pretty(call.arguments)} /> : null}
      {call.status === "running" && (call.progressText || call.total > 0) ? (
        <div className="progress">
          {call.total > 0 ? <progress aria-label={`Progress of ${name}`} value={call.progress} max={call.total} /> : null}
          <span className="muted">{call.progressText}</span>
        </div>
      ) : null}
      {result ? <Folded label="Result" text={result} /> : null}
      {call.content.filter(isMedia).map((each, at) => <MediaPart key={`${at}${each.url}`} part={each} of={name} />)}
    </article>
  );
});

function Folded({ label, text }: { label: string; text: string }) {
  const [open, setOpen] = useState(false);
  const long = text.length > FOLD_CHARS;
  const shown = !long ? text : open ? text.slice(0, SHOW_CHARS) : `${text.slice(0, FOLD_CHARS)}…`;
  return (
    <div className="block">
      <pre aria-label={label} tabIndex={0}>{shown}</pre>
      {long ? <button type="button" className="btn ghost" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}</button> : null}
      {open && text.length > SHOW_CHARS ? <span className="muted">the first {SHOW_CHARS.toLocaleString("en")} are shown</span> : null}
    </div>
  );
}

function contentText(part: ChatContent): string {
  if (part.text) return part.text;
  if (part.json) return pretty(part.json);
  const what = [part.kind.replaceAll("_", " "), part.name, part.uri, part.mimeType].filter(Boolean).join(" ");
  return `[${what}]`;
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json; // the model's arguments need not be JSON; they are shown as they came
  }
}
