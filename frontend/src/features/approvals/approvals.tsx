import type { KeyboardEvent } from "react";
import type { ApprovalDecision, Question } from "../../contract/types";
import { Diff } from "../../ui/diff";
import { JsonTree } from "../../ui/json-tree";

const CHOICES: readonly { decision: ApprovalDecision; label: string; title: string }[] = [
  { decision: "allow_once", label: "Allow once", title: "This call only (Ctrl+Enter)" },
  { decision: "allow_session", label: "Allow for session", title: "This and later calls of the same kind, until the session is closed" },
  { decision: "allow_workspace", label: "Allow in workspace", title: "This and later calls of the same kind, in every session of this workspace" },
];
/** A longer reason is folded. */
const LONG_WHY = 90;

/** One open question, answered where it was asked. */
export function Approval({ question, busy, onAnswer }: {
  question: Question; busy: boolean; onAnswer: (decision: ApprovalDecision) => void;
}) {
  const choices = CHOICES.filter((each) => each.decision !== "allow_workspace" || question.workspaceGrant);
  const onKeyDown = (e: KeyboardEvent) => {
    if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || busy || e.nativeEvent.isComposing) return;
    e.preventDefault();
    onAnswer("allow_once");
  };
  return (
    <section className="card approval" role="group" aria-label={`Approve ${question.tool}`} onKeyDown={onKeyDown}>
      <header>
        <b>Approve <span className="mono">{question.tool}</span></b>
        {question.server ? <span className="muted">from {question.server}</span> : null}
        {question.why.length <= LONG_WHY ? <span className="muted">{question.why}</span> : null}
      </header>
      {question.why.length > LONG_WHY ? <details className="asked"><summary>Why am I asked?</summary><p>{question.why}</p></details> : null}
      {question.preview ? <Preview kind={question.previewKind} text={question.preview} /> : null}
      <footer>
        {choices.map((each, at) => (
          <button key={each.decision} type="button" className={at === 0 ? "btn primary" : "btn"} disabled={busy} title={each.title}
            onClick={() => onAnswer(each.decision)}>{each.label}</button>
        ))}
        <span className="grow" />
        <button type="button" className="btn ghost" disabled={busy} title="The agent is told that you refused" onClick={() => onAnswer("reject")}>Reject</button>
      </footer>
    </section>
  );
}

/** What the call is about to do: a change of files, a command, or its arguments. */
function Preview({ kind, text }: { kind: string; text: string }) {
  if (kind === "diff") return <div className="preview"><Diff label="Preview" text={text} /></div>;
  const value = kind === "arguments" ? object(text) : undefined;
  if (value !== undefined) return Object.keys(value).length > 0 ? <div className="preview tree"><JsonTree label="Preview" value={value} open={3} /></div> : <p className="muted">Without arguments.</p>;
  return <pre className={kind === "command" ? "preview command" : "preview"} tabIndex={0} aria-label="Preview">{text}</pre>;
}

/** Arguments as a value; undefined where they are no JSON, and are shown as they came. */
function object(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
