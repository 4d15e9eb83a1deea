/** Lines at the bottom of the window that say what went wrong or can be undone. */
export function Toasts({ toasts, onDismiss }: {
  toasts: readonly { id: number; text: string; error: boolean; undo?: () => void }[]; onDismiss: (id: number) => void;
}) {
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((each) => (
        <div key={each.id} className={each.error ? "toast error" : "toast"}>
          <span>{each.error ? <b>Error: </b> : null}{each.text}</span>
          {each.undo ? <button type="button" className="btn" onClick={() => { each.undo?.(); onDismiss(each.id); }}>Undo</button> : null}
          <button type="button" className="btn ghost" aria-label="Dismiss" onClick={() => onDismiss(each.id)}>×</button>
        </div>
      ))}
    </div>
  );
}
