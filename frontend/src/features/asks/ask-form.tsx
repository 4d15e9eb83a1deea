import { useMemo, useState, type KeyboardEvent } from "react";
import { SchemaForm } from "../../ui/schema-form";
import { argumentsOf, fieldOf, problemsOf, readSchema, startOf } from "../../ui/schema-form-model";
import { answer } from "./answers";
import type { AskProps } from "./ask-card";

const NONE: ReadonlyMap<string, string> = new Map();

/** A form that a server asks to be filled in. */
export function FormAsk({ ask, busy, onAnswer }: AskProps) {
  const field = useMemo(() => fieldOf(readSchema(ask.schema)), [ask.schema]);
  const [value, setValue] = useState<unknown>(() => startOf(field, undefined, true) ?? {});
  const [tried, setTried] = useState(false);
  const problems = useMemo(() => problemsOf(field, value, true), [field, value]);
  const submit = () => {
    setTried(true);
    if (problems.size === 0 && !busy) onAnswer(answer("accept", { content: argumentsOf(value) }));
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || e.nativeEvent.isComposing) return;
    e.preventDefault();
    submit();
  };
  return (
    <section className="card approval ask" role="group" aria-label={`${ask.server} asks`} onKeyDown={onKeyDown}>
      <header><b><span className="mono">{ask.server}</span> asks</b></header>
      <p className="ask-message">{ask.message}</p>
      <form noValidate aria-label={`Answer to ${ask.server}`} onSubmit={(e) => { e.preventDefault(); submit(); }}>
        <SchemaForm titles field={field} value={value} problems={tried ? problems : NONE} onChange={setValue} />
        <footer>
          <button type="submit" className="btn primary" disabled={busy} title="Send this to the server (Ctrl+Enter)">Accept</button>
          <button type="button" className="btn" disabled={busy} title="The server is told that you do not want to answer" onClick={() => onAnswer(answer("decline"))}>Decline</button>
          <span className="grow" />
          <button type="button" className="btn ghost" disabled={busy} title="Close the question without an answer" onClick={() => onAnswer(answer("cancel"))}>Cancel</button>
        </footer>
      </form>
      <p className="muted ask-note">{tried && problems.size > 0 ? "Something is not right yet." : `What you enter goes to ${ask.server}.`}</p>
    </section>
  );
}
