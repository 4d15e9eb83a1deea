import { createContext, isValidElement, memo, use, useEffect, useState, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { blocks } from "./blocks";
import { Highlighter, type Piece } from "./highlight";

// Pictures would load from the network by themselves; raw HTML is shown as the text it is.
const schema = { ...defaultSchema, tagNames: (defaultSchema.tagNames ?? []).filter((tag) => tag !== "img") };
const REMARK = [remarkGfm];
const REHYPE: [typeof rehypeSanitize, typeof schema][] = [[rehypeSanitize, schema]];

const Link = createContext<(url: string) => void>(() => {});
const Colours = createContext(new Highlighter());

/** Markdown of a model: sanitised, links only ever open through onLink. While it is live only
 *  its last block is parsed again as it grows. */
export const Markdown = memo(function Markdown({ text, live, onLink }: { text: string; live: boolean; onLink: (url: string) => void }) {
  const parts = blocks(text);
  return (
    <Link value={onLink}>
      <div className="markdown">{parts.map((each, at) => <Block key={at} text={each} live={live && at === parts.length - 1} />)}</div>
    </Link>
  );
});

const Block = memo(function Block({ text, live }: { text: string; live: boolean }) {
  return <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={live ? GROWING : DONE}>{text}</ReactMarkdown>;
});

function Anchor({ href, children }: { href?: string; children?: ReactNode }) {
  const onLink = use(Link);
  if (!/^https?:\/\//i.test(href ?? "")) return <span>{children}</span>;
  return <a href={href} title={href} onClick={(e) => { e.preventDefault(); onLink(href ?? ""); }} onAuxClick={(e) => e.preventDefault()}>{children}</a>;
}

/** A code block, coloured once it is whole. */
function Code({ children }: { children?: ReactNode }) {
  const inner = isValidElement<{ className?: string; children?: ReactNode }>(children) ? children.props : {};
  const text = typeof inner.children === "string" ? inner.children.replace(/\n$/, "") : "";
  const lang = /language-([\w+#-]+)/.exec(inner.className ?? "")?.[1]?.toLowerCase() ?? "";
  const highlighter = use(Colours);
  const [done, setDone] = useState<{ text: string; lines: Piece[][] }>();
  useEffect(() => {
    let over = false;
    if (text !== "" && lang !== "") void highlighter.colour(text, lang).then((lines) => { if (lines && !over) setDone({ text, lines }); });
    return () => { over = true; };
  }, [highlighter, text, lang]);
  if (done?.text !== text) return <pre tabIndex={0}>{children}</pre>;
  return (
    <pre tabIndex={0}><code>{done.lines.map((line, at) => (
      <span key={at}>{line.map((each, i) => (each.color ? <span key={i} style={{ color: each.color }}>{each.text}</span> : each.text))}{"\n"}</span>
    ))}</code></pre>
  );
}

const GROWING: Components = { a: ({ href, children }) => <Anchor href={href}>{children}</Anchor> };
const DONE: Components = { ...GROWING, pre: ({ children }) => <Code>{children}</Code> };
