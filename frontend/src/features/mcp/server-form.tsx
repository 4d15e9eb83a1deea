import { useRef, useState, type FormEvent } from "react";
import type { Paste, ServerForm } from "../../contract/types";
import { errorText, type Runner } from "../../lib/run";
import type { Host } from "../../platform/host";
import { Modal } from "../../ui/modal";
import { addAll, candidateProblem, candidatesOf, PasteBox, PasteMany, usePaste, type Candidate } from "./paste";
import { Fields } from "./server-form-fields";
import { blank, filled, hasValues, merged, problemsOf, sameForm } from "./server-form-rules";
import { TrialPanel, useTrial } from "./trial";

export { blank };

/** The sentence of what keeps the form from being saved, "" when nothing does. */
export function problemOf(form: ServerForm, taken: readonly string[]): string {
  return problemsOf(form, taken)[0]?.sentence ?? "";
}

/** Adds a definition, or edits one. taken are the names of the other definitions; onSave resolves
 *  to what is wrong, "" when it was saved. */
export function ServerFormDialog({ initial, edits, taken, canEnable, host, runner, onSave, onClose }: {
  initial: ServerForm; edits?: string; taken: readonly string[]; canEnable: boolean; host?: Host; runner?: Runner;
  onSave: (form: ServerForm) => Promise<string>; onClose: () => void;
}) {
  const [form, setForm] = useState(initial);
  const [asks, setAsks] = useState(false);
  const [busy, setBusy] = useState(false);
  const [touched, setTouched] = useState(false);
  const [wrong, setWrong] = useState("");
  const began = useRef(initial);
  const paste = usePasted(host, taken, form, setForm);
  const run = useTrial(host, edits ?? "");
  const name = useRef<HTMLInputElement>(null);
  const dirty = !sameForm(form, initial) || paste.text !== "";
  const close = () => (asks ? setAsks(false) : dirty ? setAsks(true) : onClose());
  const problem = problemOf(form, taken);
  const many = paste.many.length > 0;
  const chosen = paste.many.filter((each) => each.chosen);
  const save = async () => {
    if (busy || problem) return;
    setBusy(true);
    const { next, said } = await latest({ ...form, name: form.name.trim() });
    const refused = said || (await onSave(next));
    if (refused === "") return onClose();
    setBusy(false);
    setWrong(refused);
  };
  // Another program may have changed the file while the form was open.
  const latest = async (mine: ServerForm): Promise<{ next: ServerForm; said: string }> => {
    if (edits === undefined || !host) return { next: mine, said: "" };
    try {
      const theirs = await host.readServer(edits);
      const { form: next, both } = merged(began.current, mine, theirs);
      began.current = theirs;
      setForm(next);
      return { next, said: both.length > 0 ? `Another program changed the ${both.join(" and the ")} of ${edits} meanwhile. Save again to put yours in its place.` : "" };
    } catch (err) {
      return { next: mine, said: errorText(err) };
    }
  };
  const saveAll = async () => {
    if (busy || !host || paste.manyProblem) return;
    setBusy(true);
    const { added, left } = await addAll(paste.many, (each) => host.addServer(each));
    setBusy(false);
    if (added.length > 0) runner?.show(`Added ${added.join(", ")}`);
    if (left.length === 0) onClose();
    else paste.setMany(left);
  };
  const submit = (e: FormEvent<HTMLFormElement>) => {
    e.preventDefault();
    setTouched(true);
    void (many ? saveAll() : save());
    // The errors are drawn by then.
    const at = e.currentTarget;
    if (problem && !many) setTimeout(() => at.querySelector<HTMLElement>("[aria-invalid=true]")?.focus(), 0);
  };
  return (
    <Modal title={edits ? `Edit ${edits}` : "Add server"} size="large" focus={name} onClose={close}>
      <form className="server-form" noValidate onSubmit={submit}>
        <div className={many || !host ? "server-form-body" : "server-form-body parted"}>
          <div className="server-form-main">
            {edits === undefined && host ? <PasteBox text={paste.text} note={paste.note} secret={hasValues(form) || paste.many.some((each) => hasValues(each.form))} error={paste.error} warnings={paste.warnings} onText={paste.put} /> : null}
            {many ? <PasteMany all={paste.many} taken={taken} onChange={paste.setMany} />
              : <Fields form={form} taken={taken} first={name} submitted={touched} onOffer={edits === undefined && host ? paste.use : undefined}
                  onChange={(next) => { paste.touch(); setWrong(""); setForm(next); }} />}
            {edits === undefined && canEnable ? <label className="check"><input type="checkbox" checked={form.enable} onChange={(e) => {
              setForm({ ...form, enable: e.target.checked });
              paste.setMany(paste.many.map((each) => ({ ...each, form: { ...each.form, enable: e.target.checked } })));
            }} /> Enable here</label> : null}
          </div>
          {!many && host ? <TrialPanel run={run} form={form} blocked={problem} /> : null}
        </div>
        {asks ? <Discard onDiscard={onClose} onKeep={() => setAsks(false)} /> : (
          <footer>
            {many ? <button type="submit" className="btn primary" disabled={busy || chosen.length === 0 || paste.manyProblem !== ""}>{`Add ${chosen.length} ${chosen.length === 1 ? "server" : "servers"}`}</button>
              : <button type="submit" className="btn primary" disabled={busy}>{edits ? "Save" : "Add"}</button>}
            <button type="button" className="btn" onClick={onClose}>Cancel</button>
            <p className="line error" role="alert">{many ? paste.manyProblem : wrong || (dirty || touched ? problem : "")}</p>
          </footer>
        )}
      </form>
    </Modal>
  );
}

