import { memo, useRef } from "react";

/** Text is drawn in portions of about so many characters. */
const PORTION_CHARS = 4000;

/** Plain text that may be long and grow: only its last portion is drawn again. */
export function Growing({ text }: { text: string }) {
  const held = useRef<{ whole: string[]; size: number }>({ whole: [], size: 0 });
  const { current } = held;
  if (text.length < current.size) held.current = { whole: [], size: 0 };
  while (text.length - current.size > PORTION_CHARS) {
    const end = text.indexOf("\n", current.size + PORTION_CHARS);
    if (end < 0) break;
    current.whole.push(text.slice(current.size, end + 1));
    current.size = end + 1;
  }
  return <div className="growing">{current.whole.map((each, at) => <Portion key={at} text={each} />)}<Portion text={text.slice(current.size)} /></div>;
}

const Portion = memo(function Portion({ text }: { text: string }) {
  return <span className="portion">{text}</span>;
});
