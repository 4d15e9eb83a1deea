import { Plus, X } from "lucide-react";
import { useId, useState, type ReactNode } from "react";
import { IconButton } from "./icon-button";
import { same, startOf, fits, Unread, type Field, type Part } from "./schema-form-model";

/** What every field of the form is told. */
interface Props<F> { field: F; label: string; value: unknown; required: boolean; path: string; help: string; problems: ReadonlyMap<string, string>; titles?: boolean | undefined; onChange: (value: unknown) => void }

/** A form made from a schema; with titles, fields are called by their titles and not by their names. What it cannot draw gets a field for JSON. Names and
 *  descriptions come from a server: they are drawn as text. */
export function SchemaForm({ field, value, problems, titles, onChange }: {
  field: Field; value: unknown; problems: ReadonlyMap<string, string>; titles?: boolean; onChange: (value: unknown) => void;
}) {
  if (field.kind === "object" && field.parts.length === 0) return titles ? null : <p className="muted">It takes no arguments.</p>;
  if (field.kind === "object") return <div className="schema-form"><Parts parts={field.parts} value={value} path="" problems={problems} titles={titles} onChange={onChange} /></div>;
  return <div className="schema-form"><AnyField field={field} label="Arguments" value={value} required path="" help="" problems={problems} onChange={onChange} /></div>;
}

function Parts({ parts, value, path, problems, titles, onChange }: {
  parts: readonly Part[]; value: unknown; path: string; problems: ReadonlyMap<string, string>; titles?: boolean | undefined; onChange: (value: unknown) => void;
}) {
  const now = typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
  return <>{parts.map((part) => (
    <AnyField key={part.name} field={part.field} label={(titles && part.title) || part.name} titles={titles} value={Object.hasOwn(now, part.name) ? now[part.name] : undefined} required={part.required} path={`${path}/${part.name}`}
      help={[titles ? "" : part.title, part.description].filter(Boolean).join(". ")} problems={problems} onChange={(next) => onChange(put(now, part.name, next))} />
  ))}</>;
}

/** A copy with one property set, or left out for undefined. */
function put(value: Record<string, unknown>, name: string, next: unknown): Record<string, unknown> {
  const entries = Object.entries(value).filter(([each]) => each !== name);
  const at = Object.keys(value).indexOf(name);
  if (next !== undefined) entries.splice(at < 0 ? entries.length : at, 0, [name, next]);
  return Object.fromEntries(entries);
}

function AnyField({ field, ...rest }: Props<Field>): ReactNode {
  switch (field.kind) {
    case "text": return <TextField field={field} {...rest} />;
    case "number": return <NumberField field={field} {...rest} />;
    case "boolean": return <Choose {...rest} options={[true, false]} labels={rest.titles ? ["Yes", "No"] : undefined} />;
    case "enum": return <Choose {...rest} options={field.options} labels={field.labels} />;
    case "picks": return <Picks field={field} {...rest} />;
    case "const": return <Choose {...rest} options={[field.value]} />;
    case "null": return <Choose {...rest} options={[null]} />;
    case "array": return <ListField field={field} {...rest} />;
    case "object": return <ObjectField field={field} {...rest} />;
    case "choice": return <ChoiceField field={field} {...rest} />;
    case "json": return <JsonField {...rest} />;
  }
}

/** A label, its control, what it means and what is wrong with it. */
function Frame({ label, required, help, path, problems, kind, titles, children }: {
  titles?: boolean | undefined; label: string; required: boolean; help: string; path: string; problems: ReadonlyMap<string, string>; kind?: string;
  children: (props: { id: string; "aria-describedby": string | undefined; "aria-invalid": true | undefined; "aria-required": true | undefined }) => ReactNode;
}) {
  const id = useId();
  const problem = problems.get(path);
  const described = [problem ? `${id}p` : "", help ? `${id}h` : ""].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id} className="field-name"><span className={titles ? undefined : "mono"}>{label}</span>{required ? <span className="required" aria-hidden="true">*</span> : null}{kind ? <span className="field-kind" aria-hidden="true">{kind}</span> : null}</label>
      {children({ id, "aria-describedby": described || undefined, "aria-invalid": problem ? true : undefined, "aria-required": required ? true : undefined })}
      {problem ? <p id={`${id}p`} className="field-error">{label} {problem}</p> : null}
      {help ? <p id={`${id}h`} className="field-help">{help}</p> : null}
    </div>
  );
}

