import { Check, TriangleAlert, X } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { FoundProgram, ServerDoctor } from "../../contract/types";
import { errorText, type Runner } from "../../lib/run";
import type { Host } from "../../platform/host";
import { FactList, Part } from "./detail-facts";

/** Runs the examination when it is drawn and when it is asked for; it ends with the drawing. */
function useDoctor(host: Host, name: string) {
  const [found, setFound] = useState<ServerDoctor>();
  const [error, setError] = useState("");
  const [running, setRunning] = useState("");
  const current = useRef("");
  const stop = useCallback(() => {
    const id = current.current;
    current.current = "";
    setRunning("");
    if (id) host.stopDoctor(id).catch(() => {}); // over already
  }, [host]);
  const run = useCallback((again: boolean) => {
    stop();
    const id = crypto.randomUUID();
    current.current = id;
    setRunning(id);
    setError("");
    const settled = (done: () => void) => {
      if (current.current !== id) return; // stopped, or another one runs
      current.current = "";
      setRunning("");
      done();
    };
    host.serverDoctor(id, name, again).then((next) => settled(() => setFound(next)), (err: unknown) => settled(() => setError(errorText(err))));
  }, [host, name, stop]);
  useEffect(() => { run(false); return stop; }, [run, stop]);
  return { found, error, running: running !== "", run, stop };
}

/** In what a server's start here differs from one in a terminal, and the line that starts it there. */
export function Doctor({ name, host, runner }: { name: string; host: Host; runner: Runner }) {
  const { found, error, running, run, stop } = useDoctor(host, name);
  const copy = (line: string) => void runner.run(`copy line ${name}`, async () => {
    await host.copyText(line);
    runner.show("Copied the line");
  });
  return <>
    <section className="part doctor" aria-label="Environment" aria-busy={running || undefined}>
      <div className="part-head"><h3>Environment</h3><span className="grow" />
        {running ? <><span className="muted" role="status">Asking the login shell…</span><button type="button" className="btn ghost" onClick={stop}>Cancel</button></>
          : <button type="button" className="btn ghost" onClick={() => run(true)}>Check again</button>}</div>
      {error ? <p className="line error">{error}</p> : null}
      {found ? <Findings found={found} /> : null}
    </section>
    {found && found.programs.length > 0 ? <Programs found={found} /> : null}
    {found && found.lacking.length > 0 ? <Part title="In the login shell's PATH, not in Patchbay's"><ul className="plain folders">{found.lacking.map((each) => (
      <li key={each.folder}><span className="mono">{each.folder}</span>{each.added ? <span className="badge plain" title="Patchbay adds it to the PATH of this server">added</span> : null}</li>
    ))}</ul></Part> : null}
    {found && found.variables.length > 0 ? <details className="part"><summary>{found.variables.length} {found.variables.length === 1 ? "variable" : "variables"} that only the login shell sets</summary><p className="mono names">{found.variables.join(", ")}</p></details> : null}
    {found ? <Part title="Try it in a terminal">
      <p className="muted">{found.transport === "stdio" ? "Starts the same command, sends it the first message and waits ten seconds for the answer." : "Sends the first message to the same address."}
        {found.set.length > 0 ? <> Stored values are not in it: set <span className="mono">{found.set.join(", ")}</span> first.</> : null}</p>
      <div className="terminal-line"><pre tabIndex={0} aria-label="Line for a terminal">{found.line}</pre><button type="button" className="btn" onClick={() => copy(found.line)}>Copy line</button></div>
    </Part> : null}
  </>;
}

function Findings({ found }: { found: ServerDoctor }) {
  const stdio = found.transport === "stdio";
  const mono = (text: string) => (text ? <span className="mono">{text}</span> : "");
  return <>
    <ul className="findings">
      {found.problems.map((each) => <li key={each} className="bad"><X aria-hidden="true" size={13} strokeWidth={2.4} /><span><span className="sr">Problem: </span>{each}</span></li>)}
      {found.notes.map((each) => <li key={each} className="note"><TriangleAlert aria-hidden="true" size={13} strokeWidth={2.2} /><span>{each}</span></li>)}
      {found.problems.length + found.notes.length === 0 ? <li className="good"><Check aria-hidden="true" size={13} strokeWidth={2.4} /><span>{stdio ? "Nothing differs from the login shell." : "Nothing keeps it from being asked."}</span></li> : null}
    </ul>
    {stdio ? <FactList label="Command" facts={[
      ["Command", mono(found.command)], ["Runs", mono(found.resolved) || "nothing: it was not found"], ["Which leads to", mono(found.target)],
      ["Working folder", mono(found.folder)], ["Sets", mono(found.envNames.join(", "))], ["Login shell", mono(found.shell)],
    ]} /> : null}
  </>;
}

function Programs({ found }: { found: ServerDoctor }) {
  return (
    <Part title="Programs">
      <table className="programs" aria-label="Programs">
        <thead><tr><th scope="col">Name</th><th scope="col">Here</th><th scope="col">In the login shell</th></tr></thead>
        <tbody>{found.programs.map((each) => (
          <tr key={each.name} className={each.differs ? "differs" : undefined}>
            <th scope="row" className="mono">{each.name}{each.differs ? <span className="badge warn">differs</span> : null}</th>
            <td><Where found={each.here} /></td><td><Where found={each.there} /></td>
          </tr>
        ))}</tbody>
      </table>
    </Part>
  );
}

function Where({ found }: { found: FoundProgram }) {
  if (!found.path) return <span className="muted">{found.problem || "not asked"}</span>;
  return <><span title={found.problem || undefined}>{found.version || (found.problem ? "version unknown" : "")}</span><span className="mono muted where" title={found.path}>{found.path}</span></>;
}
