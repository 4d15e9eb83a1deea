import { memo, useId, useMemo, useState, type ReactNode, type RefObject } from "react";
import type { Clash, ClashArm } from "../../contract/types";
import { JsonTree } from "../../ui/json-tree";
import { compared, type Choice, type Property } from "./resolve-dialog-rules";
import { readSchema } from "../../ui/schema-form-model";

/** Longer descriptions may have to be scrolled. */
const SCROLLS = 150;

/** One name that two want: both sides beside each other, and what becomes of this one. */
export const ResolveClash = memo(function ResolveClash({ clash, choice, problem, folded, input, onChoice }: {
  clash: Clash; choice: Choice; problem: string; folded: boolean; input: RefObject<HTMLInputElement | null> | undefined; onChoice: (tool: string, choice: Choice) => void;
}) {
  const id = useId();
  const { tool, mine, theirs } = clash;
  const known = mine.description + mine.schema + theirs.description + theirs.schema !== "";
  const sides = useMemo(() => compared(mine.schema, theirs.schema), [mine.schema, theirs.schema]);
  const both = () => <div className="arms"><Arm arm={mine} title="This server" properties={sides.mine} /><Arm arm={theirs} title="Holds the name" properties={sides.theirs} /></div>;
  return (
    <fieldset className={folded ? "clash compact" : "clash"}><legend className={folded ? "sr" : undefined}><span className="mono">{tool}</span> <span className="muted">held by {theirs.owner}</span></legend>
      <div className="clash-choice">
        {folded ? <span className="clash-name" aria-hidden="true"><span className="mono">{tool}</span><span className="muted">{theirs.owner}</span></span> : null}
        <label className="check"><input type="radio" name={id} checked={!choice.held} onChange={() => onChoice(tool, { ...choice, held: false })} /> Rename to</label>
        <input ref={input} className="mono" aria-label={`New name of ${tool}`} disabled={choice.held} value={choice.name} spellCheck={false} autoComplete="off" aria-invalid={problem ? true : undefined} aria-describedby={problem ? `${id}p` : undefined}
          onChange={(e) => onChoice(tool, { ...choice, name: e.target.value })} />
        <label className="check"><input type="radio" name={id} checked={choice.held} onChange={() => onChoice(tool, { ...choice, held: true })} /> Hold back</label>
      </div>
      {problem ? <p id={`${id}p`} className="field-error">{problem}</p> : null}
      {known && !folded ? both() : null}
      {known && folded ? <Fold summary="Compare both">{both}</Fold> : null}
    </fieldset>
  );
});

/** A disclosure that draws what it holds once it is open. */
function Fold({ summary, children }: { summary: string; children: () => ReactNode }) {
  const [open, setOpen] = useState(false);
  return <details className="fold" onToggle={(e) => { if (e.target === e.currentTarget) setOpen(e.currentTarget.open); }}><summary>{summary}</summary>{open ? children() : null}</details>;
}

function Arm({ arm, title, properties }: { arm: ClashArm; title: string; properties: readonly Property[] }) {
  const schema = useMemo(() => readSchema(arm.schema), [arm.schema]);
  return (
    <div className="arm" role="group" aria-label={`${title}: ${arm.owner}`}>
      <p className="arm-head"><span className="muted">{title}</span> <b>{arm.owner}</b></p>
      <p className="arm-text" tabIndex={arm.description.length > SCROLLS ? 0 : undefined}>{arm.description || <span className="muted">No description.</span>}</p>
      {properties.length > 0 ? <ul className="properties">{properties.map((each) => (
        <li key={each.name} className={each.differs ? "differs" : undefined}><span className="mono">{each.name}</span>{each.required ? <span className="required" title="required">*<span className="sr"> required</span></span> : null}
          <span className="mono muted">{each.type}</span>{each.differs ? <span className="sr">differs</span> : null}</li>
      ))}</ul> : <p className="muted">No arguments.</p>}
      {schema !== undefined ? <Fold summary="Schema">{() => <JsonTree value={schema} label={`Schema of ${arm.original}, ${arm.owner}`} open={2} />}</Fold> : null}
    </div>
  );
}
