import { useId, useState } from "react";
import type { ServerTool } from "../../contract/types";
import { toolNameProblem } from "./resolve-dialog-rules";

/** Gives a tool another name, or its own again. */
export function RenameTool({ tool, taken, busy, onRename, onCancel }: {
  tool: ServerTool; taken: readonly string[]; busy: boolean; onRename: (name: string) => void; onCancel: () => void;
}) {
  const [name, setName] = useState(tool.name);
  const id = useId();
  const problem = toolNameProblem(name, new Set(taken.map((each) => each.toLowerCase())));
  return (
    <form className="rename" onSubmit={(e) => { e.preventDefault(); if (!problem) onRename(name); }}
      onKeyDown={(e) => { if (e.key === "Escape") { e.preventDefault(); e.stopPropagation(); onCancel(); } }}>
      <input className="mono" aria-label={`New name of ${tool.original}`} autoFocus value={name} spellCheck={false} aria-invalid={problem !== "" || undefined} aria-describedby={problem ? id : undefined} onChange={(e) => setName(e.target.value)} />
      <button type="submit" className="btn" disabled={busy || problem !== "" || name === tool.name}>Rename</button>
      {tool.name !== tool.original ? <button type="button" className="btn ghost" disabled={busy} onClick={() => onRename(tool.original)}>Its own name</button> : null}
      <button type="button" className="btn ghost" onClick={onCancel}>Cancel</button>
      {problem ? <p id={id} className="field-error">{problem}</p> : null}
    </form>
  );
}
