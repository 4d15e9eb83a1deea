import { useState, type ReactNode } from "react";

/** Longer strings are cut; "Show all" brings the rest. */
const CUT_CHARS = 400;
/** More children than this are folded into slices. */
const SLICE = 100;

/** A JSON value to look into: objects and arrays fold, open says how many levels are open at
 *  first. What is folded is not in the page. Everything is drawn as text. */
export function JsonTree({ value, label, open = 1 }: { value: unknown; label: string; open?: number }) {
  return <div className="json mono" role="group" aria-label={label}><Node value={value} open={open} /></div>;
}

function Node({ name, value, open }: { name?: string; value: unknown; open: number }) {
  const key = name === undefined ? null : <span className="json-key">{name}</span>;
  if (value === null || typeof value !== "object") return <div className="json-leaf">{key}<Scalar value={value} /></div>;
  const array = Array.isArray(value);
  const children: [string, unknown][] = array ? value.map((each, at) => [String(at), each]) : Object.entries(value);
  if (children.length === 0) return <div className="json-leaf">{key}<span className="json-count">{array ? "[]" : "{}"}</span></div>;
  const size = array ? `[${children.length.toLocaleString("en")}]` : `{${children.length.toLocaleString("en")}}`;
  return (
    <Fold open={open > 0} head={<>{key}<span className="json-count">{size}</span><Glance children={children} array={array} /></>}>
      {() => <Children all={children} open={open - 1} />}
    </Fold>
  );
}

/** The children, in slices where there are very many. */
function Children({ all, open }: { all: [string, unknown][]; open: number }) {
  if (all.length <= SLICE) return <>{all.map(([name, value]) => <Node key={name} name={name} value={value} open={open} />)}</>;
  const starts = Array.from({ length: Math.ceil(all.length / SLICE) }, (_, at) => at * SLICE);
  return <>{starts.map((from) => {
    const part = all.slice(from, from + SLICE);
    return (
      <Fold key={from} open={from === 0} head={<span className="json-count">{from.toLocaleString("en")} … {(from + part.length - 1).toLocaleString("en")}</span>}>
        {() => part.map(([name, value]) => <Node key={name} name={name} value={value} open={open} />)}
      </Fold>
    );
  })}</>;
}

/** A native disclosure whose content is drawn while it is open. */
function Fold({ head, open, children }: { head: ReactNode; open: boolean; children: () => ReactNode }) {
  const [shown, setShown] = useState(open);
  return (
    <details open={shown} onToggle={(e) => { if (e.target === e.currentTarget) setShown(e.currentTarget.open); }}>
      <summary>{head}</summary>
      {shown ? <div className="json-children">{children()}</div> : null}
    </details>
  );
}

/** What a folded value begins with. */
function Glance({ children, array }: { children: [string, unknown][]; array: boolean }) {
  const text = children.slice(0, 4).map(([name, value]) => {
    const short = value === null || typeof value !== "object" ? clipped(JSON.stringify(value) ?? "") : Array.isArray(value) ? "[…]" : "{…}";
    return array ? short : `${clipped(name)}: ${short}`;
  }).join(", ");
  return <span className="json-glance" aria-hidden="true">{text}{children.length > 4 ? ", …" : ""}</span>;
}

function clipped(text: string): string {
  return text.length > 24 ? `${text.slice(0, 24)}…` : text;
}

function Scalar({ value }: { value: unknown }) {
  const [all, setAll] = useState(false);
  if (typeof value !== "string") return <span className={`json-${value === null ? "null" : typeof value}`}>{String(value)}</span>;
  const long = value.length > CUT_CHARS;
  return <>
    <span className="json-string">{JSON.stringify(long && !all ? value.slice(0, CUT_CHARS) : value)}{long && !all ? "…" : ""}</span>
    {long ? <button type="button" className="json-more" aria-expanded={all} onClick={() => setAll(!all)}>{all ? "Show less" : `Show all ${value.length.toLocaleString("en")} characters`}</button> : null}
  </>;
}
