import type { ChatContent } from "../../contract/types";
import { Diff } from "../../ui/diff";
import { isDiff } from "../../ui/diff-lines";
import { JsonTree } from "../../ui/json-tree";
import { contentsText, contentText, parsed } from "./call-text";
import { CopyButton } from "../../ui/copy-button";
import { isMedia, MediaPart } from "./media-part";
import { useOpened } from "./opened";

/** Longer texts are folded to their beginning. */
const FOLD_CHARS = 700;
const FOLD_LINES = 12;
/** More is not drawn: Copy has it all. */
const SHOW_CHARS = 100_000;

interface Place { of: string; itemKey: string; found: boolean }

/** What a call brought, each part as its kind is read best. */
export function Results({ content, ...place }: Place & { content: readonly ChatContent[] }) {
  // A result as data often comes as text too: shown once, as data.
  const structured = content.find((each) => each.json !== "" && each.text === "");
  const shown = content.filter((each) => !(structured && each !== structured && each.kind === "text" && same(each.text, structured.json)));
  const text = content.some((each) => !isMedia(each));
  return shown.length > 0 ? (
    <div className="results">
      {shown.map((each, at) => <Part key={`${at}${each.url}`} part={each} {...place} itemKey={`${place.itemKey} ${at}`} />)}
      {text ? <div className="results-copy"><CopyButton label={`Copy result of ${place.of}`} text={() => contentsText(content)} /></div> : null}
    </div>
  ) : null;
}

function Part({ part, ...place }: Place & { part: ChatContent }) {
  if (isMedia(part)) return <MediaPart part={part} of={place.of} />;
  if (part.kind === "resource_link" || part.kind === "resource" || part.uri) return <Resource part={part} {...place} />;
  if (part.text) return <Text text={part.text} {...place} />;
  if (part.json) return <Data json={part.json} {...place} />;
  return <p className="line muted">{contentText(part)}</p>;
}

/** A resource: where it is, and its text where it came along. */
function Resource({ part, ...place }: Place & { part: ChatContent }) {
  return (
    <div className="resource">
      <div className="resource-head"><span className="tag">{part.text ? "resource" : "link"}</span>
        {part.name ? <b>{part.name}</b> : null}<span className="mono muted uri">{part.uri}</span>
        {part.mimeType ? <span className="muted">{part.mimeType}</span> : null}</div>
      {part.text ? <Text text={part.text} {...place} /> : part.json ? <Data json={part.json} {...place} /> : null}
    </div>
  );
}

function Text({ text, ...place }: Place & { text: string }) {
  const value = /^\s*[[{]/.test(text) && text.length <= SHOW_CHARS ? parsed(text) : text;
  if (value !== null && typeof value === "object") return <Data json={text} {...place} />;
  return isDiff(text) ? <Diff label="Result" text={text} /> : <Folded text={text} {...place} />;
}

function Data({ json, ...place }: Place & { json: string }) {
  const value = parsed(json);
  return typeof value === "object" && value !== null
    ? <div className="result-tree"><JsonTree label="Result" value={value} open={place.found ? 9 : json.length > FOLD_CHARS ? 1 : 3} key={place.found ? "all" : ""} /></div>
    : <Folded text={String(value)} {...place} />;
}

function Folded({ text, itemKey, found }: Place & { text: string }) {
  const [opened, setOpen] = useOpened(itemKey, false);
  const open = opened || found;
  const head = beginning(text);
  const long = head.length < text.length;
  return (
    <div className="block">
      <pre aria-label="Result" tabIndex={0} className={long && !open ? "faded" : undefined}>{open ? text.slice(0, SHOW_CHARS) : head}</pre>
      {long ? <button type="button" className="fold-more" aria-expanded={open} onClick={() => setOpen(!open)}>
        {open ? "Show less" : `Show all ${text.length.toLocaleString("en")} characters`}</button> : null}
      {open && text.length > SHOW_CHARS ? <span className="muted">the first {SHOW_CHARS.toLocaleString("en")} are shown</span> : null}
    </div>
  );
}

/** What a folded text shows: some lines of it, all of it when little would be left. */
function beginning(text: string): string {
  let end = -1;
  for (let line = 0; line < FOLD_LINES; line++) {
    const next = text.indexOf("\n", end + 1);
    if (next < 0) { end = text.length; break; }
    end = next;
  }
  const cut = Math.min(end, FOLD_CHARS);
  return text.length - cut < 80 && text.indexOf("\n", cut + 1) < 0 ? text : text.slice(0, cut);
}

function same(text: string, json: string): boolean {
  return text === json || JSON.stringify(parsed(text)) === JSON.stringify(parsed(json));
}
