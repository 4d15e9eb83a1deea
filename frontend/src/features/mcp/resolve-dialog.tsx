import { useState } from "react";
import type { ServerRow, ToolRules } from "../../contract/types";
import { Modal } from "../../ui/modal";

/** What is wrong with the new names, "" when nothing is. */
export function renameProblem(rename: Readonly<Record<string, string>>): string {
  const seen = new Set<string>();
  for (const [from, to] of Object.entries(rename)) {
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(to)) return `The new name of ${from} needs 1 to 64 letters, digits, _ or -`;
    if (seen.has(to.toLowerCase())) return `${to} is given twice`;
    if (to.toLowerCase() === from.toLowerCase()) return `${to} is the name that clashes: choose another`;
    seen.add(to.toLowerCase());
  }
  return "";
}

/** Settles every clash of one server: hold the tool back, or give it another name. */
export function ResolveDialog({ row, onSave, onClose }: {
  row: ServerRow; onSave: (rules: ToolRules) => Promise<boolean>; onClose: () => void;
}) {
  const prefix = row.name.replace(/[^A-Za-z0-9_-]/g, "_");
  const tools = [...new Map(row.conflicts.map((each) => [each.tool, each])).values()];
  const [names, setNames] = useState<Record<string, string>>(() => Object.fromEntries(tools.map((each) => [each.tool, `${prefix}_${each.tool}`.slice(0, 64)])));
  const [held, setHeld] = useState<ReadonlySet<string>>(new Set());
  const rename = Object.fromEntries(tools.filter((each) => !held.has(each.tool)).map((each) => [each.tool, names[each.tool] ?? ""]));
  const problem = renameProblem(rename);
  const hold = (tool: string, on: boolean) => {
    const next = new Set(held);
    if (on) next.add(tool); else next.delete(tool);
    setHeld(next);
  };
  return (
    <Modal title={`Resolve ${row.name}`} onClose={onClose} describe="Each of these names is held by someone else. The rest of the server's tools stay as they are.">
      <form className="stack" onSubmit={(e) => {
        e.preventDefault();
        if (!problem) void onSave({ exclude: [...held], rename }).then((saved) => { if (saved) onClose(); });
      }}>
        <div className="row"><button type="button" className="btn" onClick={() => setHeld(new Set(tools.map((each) => each.tool)))}>Hold back all</button>
          <button type="button" className="btn" onClick={() => setHeld(new Set())}>Rename all</button></div>
        {tools.map((each) => (
          <fieldset key={each.tool} className="stack"><legend><span className="mono">{each.tool}</span> <span className="muted">held by {each.owner}</span></legend>
            <label className="check"><input type="radio" name={each.tool} checked={held.has(each.tool)} onChange={() => hold(each.tool, true)} /> Hold back</label>
            <label className="check"><input type="radio" name={each.tool} checked={!held.has(each.tool)} onChange={() => hold(each.tool, false)} /> Rename to
              <input className="mono" aria-label={`New name of ${each.tool}`} disabled={held.has(each.tool)} value={names[each.tool] ?? ""} onChange={(e) => setNames({ ...names, [each.tool]: e.target.value })} /></label>
          </fieldset>
        ))}
        <p className="muted">The model will see: <span className="mono">{Object.values(rename).join(", ") || "none of these"}</span></p>
        <p className="line error" role="alert">{problem}</p>
        <footer><button type="submit" className="btn primary" disabled={problem !== ""}>Apply</button><button type="button" className="btn" onClick={onClose}>Cancel</button></footer>
      </form>
    </Modal>
  );
}
