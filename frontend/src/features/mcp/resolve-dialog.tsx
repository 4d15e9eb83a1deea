import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Clashes, ServerRow, ToolRules } from "../../contract/types";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";
import { Modal } from "../../ui/modal";
import { ResolveClash } from "./resolve-dialog-clash";
import { choiceProblems, clashesOf, prefixed, type Choice } from "./resolve-dialog-rules";

/** More clashes than this show their two sides when asked. */
const UNFOLDED = 6;

/** Reads both sides of every clash; until they are there, or when they cannot be read, the row's names stand for them. */
function useClashes(host: Host | undefined, row: ServerRow) {
  const [clashes, setClashes] = useState<Clashes>(() => clashesOf(row));
  const [error, setError] = useState("");
  const { name } = row;
  useEffect(() => {
    let gone = false;
    host?.clashes(name).then(
      (read) => { if (!gone && read.clashes.length > 0) setClashes(read); },
      (err: unknown) => { if (!gone) setError(errorText(err)); });
    return () => { gone = true; };
  }, [host, name]);
  return { ...clashes, error };
}

/** Settles every clash of one server: hold the tool back, or give it another name. onSave resolves
 *  to what is wrong, "" when it was saved. */
export function ResolveDialog({ row, host, onSave, onClose }: {
  row: ServerRow; host?: Host; onSave: (rules: ToolRules) => Promise<string>; onClose: () => void;
}) {
  const { clashes, taken, error } = useClashes(host, row);
  const [prefix, setPrefix] = useState(row.name);
  const [made, setMade] = useState<Readonly<Record<string, Choice>>>({});
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState("");
  const input = useRef<HTMLInputElement>(null);
  const given = useMemo(() => Object.fromEntries(clashes.map(({ tool }) => [tool, { held: false, name: prefixed(row.name, tool) }])), [clashes, row.name]);
  const choices: Readonly<Record<string, Choice>> = useMemo(() => ({ ...given, ...made }), [given, made]);
  // One for all: what one choice changes draws no other clash again.
  const onChoice = useCallback((tool: string, choice: Choice) => setMade((was) => ({ ...was, [tool]: choice })), []);
  const problems = useMemo(() => choiceProblems(clashes, choices, taken), [clashes, choices, taken]);
  const all = (choice: (tool: string) => Choice) => setMade(Object.fromEntries(clashes.map(({ tool }) => [tool, choice(tool)])));
  const seen = clashes.flatMap(({ tool }) => { const choice = choices[tool]; return choice && !choice.held ? [choice.name] : []; });
  const first = [...problems][0];
  const save = async () => {
    if (busy || first) return;
    setBusy(true);
    const rename = Object.fromEntries(clashes.flatMap(({ tool, mine }) => { const choice = choices[tool]; return choice && !choice.held ? [[mine.original || tool, choice.name]] : []; }));
    const exclude = clashes.filter(({ tool }) => choices[tool]?.held).map(({ tool, mine }) => mine.original || tool);
    const refused = await onSave({ exclude, rename });
    if (refused === "") return onClose();
    setBusy(false);
    setWrong(refused);
  };
  return (
    <Modal title={`Resolve ${row.name}`} size="large" focus={input} onClose={onClose} describe={`${clashes.length === 1 ? "This name is" : `${clashes.length} names are`} held by someone else. The rest of the server's tools stay as they are.`}>
      <form className="resolve" onSubmit={(e) => { e.preventDefault(); void save(); }}>
        <div className="resolve-all">
          <button type="button" className="btn" onClick={() => all((tool) => ({ held: true, name: choices[tool]?.name ?? "" }))}>Hold back all</button>
          <button type="button" className="btn" onClick={() => all((tool) => ({ held: false, name: prefixed(prefix, tool) }))}>Rename all with prefix</button>
          <input className="mono" aria-label="Prefix" value={prefix} spellCheck={false} onChange={(e) => setPrefix(e.target.value)} />
          <span className="grow" /><span className="muted num">{seen.length} renamed · {clashes.length - seen.length} held back</span>
        </div>
        {error ? <p className="muted line">Both sides cannot be shown: {error}</p> : null}
        <div className="resolve-list">{clashes.map((clash, at) => {
          const choice = choices[clash.tool];
          return choice ? <ResolveClash key={clash.tool} clash={clash} choice={choice} problem={problems.get(clash.tool) ?? ""} folded={clashes.length > UNFOLDED} input={at === 0 ? input : undefined} onChoice={onChoice} /> : null;
        })}</div>
        <p className="resolve-seen muted" tabIndex={seen.length > 12 ? 0 : undefined}>The model will see: <span className="mono">{seen.join(", ") || "none of these"}</span></p>
        <footer><button type="submit" className="btn primary" disabled={busy || first !== undefined}>Apply</button><button type="button" className="btn" onClick={onClose}>Cancel</button>
          <p className="line error" role="alert">{first ? `New name of ${first[0]}: ${first[1]}` : wrong}</p></footer>
      </form>
    </Modal>
  );
}
