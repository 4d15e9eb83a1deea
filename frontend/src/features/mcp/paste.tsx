import { useCallback, useEffect, useRef, useState } from "react";
import type { Paste, ServerForm } from "../../contract/types";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";
import { problemsOf } from "./server-form-rules";

const DEBOUNCE_MS = 250;

/** Reads pasted text when it has stopped changing; the last answer wins. */
export function usePaste(host: Host | undefined, onRead: (paste: Paste, text: string) => void) {
  const [error, setError] = useState("");
  const asked = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const told = useRef(onRead);
  told.current = onRead;
  useEffect(() => () => { asked.current++; clearTimeout(timer.current); }, []);
  const read = useCallback((text: string, soon = true) => {
    clearTimeout(timer.current);
    const at = ++asked.current;
    if (!host || text.trim() === "") return setError("");
    timer.current = setTimeout(() => {
      host.parsePaste(text).then(
        (paste) => { if (at === asked.current) { setError(""); told.current(paste, text); } },
        (err: unknown) => { if (at === asked.current) setError(errorText(err)); });
    }, soon ? 0 : DEBOUNCE_MS);
  }, [host]);
  return { error, read };
}

/** The box at the top of Add server. What holds values is masked while nobody writes there. */
export function PasteBox({ text, note, secret, error, warnings, onText }: {
  text: string; note: string; secret: boolean; error: string; warnings: readonly string[]; onText: (text: string, pasted: boolean) => void;
}) {
  const pasted = useRef(false);
  return (
    <div className="paste">
      <textarea className={secret ? "mono secret" : "mono"} aria-label="Paste a definition" rows={text.includes("\n") || text.length > 150 ? 4 : text.length > 55 ? 2 : 1} spellCheck={false} value={text} placeholder="Paste a command line, a URL, or another client's JSON"
        aria-invalid={error !== "" || undefined} aria-describedby="paste-note" onPaste={() => { pasted.current = true; }} onChange={(e) => {
          onText(e.target.value, pasted.current);
          pasted.current = false;
        }} />
      <div id="paste-note" role="status" className="paste-note">
        {error ? <p className="field-error">{error}</p> : note ? <p className="muted">{note}</p> : null}
        {warnings.map((each) => <p key={each} className="field-warning">{each}</p>)}
      </div>
    </div>
  );
}

/** One of several pasted definitions. */
export interface Candidate { form: ServerForm; chosen: boolean; failed: string }

/** Candidates of a paste; those that could not be added as they are begin unticked. */
export function candidatesOf(forms: readonly ServerForm[], taken: readonly string[], enable: boolean): Candidate[] {
  return forms.map((form) => ({ form: { ...form, enable }, chosen: problemsOf(form, taken).length === 0, failed: "" }));
}

/** What is wrong with a candidate, "" when nothing is. */
export function candidateProblem(all: readonly Candidate[], at: number, taken: readonly string[]): string {
  const { form } = all[at] ?? {};
  if (!form) return "";
  if (taken.includes(form.name.trim())) return "exists already: choose another name";
  if (all.some((each, i) => i < at && each.chosen && each.form.name.trim() === form.name.trim())) return "is there twice: choose another name";
  return problemsOf(form, [])[0]?.text ?? "";
}

/** Adds the chosen ones one by one, in their order; what could not be added is left, with its reason. */
export async function addAll(all: readonly Candidate[], add: (form: ServerForm) => Promise<unknown>): Promise<{ added: string[]; left: Candidate[] }> {
  const added: string[] = [];
  const left: Candidate[] = [];
  for (const each of all) {
    if (!each.chosen) continue;
    try {
      await add({ ...each.form, name: each.form.name.trim() });
      added.push(each.form.name.trim());
    } catch (err) {
      left.push({ ...each, failed: errorText(err) });
    }
  }
  return { added, left };
}

/** Several definitions of one paste, to choose from. */
export function PasteMany({ all, taken, onChange }: { all: readonly Candidate[]; taken: readonly string[]; onChange: (all: Candidate[]) => void }) {
  const put = (at: number, part: Partial<Candidate>) => onChange(all.map((each, i) => (i === at ? { ...each, ...part } : each)));
  return (
    <ul className="candidates" aria-label="Pasted servers">{all.map((each, at) => {
      const problem = candidateProblem(all, at, taken);
      const what = each.form.type === "stdio" || each.form.command ? [each.form.command, ...each.form.args].join(" ") : each.form.url;
      return (
        <li key={at}>
          <input type="checkbox" aria-label={`Add ${each.form.name || at + 1}`} checked={each.chosen} onChange={(e) => put(at, { chosen: e.target.checked })} />
          <input className="mono" aria-label={`Name ${at + 1}`} value={each.form.name} aria-invalid={(each.chosen && problem !== "") || undefined} aria-describedby={problem || each.failed ? `candidate-${at}` : undefined}
            onChange={(e) => {
              const form = { ...each.form, name: e.target.value };
              put(at, { form, failed: "", chosen: each.chosen || candidateProblem(all.map((old, i) => (i === at ? { ...old, form } : old)), at, taken) === "" });
            }} />
          <span className="mono muted candidate-what" title={what}>{what}</span>
          {problem || each.failed ? <p id={`candidate-${at}`} className={each.failed || each.chosen ? "field-error" : "field-warning"}>{each.failed || problem}</p> : null}
        </li>
      );
    })}</ul>
  );
}
