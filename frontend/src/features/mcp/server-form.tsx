import { useState } from "react";
import type { NamedValue, ServerForm } from "../../contract/types";
import { Modal } from "../../ui/modal";

const TYPES = ["stdio", "streamable_http", "sse"] as const;

/** An empty definition, enabled here. */
export function blank(name = ""): ServerForm {
  return { name, type: "stdio", command: "", args: [], cwd: "", url: "", env: [], headers: [], enable: true };
}

/** What keeps the form from being saved, "" when nothing does. */
export function problemOf(form: ServerForm, taken: readonly string[]): string {
  if (form.name.trim() === "") return "Give the server a name";
  if (taken.includes(form.name.trim())) return `${form.name.trim()} is defined already: choose another name or edit that one`;
  if (form.type === "stdio") {
    if (form.command.trim() === "") return "A stdio server needs a command, for example npx";
  } else if (!/^https?:\/\/[^\s/]+/.test(form.url.trim())) return "The URL starts with http:// or https://";
  const list = form.type === "stdio" ? form.env : form.headers;
  const names = list.map((each) => each.name.trim());
  if (names.includes("")) return "Every entry needs a name: fill it in or remove the entry";
  const twice = names.find((each, at) => names.indexOf(each) !== at);
  return twice ? `${twice} is there twice` : "";
}

/** Adds a definition, or edits one. */
export function ServerFormDialog({ initial, edits, taken, canEnable, onSave, onClose }: {
  initial: ServerForm; edits?: string; taken: readonly string[]; canEnable: boolean;
  onSave: (form: ServerForm) => Promise<boolean>; onClose: () => void;
}) {
  const [form, setForm] = useState(initial);
  const [touched, setTouched] = useState(false);
  const [busy, setBusy] = useState(false);
  const problem = problemOf(form, taken);
  const set = (part: Partial<ServerForm>) => { setTouched(true); setForm({ ...form, ...part }); };
  const submit = async () => {
    setTouched(true);
    if (problem || busy) return;
    setBusy(true);
    if (await onSave({ ...form, name: form.name.trim() })) onClose();
    else setBusy(false);
  };
  return (
    <Modal title={edits ? `Edit ${edits}` : "Add server"} onClose={onClose}>
      <form className="stack" onSubmit={(e) => { e.preventDefault(); void submit(); }}>
        <label>Name<input value={form.name} disabled={edits !== undefined} onChange={(e) => set({ name: e.target.value })} /></label>
        <label>Transport<select value={form.type} onChange={(e) => set({ type: e.target.value })}>
          {TYPES.map((each) => <option key={each}>{each}</option>)}</select></label>
        {form.type === "stdio" ? <>
          <label>Command<input className="mono" value={form.command} onChange={(e) => set({ command: e.target.value })} /></label>
          <label>Arguments, one per line<textarea className="mono" rows={3} value={form.args.join("\n")}
            onChange={(e) => set({ args: e.target.value === "" ? [] : e.target.value.split("\n") })} /></label>
          <label>Working folder<input className="mono" placeholder="the workspace" value={form.cwd} onChange={(e) => set({ cwd: e.target.value })} /></label>
          <Values label="Environment" values={form.env} onChange={(env) => set({ env })} />
        </> : <>
          <label>URL<input className="mono" value={form.url} onChange={(e) => set({ url: e.target.value })} /></label>
          <Values label="Headers" values={form.headers} onChange={(headers) => set({ headers })} />
        </>}
        {edits === undefined && canEnable ? <label className="check"><input type="checkbox" checked={form.enable} onChange={(e) => set({ enable: e.target.checked })} /> Enable here</label> : null}
        <p className="line error" role="alert">{touched ? problem : ""}</p>
        <footer><button type="submit" className="btn primary" disabled={busy || (touched && problem !== "")}>{edits ? "Save" : "Add"}</button>
          <button type="button" className="btn" onClick={onClose}>Cancel</button></footer>
      </form>
    </Modal>
  );
}

function Values({ label, values, onChange }: { label: string; values: NamedValue[]; onChange: (values: NamedValue[]) => void }) {
  const put = (at: number, part: Partial<NamedValue>) => onChange(values.map((each, i) => (i === at ? { ...each, ...part } : each)));
  return (
    <fieldset className="stack"><legend>{label}</legend>
      {values.map((each, at) => (
        <div className="row" key={at}>
          <input className="mono" aria-label={`${label} name ${at + 1}`} placeholder="NAME" value={each.name} onChange={(e) => put(at, { name: e.target.value })} />
          <input className="mono" aria-label={`${label} value ${at + 1}`} placeholder={each.hasValue ? "stored; empty keeps it" : "value or ${env:NAME}"} value={each.value}
            onChange={(e) => put(at, { value: e.target.value })} />
          <button type="button" className="btn ghost" aria-label={`Remove ${label} ${each.name || at + 1}`} onClick={() => onChange(values.filter((_, i) => i !== at))}>×</button>
        </div>
      ))}
      <button type="button" className="btn ghost" onClick={() => onChange([...values, { name: "", value: "", hasValue: false }])}>+ Add entry</button>
    </fieldset>
  );
}
