import { useEffect, useRef, useState } from "react";
import type { ChatContent, ToolOutcome } from "../../contract/types";
import { duration } from "../../lib/format";
import { FramesButton } from "../../ui/frames-button";
import { JsonTree } from "../../ui/json-tree";
import { Lamp } from "../../ui/lamp";

/** Longer text is cut until it is asked for. */
const CUT_CHARS = 4000;

/** What a tool that a person tried came back with. */
export function Result({ outcome, server, tool, fresh }: { outcome: ToolOutcome; server: string; tool: string; fresh: boolean }) {
  const box = useRef<HTMLElement>(null);
  // A new result comes into sight; one that was there before does not move the page.
  useEffect(() => {
    if (fresh) box.current?.scrollIntoView?.({ block: "nearest" });
  }, [outcome, fresh]);
  return (
    <section ref={box} className={`result ${outcome.ok ? "ok" : "failed"}`} aria-label="Result">
      <p className="result-head"><span className={outcome.ok ? "st connected" : "st error"}><Lamp shape={outcome.ok ? "disc" : "cross"} />{outcome.ok ? "ok" : "error"}</span>
        {outcome.reason ? <span>{outcome.reason.replaceAll("_", " ")}</span> : null}<span className="grow" /><FramesButton server={server} frame={outcome.frame} of={tool} /><span className="muted num">{duration(outcome.tookMs)}</span></p>
      {outcome.warning ? <p className="line warning" role="note" aria-label="Warning">{outcome.warning}</p> : null}
      {outcome.content.length === 0 ? <p className="muted">{outcome.ok ? "It returned nothing." : "It said nothing more."}</p> : null}
      {outcome.content.map((part, at) => <PartView key={at} part={part} of={tool} />)}
    </section>
  );
}

function PartView({ part, of }: { part: ChatContent; of: string }) {
  const about = [part.name, part.uri, part.mimeType].filter(Boolean).join(" · ");
  // Media come from our own handler, nothing else is loaded.
  const media = /^\/media\/[0-9a-f]+$/.test(part.url);
  if (media && part.kind === "image") return <Picture part={part} of={of} />;
  if (media && part.kind === "audio") return <Player part={part} of={of} />;
  const text = part.text || part.json;
  const value = parsed(text);
  return (
    <div className="result-part">
      {about || part.kind !== "text" ? <p className="muted result-about"><span>{part.kind.replaceAll("_", " ")}</span> <span className="mono">{about}</span></p> : null}
      {value !== undefined ? <div className="result-json"><JsonTree value={value} label="Returned JSON" open={2} /></div> : text ? <LongText text={text} /> : null}
    </div>
  );
}

/** The object or list a text holds; plain text, numbers and words stay text. */
function parsed(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function LongText({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const long = text.length > CUT_CHARS;
  return <>
    <pre tabIndex={0} aria-label="Returned text">{long && !all ? `${text.slice(0, CUT_CHARS)}…` : text}</pre>
    {long ? <button type="button" className="btn ghost" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}</button> : null}
  </>;
}

function Picture({ part, of }: { part: ChatContent; of: string }) {
  const [broken, setBroken] = useState(false);
  const what = part.name || `Image from ${of}`;
  return broken ? <p className="muted">{what} ({part.mimeType || "unknown type"}) cannot be shown here.</p>
    : <img className="media" src={part.url} alt={what} loading="lazy" onError={() => setBroken(true)} />;
}

/** WebKitGTK's media element reads no scheme of an application's own: the bytes are fetched and
 *  played from memory. */
function Player({ part, of }: { part: ChatContent; of: string }) {
  const [source, setSource] = useState("");
  const [broken, setBroken] = useState(false);
  const what = part.name || `Audio from ${of}`;
  useEffect(() => {
    const stop = new AbortController();
    let made = "";
    fetch(part.url, { signal: stop.signal })
      .then((answer) => { if (!answer.ok) throw new Error(`status ${answer.status}`); return answer.blob(); })
      .then((bytes) => { if (!stop.signal.aborted) setSource(made = URL.createObjectURL(bytes)); })
      .catch(() => { if (!stop.signal.aborted) setBroken(true); });
    return () => { stop.abort(); if (made) URL.revokeObjectURL(made); };
  }, [part.url]);
  if (broken) return <p className="muted">{what} ({part.mimeType || "unknown type"}) cannot be played here.</p>;
  return source ? <audio className="media" controls preload="metadata" src={source} aria-label={what} onError={() => setBroken(true)} /> : <p className="muted">Loading {what}…</p>;
}
