import { useCallback, useEffect, useRef, useState } from "react";
import type { ServerForm, Trial } from "../../contract/types";
import { duration, short } from "../../lib/format";
import { errorText } from "../../lib/run";
import { Latest } from "../../lib/store";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { Lamp } from "../../ui/lamp";
import { EvidenceList } from "./detail-overview";
import { StageBars, useClock } from "./detail-stages";
import { sameForm } from "./server-form-rules";

const NONE: Trial = {
  rev: -1, id: "", name: "", running: false, ok: false, stage: "", stages: [], startedMs: 0, tookMs: 0, progress: "", cause: "", reason: "",
  protocol: "", serverName: "", serverVersion: "", tools: [], schemaTokens: 0, conflicts: [],
};

/** The dry run of this dialog: trial is undefined until one was started here. */
export interface TrialRun { trial: Trial | undefined; starting: boolean; error: string; tested: ServerForm | undefined; start: (form: ServerForm) => void; stop: () => void }

/** Starts dry runs and follows the last one; what runs is stopped when the dialog goes. */
export function useTrial(host: Host | undefined, edits: string): TrialRun {
  const [store] = useState(() => new Latest<Trial>(NONE));
  const latest = useStore(store);
  const [run, setRun] = useState<{ id: string; form: ServerForm }>();
  const [starting, setStarting] = useState(false);
  const [error, setError] = useState("");
  const alive = useRef({ pending: false, id: "" });
  useEffect(() => host?.on("trial", store.take), [host, store]);
  useEffect(() => () => {
    const { pending, id } = alive.current;
    const last = store.get();
    if (host && (pending || (id !== "" && (last.id !== id || last.running)))) void host.stopTrial().catch(() => undefined);
  }, [host, store]);
  const start = useCallback((form: ServerForm) => {
    if (!host || alive.current.pending) return;
    alive.current.pending = true;
    setStarting(true);
    setError("");
    host.startTrial({ ...form, name: form.name.trim() }, edits).then(async (id) => {
      alive.current = { pending: false, id };
      setRun({ id, form });
      setStarting(false);
      store.take(await host.trial()); // what was told before the id was known
    }).catch((err: unknown) => {
      alive.current.pending = false;
      setStarting(false);
      setError(errorText(err));
    });
  }, [host, edits, store]);
  const stop = useCallback(() => { void host?.stopTrial().catch((err: unknown) => setError(errorText(err))); }, [host]);
  return { trial: run && latest.id === run.id ? latest : undefined, starting: starting || (run !== undefined && latest.id !== run.id && error === ""), error, tested: run?.form, start, stop };
}

/** What to do about a cause, "" where the reason says it already. */
const ADVICE: Readonly<Record<string, string>> = {
  env_missing: "Set the variable where Patchbay starts, or write a value, or a default: ${NAME:-value}.",
  not_executable: "Make the file executable, or start it with its interpreter.",
  bad_cwd: "Choose a working folder that exists, or leave it empty for the workspace.",
  exited: "Run the same command in a terminal: what it prints there says more.",
  bad_stdout: "The program writes other text to its standard output. Find the option that makes it quiet or an MCP server.",
  timeout: "Try again: a first start often downloads. If it stays, see what it waits for.",
  refused: "Start the server, or check the port.",
  dns: "Check the host name and the network.",
  tls: "Check the certificate, or whether the address is http.",
  sign_in: "Add it, then press Sign in in its row: your browser opens.",
  forbidden: "The token is known but may not do this: check its rights.",
  wrong_url: "Many servers end in /mcp or /sse.",
  not_mcp: "Something answers there, but it is no MCP server: check the address.",
  tool_builtin: "Add it all the same: Resolve then renames the tools or holds them back.",
  tool_taken: "Add it all the same: Resolve then renames the tools or holds them back.",
};