const INPUTS: Record<string, string> = { date: "date", time: "time", email: "email", uri: "url" };

function TextField({ field, value, onChange, ...frame }: Props<Field & { kind: "text" }>) {
  const [multi, setMulti] = useState(field.multi);
  const text = typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value);
  // An empty optional field is left out; an empty required one was cleared, and is asked for.
  const set = (next: string) => onChange(next === "" ? undefined : next);
  return (
    <Frame {...frame} kind={field.format || undefined}>{(props) => multi || text.includes("\n")
      ? <textarea {...props} rows={Math.min(10, Math.max(3, text.split("\n").length))} value={text} onChange={(e) => set(e.target.value)} />
      : <input {...props} type={INPUTS[field.format] ?? "text"} value={text} spellCheck={false} autoComplete="off" onChange={(e) => set(e.target.value)}
          onPaste={(e) => {
            // A one-line field would lose the line ends.
            const pasted = e.clipboardData.getData("text/plain");
            if (!pasted.includes("\n") || field.format !== "") return;
            e.preventDefault();
            const { selectionStart, selectionEnd } = e.currentTarget;
            setMulti(true);
            set(text.slice(0, selectionStart ?? text.length) + pasted + text.slice(selectionEnd ?? text.length));
          }} />}</Frame>
  );
}

function NumberField({ field, value, onChange, ...frame }: Props<Field & { kind: "number" }>) {
  const [typed, setTyped] = useState("");
  const now = value instanceof Unread ? value.text : value === undefined ? "" : String(value);
  // "1." is 1 already, and may become 1.5: what was typed stays while it means the value.
  const text = typed.trim() !== "" && value !== undefined && !(value instanceof Unread) && Number(typed) === value ? typed : now;
  return (
    <Frame {...frame} kind={field.integer ? "integer" : "number"}>{(props) => (
      <input {...props} inputMode={field.integer ? "numeric" : "decimal"} autoComplete="off" value={text} onChange={(e) => {
        const next = e.target.value;
        setTyped(next);
        const read = Number(next.trim());
        onChange(next.trim() === "" ? undefined : Number.isFinite(read) ? read : new Unread(next));
      }} />)}</Frame>
  );
}

function Choose({ value, onChange, options, labels, ...frame }: Omit<Props<Field>, "field"> & { options: readonly unknown[]; labels?: readonly string[] | undefined }) {
  const at = options.findIndex((each) => same(each, value));
  return (
    <Frame {...frame}>{(props) => (
      <select {...props} value={value === undefined ? "" : String(at)} onChange={(e) => onChange(e.target.value === "" ? undefined : options[Number(e.target.value)])}>
        {!frame.required || value === undefined ? <option value="">not set</option> : null}
        {value !== undefined && at < 0 ? <option value="-1">{JSON.stringify(value)}</option> : null}
        {options.map((each, i) => <option key={i} value={String(i)}>{labels?.[i] ?? (typeof each === "string" ? each : JSON.stringify(each))}</option>)}
      </select>)}</Frame>
  );
}

/** Some of a few: one box for each. */
function Picks({ field, titles, label, value, required, path, help, problems, onChange }: Props<Field & { kind: "picks" }>) {
  const picked: readonly unknown[] = Array.isArray(value) ? value : [];
  const has = (option: unknown) => picked.some((each) => same(each, option));
  const toggle = (option: unknown) => {
    const next = field.options.filter((each) => same(each, option) !== has(each));
    onChange(next.length === 0 && !required ? undefined : next);
  };
  return (
    <Group label={label} titles={titles} required={required} help={help} problem={problems.get(path)}>
      <div className="picks">{field.options.map((each, at) => (
        <label key={at}><input type="checkbox" checked={has(each)} onChange={() => toggle(each)} />{field.labels[at]}</label>
      ))}</div>
    </Group>
  );
}

