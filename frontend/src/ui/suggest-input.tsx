import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";

/** How long the typing rests before values are asked for. */
const REST_MS = 120;

/** What a label and a description give to a control. */
export interface Described { id?: string; "aria-describedby"?: string; "aria-invalid"?: true; "aria-required"?: true; "aria-label"?: string }

/** A field for text that offers values below it while it has the focus. ask may fail: then it
 *  offers nothing. Arrow keys choose, Enter and Tab take, Escape closes. */
export function SuggestInput({ value, onChange, ask, ...described }: Described & {
  value: string; onChange: (value: string) => void; ask: (value: string) => Promise<readonly string[]>;
}) {
  const [values, setValues] = useState<readonly string[]>([]);
  const [at, setAt] = useState(-1);
  const [focused, setFocused] = useState(false);
  const [closed, setClosed] = useState(false); // until the next key
  const list = useId();
  const latest = useRef(ask);
  latest.current = ask;
  useEffect(() => {
    if (!focused || closed) return;
    let over = false;
    const timer = setTimeout(() => {
      latest.current(value).then(
        (found) => { if (!over) { setValues(found.filter((each) => each !== value)); setAt(-1); } },
        () => { if (!over) setValues([]); });
    }, REST_MS);
    return () => { over = true; clearTimeout(timer); };
  }, [value, focused, closed]);
  const open = focused && !closed && values.length > 0;
  const take = (chosen: string) => { onChange(chosen); setClosed(true); setAt(-1); };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.nativeEvent.isComposing || e.keyCode === 229) return;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      setClosed(false);
      if (!open) return;
      e.preventDefault();
      const next = e.key === "ArrowDown" ? at + 1 : at - 1;
      setAt(next >= values.length ? -1 : next < -1 ? values.length - 1 : next);
    } else if (open && (e.key === "Enter" || e.key === "Tab") && values[at] !== undefined) {
      if (e.key === "Enter") e.preventDefault();
      take(values[at]);
    } else if (open && e.key === "Escape") {
      e.preventDefault();
      e.stopPropagation();
      setClosed(true);
    }
  };
  return (
    <span className="suggest">
      <input {...described} role="combobox" aria-autocomplete="list" aria-expanded={open} aria-controls={open ? list : undefined} aria-activedescendant={open && at >= 0 ? `${list}${at}` : undefined}
        spellCheck={false} autoComplete="off" value={value} onKeyDown={onKeyDown} onChange={(e) => { setClosed(false); onChange(e.target.value); }}
        onFocus={() => { setFocused(true); setClosed(false); }} onBlur={() => { setFocused(false); setAt(-1); }} />
      {open ? (
        <ul className="suggest-list" id={list} role="listbox" aria-label="Values">{values.map((each, i) => (
          <li key={each} id={`${list}${i}`} role="option" aria-selected={i === at} ref={i === at ? intoView : undefined}
            onMouseDown={(e) => { e.preventDefault(); take(each); }}>{each}</li>
        ))}</ul>
      ) : null}
    </span>
  );
}

function intoView(element: HTMLElement | null): void {
  element?.scrollIntoView?.({ block: "nearest" });
}
