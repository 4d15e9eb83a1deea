import { Check, Minus, X, type LucideIcon } from "lucide-react";
import type { ReactNode } from "react";
import type { Evidence, ServerForm, ServerRow } from "../../contract/types";
import { clock, duration } from "../../lib/format";
import type { Runner } from "../../lib/run";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { fileKind, type DetailData } from "./detail-data";
import { FactList, Part } from "./detail-facts";
import { Protocol } from "./detail-protocol";
import { StageBars, useClock } from "./detail-stages";
import type { RowCommands } from "./server-row";
import { SignInFacts } from "./detail-sign-in";
import { Countdown } from "./ticking";
import { capital, sentence } from "./words";

/** Why the server is in its state, layer by layer, with the evidence and the facts. */
export function Overview({ row, data, host, runner, onSignIn }: {
  row: ServerRow | undefined; data: DetailData; host: Host; runner: Runner; onSignIn: RowCommands["onSignIn"];
}) {
  const { detail, error } = data;
  const busy = useStore(runner.busy);
  if (!row) return <div className="detail-body"><p className="muted">This server is neither defined nor enabled here any more.</p></div>;
  const open = (path: string, line: number) => void runner.run(`file ${path}`, () => host.openFile(fileKind(path), line));
  return (
    <div className="detail-body">
      <Why row={row} onFile={open} />
      {row.signIn && row.signIn.state !== "failed" ? <Part title="Sign-in"><SignInFacts name={row.name} signIn={row.signIn} busy={busy.has(row.name)} onStep={(step) => onSignIn(step, row)} /></Part> : null}
      <Layers row={row} onFile={open} />
      <Start row={row} data={data} />
      {error ? <p className="line error">{error}</p> : null}
      <Protocol row={row} />
      <Facts row={row} form={detail?.form} />
      {row.warnings.length > 0 ? <Part title="Warnings"><ul className="plain">{row.warnings.map((each) => <li key={each}>{each}</li>)}</ul></Part> : null}
      {row.skipped.length > 0 ? <Part title={`Skipped tools (${row.skipped.length})`}><ul className="plain">{row.skipped.map((each) => <li key={each.tool}><span className="mono">{each.tool}</span> <span className="muted">{each.reason}</span></li>)}</ul></Part> : null}
      {detail?.instructions ? <Part title="What the server tells the model"><pre tabIndex={0} aria-label="Instructions">{detail.instructions}</pre></Part> : null}
    </div>
  );
}

function Why({ row, onFile }: { row: ServerRow; onFile: (path: string, line: number) => void }) {
  const text = sentence(row);
  if (row.state === "connected" && !text) return null;
  return (
    <section className={`verdict ${row.state}`} aria-label="Why">
      <p className="verdict-line"><span className={capital(text, row) ? "first" : undefined}>{text || (row.state === "busy" ? `It is starting: ${row.stage}` : row.state)}</span>
          {row.nextTryMs > 0 ? <> <span className="muted"><Countdown untilMs={row.nextTryMs} /></span></> : null}</p>
      {row.conflicts.length > 0 ? <ul className="plain">{row.conflicts.map((each) => <li key={`${each.tool} ${each.owner}`}><span className="mono">{each.tool}</span> <span className="muted">is held by {each.owner}</span></li>)}</ul> : null}
      {row.evidence ? <EvidenceList evidence={row.evidence} onFile={onFile} /> : null}
    </section>
  );
}

/** What was seen: exit code, status, address, place, last lines of stderr. */
export function EvidenceList({ evidence, onFile }: { evidence: Evidence; onFile?: (path: string, line: number) => void }) {
  const facts: [string, ReactNode][] = [
    ["Exit code", evidence.exitCode === undefined ? "" : String(evidence.exitCode)],
    ["HTTP status", evidence.httpStatus ? String(evidence.httpStatus) : ""],
    ["URL", evidence.url],
    ["Stage", evidence.stage],
    ["File", evidence.file ? <FileLink path={evidence.file} line={evidence.line} onFile={onFile} /> : ""],
  ];
  return <>
    <FactList facts={facts} label="Evidence" />
    {evidence.stderr.length > 0 ? <figure className="stderr"><figcaption className="muted">Last lines of stderr</figcaption><pre tabIndex={0} aria-label="Last lines of stderr">{evidence.stderr.join("\n")}</pre></figure> : null}
  </>;
}

function FileLink({ path, line, onFile }: { path: string; line: number; onFile?: (path: string, line: number) => void }) {
  const text = line > 0 ? `${path}:${line}` : path;
  return onFile ? <button type="button" className="link mono" title={`Open ${text}`} onClick={() => onFile(path, line)}>{text}</button> : <span className="mono">{text}</span>;
}

