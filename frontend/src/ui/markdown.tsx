import { isValidElement, memo, use, useMemo, useRef, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { ActionsContext } from "./actions";
import { portioned, Splitter, type Block } from "./blocks";
import { CodeBlock } from "./code-block";

// Pictures would load from the network by themselves; raw HTML is shown as the text it is.
const schema = { ...defaultSchema, tagNames: (defaultSchema.tagNames ?? []).filter((tag) => tag !== "img") };
const REMARK = [remarkGfm];
const REHYPE: [typeof rehypeSanitize, typeof schema][] = [[rehypeSanitize, schema]];

/** Markdown of a model: sanitised, links only ever open through the actions around. While it is
 *  live only its last block is parsed again as it grows. */
export const Markdown = memo(function Markdown({ text, live }: { text: string; live: boolean }) {
  const splitter = useRef<Splitter>(undefined);
  splitter.current ??= new Splitter();
  const { groups, tail } = splitter.current.take(text, !live);
  return (
    <div className="markdown">
      {groups.map((each, at) => <Group key={at} blocks={each} />)}
      {tail.length > 0 ? <div className="md-part">{tail.map((each, at) => <One key={at} block={each} />)}</div> : null}
    </div>
  );
});

const Group = memo(function Group({ blocks }: { blocks: readonly Block[] }) {
  return <div className="md-part">{blocks.map((each, at) => <One key={at} block={each} />)}</div>;
});

const One = memo(function One({ block }: { block: Block }) {
  switch (block.kind) {
    case "text": return <Parsed text={block.text} />;
    case "code": return <CodeBlock portions={block.portions} lang={block.lang} open={block.open} />;
    case "table": return <Table head={block.head} portions={block.portions} />;
  }
});

const Parsed = memo(function Parsed({ text, components = PARTS }: { text: string; components?: Components }) {
  return <ReactMarkdown remarkPlugins={REMARK} rehypePlugins={REHYPE} components={components}>{text}</ReactMarkdown>;
});

/** A table whose rows are parsed in portions, each under the table's head. */
function Table({ head, portions }: { head: string; portions: readonly string[] }) {
  return (
    <Scroller>
      <Parsed text={head} components={HEAD} />
      {portions.map((each, at) => <Parsed key={at} text={head + each} components={ROWS} />)}
    </Scroller>
  );
}

function Scroller({ children }: { children?: ReactNode }) {
  return <div className="table" role="group" aria-label="Table" tabIndex={0}><table>{children}</table></div>;
}

function Anchor({ href, children }: { href?: string; children?: ReactNode }) {
  const { onLink } = use(ActionsContext);
  if (!/^https?:\/\//i.test(href ?? "")) return <span>{children}</span>;
  return <a href={href} title={href} onClick={(e) => { e.preventDefault(); onLink(href ?? ""); }} onAuxClick={(e) => e.preventDefault()}>{children}</a>;
}

/** A code block inside a text block, e.g. in a list. */
function Code({ children }: { children?: ReactNode }) {
  const inner = isValidElement<{ className?: string; children?: ReactNode }>(children) ? children.props : {};
  const text = typeof inner.children === "string" ? inner.children : "";
  const portions = useMemo(() => portioned(text), [text]);
  return <CodeBlock portions={portions} lang={/language-(\S+)/.exec(inner.className ?? "")?.[1] ?? ""} open={false} />;
}

const inside = ({ children }: { children?: ReactNode }) => <>{children}</>;
const nothing = () => null;
const PARTS: Components = {
  a: ({ href, children }) => <Anchor href={href}>{children}</Anchor>, pre: ({ children }) => <Code>{children}</Code>,
  table: ({ children }) => <Scroller>{children}</Scroller>,
};
const HEAD: Components = { ...PARTS, table: inside, tbody: nothing };
const ROWS: Components = { ...PARTS, table: inside, thead: nothing };
