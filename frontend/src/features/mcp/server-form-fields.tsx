import { useEffect, useId, useMemo, useState, type ReactNode, type RefObject } from "react";
import type { ServerForm } from "../../contract/types";
import { offerOf, problemsOf, TRANSPORTS } from "./server-form-rules";
import { Values } from "./values";
import { REVISIONS } from "./words";

/** The fields of a definition. What is wrong is said at a field once it was left, or on submit. */
export function Fields({ form, taken, first, submitted, onChange, onOffer }: {
  form: ServerForm; taken: readonly string[]; first: RefObject<HTMLInputElement | null>; submitted: boolean; onChange: (form: ServerForm) => void;
  onOffer: ((text: string) => void) | undefined;
}) {
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const problems = useMemo(() => problemsOf(form, taken), [form, taken]);
  const touch = (field: string) => { if (!left.has(field)) setLeft(new Set(left).add(field)); };
  const problem = (field: string) => (submitted || left.has(field) ? problems.find((each) => each.field === field)?.text : undefined);
  const set = (part: Partial<ServerForm>, field = "") => { if (field) touch(field); onChange({ ...form, ...part }); };
  const entries = new Map(problems.filter((each) => each.field.startsWith("entry ") && (submitted || left.has(each.field))).map((each) => [Number(each.field.slice(6)), each.text]));
  const stdio = form.type === "stdio";
  return (
    <div className="fields">
      <Field label="Name" problem={problem("name")} offer={<Offer text={form.name} skip="Use as a command line" onUse={onOffer} />}>{(props) => (
        <input {...props} ref={first} value={form.name} spellCheck={false} autoComplete="off" onBlur={() => { if (form.name) touch("name"); }} onChange={(e) => set({ name: e.target.value }, "name")} />)}</Field>
      <Transport type={form.type} problem={problem("type")} onChange={(type) => set({ type }, "type")} />
      {stdio ? <>
        <Field label="Command" problem={problem("command")} offer={<Offer text={form.args.length === 0 ? form.command : ""} onUse={onOffer} />}>{(props) => (
          <input {...props} className="mono" value={form.command} placeholder="npx" spellCheck={false} autoComplete="off" onBlur={() => touch("command")} onChange={(e) => set({ command: e.target.value }, "command")} />)}</Field>
        <Field label="Arguments, one per line">{(props) => (
          <textarea {...props} className="mono" rows={Math.min(8, Math.max(2, form.args.length + 1))} value={form.args.join("\n")} spellCheck={false}
            onChange={(e) => set({ args: e.target.value === "" ? [] : e.target.value.split("\n") })} />)}</Field>
        <Field label="Working folder">{(props) => (
          <input {...props} className="mono" placeholder="the workspace" value={form.cwd} spellCheck={false} autoComplete="off" onChange={(e) => set({ cwd: e.target.value })} />)}</Field>
        <Values label="Environment" values={form.env} problems={entries} onChange={(env) => set({ env })} onBlur={(at) => touch(`entry ${at}`)} />
      </> : <>
        <Field label="URL" problem={problem("url")}>{(props) => (
          <input {...props} className="mono" inputMode="url" placeholder="https://example.com/mcp" value={form.url} spellCheck={false} autoComplete="off" onBlur={() => touch("url")} onChange={(e) => set({ url: e.target.value }, "url")} />)}</Field>
        <Values label="Headers" values={form.headers} problems={entries} onChange={(headers) => set({ headers })} onBlur={(at) => touch(`entry ${at}`)} />
      </>}
      <Advanced form={form} problem={problem} onTouch={touch} onChange={set} />
    </div>
  );
}

