import type { ApprovalDecision, Question } from "../../contract/types";

const CHOICES: readonly { decision: ApprovalDecision; label: string }[] = [
  { decision: "allow_once", label: "Allow once" },
  { decision: "allow_session", label: "Allow for session" },
  { decision: "allow_workspace", label: "Allow in workspace" },
];

/** One open question, answered where it was asked. */
export function Approval({ question, busy, onAnswer }: {
  question: Question; busy: boolean; onAnswer: (decision: ApprovalDecision) => void;
}) {
  const choices = CHOICES.filter((each) => each.decision !== "allow_workspace" || question.workspaceGrant);
  return (
    <section className="card approval" role="group" aria-label={`Approve ${question.tool}`}>
      <header>
        <b>Approve <span className="mono">{question.tool}</span></b>
        {question.server ? <span className="muted">from {question.server}</span> : null}
        <span className="muted">{question.why}</span>
      </header>
      {question.preview ? <pre tabIndex={0} aria-label="Preview">{question.previewKind === "diff" ? <Diff text={question.preview} /> : question.preview}</pre> : null}
      <footer>
        {choices.map((each, at) => (
          <button key={each.decision} type="button" className={at === 0 ? "btn primary" : "btn"} disabled={busy}
            onClick={() => onAnswer(each.decision)}>{each.label}</button>
        ))}
        <span className="grow" />
        <button type="button" className="btn ghost" disabled={busy} onClick={() => onAnswer("reject")}>Reject</button>
      </footer>
    </section>
  );
}

function Diff({ text }: { text: string }) {
  return text.split("\n").map((line, at) => (
    <span key={at} className={line.startsWith("+") ? "plus" : line.startsWith("-") ? "minus" : undefined}>{line}{"\n"}</span>
  ));
}
