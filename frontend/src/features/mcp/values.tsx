import { Eye, EyeOff, Plus, X } from "lucide-react";
import { useId, useRef, useState } from "react";
import type { NamedValue } from "../../contract/types";
import { IconButton } from "../../ui/icon-button";

/** Names and values, the values masked until Show is pressed; stored ones never come here. */
export function Values({ label, values, problems, onChange, onBlur }: {
  label: string; values: readonly NamedValue[]; problems: ReadonlyMap<number, string>; onChange: (values: NamedValue[]) => void; onBlur: (at: number) => void;
}) {
  const [shown, setShown] = useState<ReadonlySet<number>>(new Set());
  const id = useId();
  const list = useRef<HTMLFieldSetElement>(null);
  const put = (at: number, part: Partial<NamedValue>) => onChange(values.map((each, i) => (i === at ? { ...each, ...part } : each)));
  const toggle = (at: number) => {
    const next = new Set(shown);
    if (!next.delete(at)) next.add(at);
    setShown(next);
  };
  const remove = (at: number) => {
    setShown(new Set([...shown].filter((each) => each !== at).map((each) => (each > at ? each - 1 : each))));
    onChange(values.filter((_, i) => i !== at));
  };
  const add = () => {
    onChange([...values, { name: "", value: "", hasValue: false }]);
    // The new row is drawn by then.
    setTimeout(() => list.current?.querySelector<HTMLElement>(".value-row:last-of-type input")?.focus(), 0);
  };
  return (
    <fieldset className="values" ref={list}><legend>{label}</legend>
      {values.map((each, at) => {
        const problem = problems.get(at);
        return (
          <div className="value-row" key={at}>
            <input className="mono" aria-label={`${label} name ${at + 1}`} placeholder="NAME" value={each.name} spellCheck={false} autoComplete="off" aria-invalid={problem ? true : undefined}
              aria-describedby={problem ? `${id}${at}` : undefined} onChange={(e) => put(at, { name: e.target.value })} onBlur={() => onBlur(at)} />
            <span className="masked">
              <input className="mono" type={shown.has(at) ? "text" : "password"} aria-label={`${label} value ${at + 1}`} placeholder={each.hasValue ? "stored; empty keeps it" : "value or ${env:NAME}"} value={each.value}
                spellCheck={false} autoComplete="off" onChange={(e) => put(at, { value: e.target.value })} />
              <IconButton label={`${shown.has(at) ? "Hide" : "Show"} ${label} value ${at + 1}`} title={shown.has(at) ? "Hide" : "Show"} icon={shown.has(at) ? EyeOff : Eye} pressed={shown.has(at)} onClick={() => toggle(at)} />
            </span>
            <IconButton label={`Remove ${label} ${each.name || at + 1}`} title="Remove" icon={X} onClick={() => remove(at)} />
            {problem ? <p id={`${id}${at}`} className="field-error">{problem}</p> : null}
          </div>
        );
      })}
      <button type="button" className="btn ghost add" aria-label="+ Add entry" onClick={add}><Plus aria-hidden="true" size={13} /> Add entry</button>
    </fieldset>
  );
}