/** What was pasted: it fills the form, or is a list to choose from. */
function usePasted(host: Host | undefined, taken: readonly string[], form: ServerForm, setForm: (form: ServerForm) => void) {
  const [text, setText] = useState("");
  const [many, setMany] = useState<Candidate[]>([]);
  const [note, setNote] = useState("");
  const [warnings, setWarnings] = useState<readonly string[]>([]);
  // A name that came from a paste is replaced by that of the next one.
  const named = useRef("");
  const now = useRef(form);
  now.current = form;
  const { error, read } = usePaste(host, (paste: Paste, from) => {
    setWarnings(paste.warnings);
    const [only] = paste.forms;
    if (paste.forms.length > 1) {
      setMany(candidatesOf(paste.forms, taken, now.current.enable));
      return setNote(`${paste.forms.length} servers: choose which to add.`);
    }
    setMany([]);
    if (!only) return setNote(paste.warnings.length > 0 ? "" : "No server was found in it.");
    const own = now.current.name !== named.current && now.current.name !== from;
    const next = filled(now.current, only, own);
    named.current = own ? "" : next.name;
    setForm(next);
    setNote("The form below is filled in from it.");
  });
  const clear = () => { setMany([]); setNote(""); setWarnings([]); };
  const put = (next: string, pasted: boolean) => {
    setText(next);
    if (next.trim() === "") clear();
    read(next, pasted);
  };
  return {
    text, many, note, warnings, error, setMany, put, use: (from: string) => read(from), touch: () => { if (note && many.length === 0) setNote(""); },
    manyProblem: many.map((each, at) => (each.chosen && candidateProblem(many, at, taken) ? `${each.form.name || "A server without a name"}: ${candidateProblem(many, at, taken)}` : "")).find(Boolean) ?? "",
  };
}

/** Asks before what was typed is thrown away. */
function Discard({ onDiscard, onKeep }: { onDiscard: () => void; onKeep: () => void }) {
  return (
    <footer role="group" aria-label="Discard changes?"><b>Discard changes?</b>
      <button type="button" className="btn danger" onClick={onDiscard}>Discard</button>
      <button type="button" className="btn" autoFocus onClick={onKeep}>Keep editing</button></footer>
  );
}
