import { useEffect, useState } from "react";
import { X } from "lucide-react";
import { IconButton } from "./icon-button";

interface Line { id: number; text: string; error: boolean; undo?: () => void }

/** How long a line that is no error stays. */
const STAY_MS = 10_000;

/** Lines at the bottom of the window that say what went wrong or can be undone. An error stays
 *  until it is dismissed; the others go by themselves, but not while somebody is at them. */
export function Toasts({ toasts, onDismiss }: { toasts: readonly Line[]; onDismiss: (id: number) => void }) {
  const [held, setHeld] = useState(false);
  return (
    <div className="toasts" role="status" aria-label="Messages" aria-live="polite" onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)} onBlur={() => setHeld(false)}>
      {toasts.map((each) => <Toast key={each.id} line={each} held={held} onDismiss={() => onDismiss(each.id)} />)}
    </div>
  );
}

function Toast({ line, held, onDismiss }: { line: Line; held: boolean; onDismiss: () => void }) {
  useEffect(() => {
    if (line.error || held) return;
    const timer = setTimeout(onDismiss, STAY_MS);
    return () => clearTimeout(timer);
    // onDismiss is new with each drawing; it does the same.
  }, [line, held]);
  return (
    <div className={line.error ? "toast error" : "toast"}>
      <span>{line.error ? <b>Error: </b> : null}{line.text}</span>
      {line.undo ? <button type="button" className="btn" onClick={() => { line.undo?.(); onDismiss(); }}>Undo</button> : null}
      <IconButton label="Dismiss" icon={X} onClick={onDismiss} />
    </div>
  );
}
