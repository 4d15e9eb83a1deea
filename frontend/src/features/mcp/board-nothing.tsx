/** What stands in the place of the rows: before the first of them are known, when there are none,
 *  and when the filter lets none through. */
export function Nothing({ known, none, onDemo, onAdd, onAll }: {
  known: boolean; none: boolean; onDemo: () => void; onAdd: () => void; onAll: () => void;
}) {
  if (!known) return <div className="skeleton" aria-hidden="true">{[1, 2, 3, 4, 5].map((each) => <div key={each}><i /><i /><i /></div>)}</div>;
  if (none) return (
    <div className="nothing"><h3>No servers yet</h3>
      <p className="muted">Add one of your own, or the demo server that comes with Patchbay, to give the agent its first tools.</p>
      <button type="button" className="btn" onClick={onDemo}>Add the demo server</button>
      <button type="button" className="btn" onClick={onAdd}>Paste a command or JSON</button></div>
  );
  return (
    <div className="nothing"><p className="muted">No server matches the filter.</p>
      <button type="button" className="btn" onClick={onAll}>Show all</button></div>
  );
}
