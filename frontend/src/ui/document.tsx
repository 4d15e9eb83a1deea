import { Suspense, useMemo, useState } from "react";
import { portioned } from "./blocks";
import { bytes } from "./bytes";
import { JsonTree } from "./json-tree";
import { lazily } from "./lazily";
import { Player } from "./player";

const Markdown = lazily(() => import("./markdown"), "Markdown");
const CodeBlock = lazily(async () => ({ CodeBlock: (await import("./code-block")).CodeBlock }), "CodeBlock");

/** A text, a picture, a recording, or bytes of which only the size is known. */
export interface Shown { kind: string; text: string; mimeType: string; url: string; uri: string; name: string; json: string; size?: number }

/** More characters are shown when asked for. */
const CUT_CHARS = 60_000;
/** Longer JSON is shown as text: a tree of it would hold up the page. */
const TREE_CHARS = 1_000_000;

const LANGS: Record<string, string> = {
  js: "javascript", mjs: "javascript", ts: "typescript", tsx: "tsx", jsx: "tsx", go: "go", py: "python", rs: "rust", java: "java", c: "c", h: "c", css: "css",
  html: "html", xml: "xml", svg: "xml", sh: "bash", sql: "sql", toml: "toml", yaml: "yaml", yml: "yaml", diff: "diff", patch: "diff",
};
const MIMES: Record<string, string> = {
  "text/html": "html", "text/xml": "xml", "application/xml": "xml", "text/css": "css", "text/javascript": "javascript", "application/javascript": "javascript",
  "text/x-python": "python", "text/x-go": "go", "application/yaml": "yaml", "text/yaml": "yaml", "application/sql": "sql", "text/x-diff": "diff", "application/toml": "toml",
};

/** How a text is read best. */
export function reading(doc: Shown): { as: "markdown" | "json" | "code" | "plain"; lang: string } {
  const mime = doc.mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
  const ending = /\.([a-z0-9]{1,8})$/i.exec(doc.uri.split(/[?#]/)[0] ?? "")?.[1]?.toLowerCase() ?? "";
  if (mime === "text/markdown" || mime === "text/x-markdown" || (mime === "" || mime === "text/plain") && (ending === "md" || ending === "markdown")) return { as: "markdown", lang: "" };
  if (/[/+]json$/.test(mime) || ending === "json" || mime === "" && /^\s*[[{]/.test(doc.text)) return { as: "json", lang: "json" };
  const lang = MIMES[mime] ?? (Object.hasOwn(LANGS, ending) ? LANGS[ending] ?? "" : "");
  return lang ? { as: "code", lang } : { as: "plain", lang: "" };
}

/** One document, as its kind is read best. Media come from our own handler; nothing else is loaded. */
export function Document({ doc, label }: { doc: Shown; label: string }) {
  const media = /^\/media\/[0-9a-f]+$/.test(doc.url);
  if (media && doc.kind === "image") return <Picture url={doc.url} label={label} type={doc.mimeType} />;
  if (media && doc.kind === "audio") return <Sound url={doc.url} label={label} type={doc.mimeType} />;
  const text = doc.text || doc.json;
  if (text) return <TextView doc={doc} text={text} label={label} />;
  return <p className="muted doc-note">{doc.size ? `Binary${doc.mimeType ? ` (${doc.mimeType})` : ""}, ${bytes(doc.size)}: not shown here.` : "It is empty."}</p>;
}

function TextView({ doc, text, label }: { doc: Shown; text: string; label: string }) {
  const [source, setSource] = useState(false);
  const [all, setAll] = useState(false);
  const { as, lang } = useMemo(() => reading(doc), [doc]);
  const value = useMemo(() => (as === "json" && text.length <= TREE_CHARS ? parsed(text) : undefined), [as, text]);
  const cut = text.length > CUT_CHARS && !all && value === undefined;
  const shown = cut ? text.slice(0, CUT_CHARS) : text;
  const rendered = as === "markdown" || value !== undefined;
  return (
    <div className="doc">
      {rendered ? <button type="button" className="btn ghost doc-source" aria-pressed={source} onClick={() => setSource(!source)}>Source</button> : null}
      {source && rendered ? <pre tabIndex={0} aria-label={`Source of ${label}`}>{shown}</pre> : <View as={as} lang={lang} text={shown} value={value} label={label} />}
      {cut ? <button type="button" className="btn ghost" onClick={() => setAll(true)}>Show all {text.length.toLocaleString("en")} characters</button> : null}
    </div>
  );
}

function View({ as, lang, text, value, label }: { as: ReturnType<typeof reading>["as"]; lang: string; text: string; value: unknown; label: string }) {
  const plain = <pre tabIndex={0} aria-label={label}>{text}</pre>;
  if (value !== undefined) return <div className="doc-json"><JsonTree value={value} label={label} open={2} /></div>;
  switch (as) {
    case "markdown": return <Suspense fallback={plain}><Markdown text={text} live={false} /></Suspense>;
    case "code": return <Suspense fallback={plain}><CodeBlock portions={portioned(text)} lang={lang} open={false} /></Suspense>;
    default: return plain;
  }
}

function parsed(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function Picture({ url, label, type }: { url: string; label: string; type: string }) {
  const [broken, setBroken] = useState(false);
  return broken ? <p className="muted doc-note">{label} ({type || "unknown type"}) cannot be shown here.</p>
    : <img className="doc-media" src={url} alt={label} decoding="async" onError={() => setBroken(true)} />;
}

function Sound({ url, label, type }: { url: string; label: string; type: string }) {
  const [broken, setBroken] = useState(false);
  return broken ? <p className="muted doc-note">{label} ({type || "unknown type"}) cannot be played here.</p> : <Player url={url} label={label} onFail={() => setBroken(true)} />;
}
