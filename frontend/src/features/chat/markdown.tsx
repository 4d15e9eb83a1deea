import { memo } from "react";
import ReactMarkdown from "react-markdown";
import rehypeSanitize, { defaultSchema } from "rehype-sanitize";
import remarkGfm from "remark-gfm";

// Pictures would load from the network by themselves; raw HTML is shown as the text it is.
const schema = { ...defaultSchema, tagNames: (defaultSchema.tagNames ?? []).filter((tag) => tag !== "img") };

/** Markdown of a model: sanitised, links only ever open through onLink. */
export const Markdown = memo(function Markdown({ text, onLink }: { text: string; onLink: (url: string) => void }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={[remarkGfm]} rehypePlugins={[[rehypeSanitize, schema]]}
        components={{
          a: ({ href, children }) => /^https?:\/\//i.test(href ?? "")
            ? <a href={href} title={href} onClick={(e) => { e.preventDefault(); onLink(href ?? ""); }}
              onAuxClick={(e) => e.preventDefault()}>{children}</a>
            : <span>{children}</span>,
        }}>
        {text}
      </ReactMarkdown>
    </div>
  );
});
