import { createContext, memo, use, useEffect, useMemo, useState } from "react";
import { CopyButton } from "./copy-button";
import { Highlighter, type Piece } from "./highlight";

/** The highlighter of the page around. */
export const Colours = createContext(new Highlighter());

/** What is only scrolled past is not coloured. */
const REST_MS = 120;

/** A block of code with its language and a button to copy it. It is coloured once it is whole;
 *  while it grows only its last portion is drawn again. */
export const CodeBlock = memo(function CodeBlock({ portions, lang, open }: { portions: readonly string[]; lang: string; open: boolean }) {
  const text = useMemo(() => (open ? "" : portions.join("").replace(/\n$/, "")), [portions, open]);
  const highlighter = use(Colours);
  const [done, setDone] = useState<{ text: string; lines: Piece[][] }>();
  useEffect(() => {
    let over = false;
    if (text === "" || lang === "") return;
    const rest = setTimeout(() => void highlighter.colour(text, lang.toLowerCase()).then((lines) => { if (lines && !over) setDone({ text, lines }); }), REST_MS);
    return () => { over = true; clearTimeout(rest); };
  }, [highlighter, text, lang]);
  return (
    <div className={lang ? "code" : "code bare"}>
      <div className="code-head"><span className="muted">{lang}</span><span className="grow" />
        <CopyButton label="Copy code" text={() => portions.join("").replace(/\n$/, "")} /></div>
      <pre tabIndex={0}><code>{done && done.text === text && !open
        ? done.lines.map((line, at) => <Line key={at} line={line} />)
        : portions.map((each, at) => <Portion key={at} text={each} />)}</code></pre>
    </div>
  );
}, (a, b) => a.lang === b.lang && a.open === b.open && a.portions.length === b.portions.length && a.portions.every((each, at) => each === b.portions[at]));

const Portion = memo(function Portion({ text }: { text: string }) {
  return <span className="portion">{text}</span>;
});

function Line({ line }: { line: Piece[] }) {
  return <span>{line.map((each, at) => (each.color ? <span key={at} style={{ color: each.color }}>{each.text}</span> : each.text))}{"\n"}</span>;
}