/** What most definitions leave to their defaults: folded, unless it says something. */
function Advanced({ form, problem, onTouch, onChange }: {
  form: ServerForm; problem: (field: string) => string | undefined; onTouch: (field: string) => void; onChange: (part: Partial<ServerForm>) => void;
}) {
  const pinned = form.protocol === "auto" ? "" : form.protocol;
  const says = form.timeoutMs !== 0 || form.callTimeoutMs !== 0 || pinned !== "";
  const [open, setOpen] = useState(says);
  useEffect(() => { if (says) setOpen(true); }, [says]);
  return (
    <details className="advanced" open={open} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>Advanced</summary>
      <div className="advanced-fields">
        <Field label="Limit to connect, s" problem={problem("timeoutMs")}>{(props) => <Seconds {...props} ms={form.timeoutMs} fallback="30" onBlur={() => onTouch("timeoutMs")} onChange={(timeoutMs) => onChange({ timeoutMs })} />}</Field>
        <Field label="Limit of a call, s" problem={problem("callTimeoutMs")}>{(props) => <Seconds {...props} ms={form.callTimeoutMs} fallback="120" onBlur={() => onTouch("callTimeoutMs")} onChange={(callTimeoutMs) => onChange({ callTimeoutMs })} />}</Field>
        <Field label="Protocol">{(props) => (
          <select {...props} value={pinned} onChange={(e) => onChange({ protocol: e.target.value })}>
            <option value="">newest of both</option>
            {pinned && !(REVISIONS as readonly string[]).includes(pinned) ? <option value={pinned}>{pinned} (unknown)</option> : null}
            {REVISIONS.map((each) => <option key={each} value={each}>{each}</option>)}
          </select>)}</Field>
      </div>
    </details>
  );
}

/** A limit in seconds, kept in milliseconds; empty is the default, NaN what is no number. */
function Seconds({ ms, fallback, onBlur, onChange, ...rest }: ControlProps & { ms: number; fallback: string; onBlur: () => void; onChange: (ms: number) => void }) {
  // What is typed stays as it is typed: 0.0 may be on its way to 0.05.
  const [typed, setTyped] = useState("");
  const value = Number.isNaN(ms) || inMs(typed) === ms ? typed : String(ms / 1000);
  return <input {...rest} type="number" min="0" step="any" placeholder={fallback} value={value}
    onBlur={() => { if (ms === 0) setTyped(""); onBlur(); }}
    onChange={(e) => { setTyped(e.target.value); onChange(e.target.validity.badInput ? Number.NaN : inMs(e.target.value)); }} />;
}

function inMs(seconds: string): number {
  return Math.round(Number(seconds) * 1000);
}

interface ControlProps { id: string; "aria-invalid": true | undefined; "aria-describedby": string | undefined }

/** A label above its control, what is wrong below it. */
function Field({ label, problem, offer, children }: { label: string; problem?: string; offer?: ReactNode; children: (props: ControlProps) => ReactNode }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-invalid": problem ? true : undefined, "aria-describedby": problem ? `${id}p` : undefined })}
      {problem ? <p id={`${id}p`} className="field-error">{problem}</p> : null}
      {offer}
    </div>
  );
}

/** Says that a text belongs elsewhere, and puts it there. */
function Offer({ text, skip, onUse }: { text: string; skip?: string; onUse: ((text: string) => void) | undefined }) {
  const offer = offerOf(text);
  // A name may have spaces; one that begins like a command hardly is a name.
  if (!onUse || offer === "" || (offer === skip && !/^(npx|uvx|uv|bunx|pnpm|docker|podman|node|deno|python3?|go|cargo)\s/.test(text.trim()))) return null;
  return <button type="button" className="btn offer" onClick={() => onUse(text)}>{offer}</button>;
}

function Transport({ type, problem, onChange }: { type: string; problem: string | undefined; onChange: (type: string) => void }) {
  const id = useId();
  return (
    <div className="field">
      <span id={id} className="field-label">Transport</span>
      <div className="segments" role="radiogroup" aria-labelledby={id} aria-describedby={problem ? `${id}p` : undefined}>
        {TRANSPORTS.map((each) => <label key={each} className="segment"><input type="radio" name={id} checked={type === each} onChange={() => onChange(each)} /><span className="mono">{each}</span></label>)}
      </div>
      {problem ? <p id={`${id}p`} className="field-error">{problem}</p> : null}
    </div>
  );
}
