import { use, useEffect, useState } from "react";
import { ActionsContext } from "./actions";

/** How long the button says that it did its work. */
const SAYS_MS = 1500;

/** Copies what text returns; label is its accessible name. It is not there where nothing can be copied. */
export function CopyButton({ label, word = "Copy", text }: { label: string; word?: string; text: () => string }) {
  const { onCopy } = use(ActionsContext);
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), SAYS_MS);
    return () => clearTimeout(timer);
  }, [done]);
  if (!onCopy) return null;
  return <button type="button" className="quiet-btn" aria-label={label} onClick={() => { onCopy(text()); setDone(true); }}>{done ? "Copied" : word}</button>;
}