function Group({ label, titles, required, help, problem, children }: { titles?: boolean | undefined; label: string; required: boolean; help: string; problem: string | undefined; children: ReactNode }) {
  return (
    <fieldset className="field-group"><legend><span className={titles ? undefined : "mono"}>{label}</span>{required ? <span className="required" aria-hidden="true">*</span> : null}</legend>
      {help ? <p className="field-help">{help}</p> : null}
      {problem ? <p className="field-error">{label} {problem}</p> : null}
      {children}
    </fieldset>
  );
}

function ListField({ field, label, value, required, path, help, problems, onChange }: Props<Field & { kind: "array" }>) {
  const items: readonly unknown[] = Array.isArray(value) ? value : [];
  return (
    <Group label={label} required={required} help={help} problem={problems.get(path)}>
      {items.map((each, at) => (
        <div className="field-item" key={at}>
          <AnyField field={field.item} label={`${label} ${at + 1}`} value={each} required path={`${path}/${at}`} help="" problems={problems}
            onChange={(next) => onChange(items.map((old, i) => (i === at ? next : old)))} />
          <IconButton label={`Remove ${label} ${at + 1}`} title="Remove" icon={X} onClick={() => {
            const rest = items.filter((_, i) => i !== at);
            onChange(rest.length === 0 && !required ? undefined : rest);
          }} />
        </div>
      ))}
      <button type="button" className="btn ghost add" aria-label={`Add to ${label}`} onClick={() => onChange([...items, field.start])}><Plus aria-hidden="true" size={13} /> Add</button>
    </Group>
  );
}

function ObjectField({ field, label, value, required, path, help, problems, onChange }: Props<Field & { kind: "object" }>) {
  const set = value !== undefined;
  return (
    <Group label={label} required={required} help={help} problem={problems.get(path)}>
      {set || required ? <Parts parts={field.parts} value={value} path={path} problems={problems} onChange={onChange} /> : null}
      {!required ? <button type="button" className="btn ghost add" aria-label={`${set ? "Leave out" : "Set"} ${label}`} onClick={() => onChange(set ? undefined : startOf(field, undefined, true))}>{set ? null : <Plus aria-hidden="true" size={13} />} {set ? "Leave out" : "Set"}</button> : null}
    </Group>
  );
}

function ChoiceField({ field, label, value, required, path, help, problems, onChange }: Props<Field & { kind: "choice" }>) {
  const [picked, setPicked] = useState(0);
  const found = value === undefined ? picked : field.options.findIndex((each) => fits(each.field, value));
  const fitsPicked = value !== undefined && field.options[picked] !== undefined && fits(field.options[picked].field, value);
  const at = fitsPicked ? picked : Math.max(0, found);
  const open = field.options[at];
  return (
    <Group label={label} required={required} help={help} problem={undefined}>
      <select aria-label={`Kind of ${label}`} value={String(at)} onChange={(e) => {
        const next = Number(e.target.value);
        setPicked(next);
        const to = field.options[next];
        onChange(to ? startOf(to.field, undefined, true) : undefined);
      }}>{field.options.map((each, i) => <option key={i} value={String(i)}>{each.label}</option>)}</select>
      {open ? <AnyField key={at} field={open.field} label={label} value={value} required={required} path={path} help="" problems={problems} onChange={onChange} /> : null}
    </Group>
  );
}

/** Any JSON; what cannot be read yet stays as it was typed. */
function JsonField({ value, onChange, ...frame }: Omit<Props<Field>, "field">) {
  const [typed, setTyped] = useState<{ text: string; value: unknown }>();
  const text = typed && Object.is(typed.value, value) ? typed.text : value instanceof Unread ? value.text : value === undefined ? "" : JSON.stringify(value, null, 2);
  return (
    <Frame {...frame} kind="JSON">{(props) => (
      <textarea {...props} className="mono" rows={Math.min(12, Math.max(3, text.split("\n").length))} spellCheck={false} placeholder="JSON" value={text} onChange={(e) => {
        const next = read(e.target.value);
        setTyped({ text: e.target.value, value: next });
        onChange(next);
      }} />)}</Frame>
  );
}

function read(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return new Unread(text);
  }
}