type Mark = "yes" | "no" | "off";
const MARKS: Record<Mark, LucideIcon> = { yes: Check, no: X, off: Minus };

function Layers({ row, onFile }: { row: ServerRow; onFile: (path: string, line: number) => void }) {
  const layers: { name: string; layer: string; mark: Mark; text: ReactNode }[] = [
    { name: "Definition", layer: "definition", mark: row.defined ? "yes" : "no",
      text: row.defined ? <>{row.file ? <>in <FileLink path={row.file} line={row.line} onFile={onFile} /></> : "handed in by the host of this session"}</> : "defined nowhere on this machine" },
    { name: "Workspace", layer: "workspace", mark: row.enabled ? "yes" : "off", text: row.enabled ? "enabled here" : "not enabled here" },
    { name: "Trust", layer: "trust", mark: row.trusted ? "yes" : "no", text: row.trusted ? "may start on this machine" : "came with the repository; nobody has said yes yet" },
    { name: "Session", layer: "session", mark: row.paused ? "off" : "yes", text: row.paused ? "paused in this session" : "not paused" },
    { name: "Connection", layer: "runtime", mark: row.state === "connected" ? "yes" : row.state === "error" ? "no" : "off",
      text: row.state === "connected" ? `connected${row.sinceMs ? ` since ${clock(row.sinceMs)}` : ""}` : row.state === "busy" ? `${row.stage} …` : row.state === "error" ? "in error" : "not wanted" },
  ];
  const decided = row.cause === "untrusted" ? "trust" : row.layer;
  return (
    <Part title="Layers">
      <ol className="layer-list">{layers.map(({ name, layer, mark, text }) => {
        const Glyph = MARKS[mark];
        return <li key={name} className={decided === layer && row.state !== "connected" ? `${mark} decides` : mark}>
          <Glyph aria-hidden="true" size={13} strokeWidth={2.4} /><b>{name}</b><span className="layer-text">{text}</span>
          {decided === layer && row.state !== "connected" ? <span className="badge">{row.state === "busy" ? "at work" : "holds it back"}</span> : null}
        </li>;
      })}</ol>
    </Part>
  );
}

function Start({ row, data }: { row: ServerRow; data: DetailData }) {
  const running = row.state === "busy";
  const now = useClock(running);
  const stages = data.detail?.stages ?? [];
  const past = stages.reduce((sum, each) => sum + each.ms, 0);
  const failed = row.state === "error" && row.cause !== "lost" ? row.evidence?.stage ?? "" : "";
  const known = failed !== "" && !stages.some((each) => each.stage === failed);
  const open = running ? { stage: row.stage, ms: row.sinceMs ? now - row.sinceMs - past : 0, failed: false } : known ? { stage: failed, ms: 0, failed: true } : undefined;
  if (stages.length === 0 && !open) return null;
  return <Part title={running ? "This start" : "Last start"}><StageBars label="Stages" stages={stages} open={open} />{running && row.progress ? <p className="mono muted progress-line">{row.progress}</p> : null}</Part>;
}

function Facts({ row, form }: { row: ServerRow; form: ServerForm | undefined }) {
  const http = row.type === "streamable_http" || row.type === "sse";
  const names = (values: { name: string }[] | undefined) => values?.map((each) => each.name).join(", ") ?? "";
  const mono = (text: string | undefined) => (text ? <span className="mono">{text}</span> : "");
  return (
    <Part title="Facts"><FactList label="Facts" facts={[
      ["Transport", row.protocol ? "" : mono(row.type)],
      ["Command", http ? "" : mono(form ? [form.command, ...form.args].map(quoted).join(" ").trim() : "")],
      ["URL", http ? mono(form?.url) : ""],
      ["Working folder", http ? "" : mono(form?.cwd) || (form && row.defined ? "the workspace" : "")],
      ["Environment", mono(names(form?.env))],
      ["Headers", mono(names(form?.headers))],
      ["Process", row.pid ? `pid ${row.pid}` : ""],
      ["Restarts", row.starts > 1 ? String(row.starts - 1) : ""],
      ["In this state since", row.sinceMs ? clock(row.sinceMs) : ""],
      ["Connected in", duration(row.connectMs)],
      ["Latency", duration(row.latencyMs)],
      ["Recovered", row.recovered ? `${row.recovered} ${row.recovered === 1 ? "time" : "times"}` : ""],
      ["Shared with", row.shared.join(", ")],
    ]} /></Part>
  );
}

/** A word of a command line as a shell would want it. */
export function quoted(word: string): string {
  return word === "" || /[\s"'$`\\;&|<>()*?[\]#~]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : word;
}