/** The dry run beside the form. */
export function TrialPanel({ run, form, blocked }: { run: TrialRun; form: ServerForm; blocked: string }) {
  const { trial, starting, error } = run;
  const running = starting || (trial?.running ?? false);
  const stale = run.tested !== undefined && !running && !sameForm({ ...run.tested, enable: form.enable }, form);
  return (
    <section className={stale ? "trial stale" : "trial"} aria-label="Test">
      <div className="trial-head"><h3>Test</h3><span className="grow" />{trial?.running ? <Clock sinceMs={trial.startedMs} /> : null}
        {running ? <button type="button" className="btn" onClick={run.stop}>Stop</button>
          : <button type="button" className="btn" disabled={blocked !== ""} title={blocked || undefined} onClick={() => run.start(form)}>{trial ? "Test again" : "Test"}</button>}</div>
      <div role="status" className="trial-body">
        {stale ? <p className="field-warning">The form has changed since this test.</p> : null}
        {error ? <p className="line error">{error}</p> : null}
        {!trial && !error ? <p className="muted">{starting ? "Starting…" : "Starts it once as the form says, lists its tools and ends it. Nothing is saved."}</p> : null}
        {trial && !trial.running ? <Verdict trial={trial} /> : null}
      </div>
      {trial ? <Course trial={trial} /> : null}
      {trial && !trial.running && trial.ok ? <Found trial={trial} /> : null}
    </section>
  );
}

function Clock({ sinceMs }: { sinceMs: number }) {
  const now = useClock(true);
  return <span className="num muted">{duration(now - sinceMs)}</span>;
}

function Course({ trial }: { trial: Trial }) {
  const now = useClock(trial.running);
  const past = trial.stages.reduce((sum, each) => sum + each.ms, 0);
  const elapsed = trial.running ? Math.max(0, now - trial.startedMs) : trial.tookMs;
  const failed = !trial.running && !trial.ok && trial.cause !== "";
  const open = trial.running || (failed && trial.stage !== "") ? { stage: trial.stage, ms: elapsed - past, failed } : undefined;
  return <>
    <StageBars label="Stages of the test" stages={trial.stages} open={open} />
    {trial.running && trial.progress ? <p className="mono muted progress-line">{trial.progress}</p> : null}
  </>;
}

function Verdict({ trial }: { trial: Trial }) {
  if (trial.ok) {
    const count = trial.tools.length;
    return <p className="trial-verdict"><span className="st connected"><Lamp shape="disc" /></span>{[
      `Connected in ${duration(trial.tookMs) || "no time"}`, `${count} ${count === 1 ? "tool" : "tools"}`, `${short(trial.schemaTokens)} schema tokens`,
      trial.protocol ? `protocol ${trial.protocol}` : "", [trial.serverName, trial.serverVersion].filter(Boolean).join(" "),
    ].filter(Boolean).join(" · ")}</p>;
  }
  const advice = ADVICE[trial.cause];
  return <>
    <p className="trial-verdict"><span className="st error"><Lamp shape="cross" /></span><span className={/^https?:/.test(trial.reason) ? undefined : "first"}>{trial.reason || "It did not connect."}</span></p>
    {advice ? <p className="trial-advice">{advice}</p> : null}
    {trial.conflicts.length > 0 ? <Conflicts trial={trial} /> : null}
    {trial.evidence ? <EvidenceList evidence={trial.evidence} /> : null}
  </>;
}

function Conflicts({ trial }: { trial: Trial }) {
  return <ul className="plain" aria-label="Names that are taken">{trial.conflicts.map((each) => <li key={`${each.tool} ${each.owner}`}><span className="mono">{each.tool}</span> <span className="muted">is held by {each.owner}</span></li>)}</ul>;
}

function Found({ trial }: { trial: Trial }) {
  return <>
    {trial.conflicts.length > 0 ? <><p className="field-warning">Some names are taken. Resolve renames them or holds them back once the server is added.</p><Conflicts trial={trial} /></> : null}
    {trial.tools.length > 0 ? <details className="trial-tools"><summary>{trial.tools.length} {trial.tools.length === 1 ? "tool" : "tools"}</summary>
      <ul className="plain">{trial.tools.map((each) => <li key={each.original || each.name} title={each.description}><span className="mono">{each.name}</span> <span className="muted num">{short(each.schemaTokens)}</span>{each.skipped ? <span className="field-warning"> {each.skipped}</span> : null}</li>)}</ul></details> : null}
  </>;
}
