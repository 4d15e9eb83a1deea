import { ArrowLeft, ClipboardCopy } from "lucide-react";
import { Suspense, useEffect, useRef, useState, type KeyboardEvent } from "react";
import type { Insert, ServerRow } from "../../contract/types";
import type { Runner } from "../../lib/run";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { IconButton } from "../../ui/icon-button";
import { Lamp } from "../../ui/lamp";
import { lazily } from "../../ui/lazily";
import { Tabs } from "../../ui/tabs";
import { useDetail } from "./detail-data";
import { Overview } from "./detail-overview";
import { ToolsTab, type ToolsView } from "./detail-tools";
import { Tries } from "./detail-tries";
import { LogView } from "./log-view";
import type { RowCommands } from "./server-row";
import { cure, hint, LAMP, quiet, type Verb } from "./words";

const ResourcesTab = lazily(() => import("./detail-resources"), "ResourcesTab");
const PromptsTab = lazily(() => import("./detail-prompts"), "PromptsTab");
const TimelineTab = lazily(() => import("./detail-timeline"), "TimelineTab");
const TrafficTab = lazily(() => import("./traffic"), "TrafficTab");
const ProcessTab = lazily(() => import("./detail-process"), "ProcessTab");

/** A tab of the detail. */
export type DetailTab = "overview" | "tools" | "resources" | "prompts" | "timeline" | "log" | "traffic" | "process";

/** Verbs that ask before they do. */
const ASKS: readonly Verb[] = ["Edit", "Define", "Resolve", "Remove"];

interface PanelProps {
  name: string; row: ServerRow | undefined; host: Host; runner: Runner; tab?: DetailTab; at?: { frame: number }; onClose: () => void; onVerb: (verb: Verb, row: ServerRow) => void;
  onSignIn: RowCommands["onSignIn"];
  /** Puts something into the message that is being written; missing where none can be. */
  onInsert?: (insert: Insert) => void;
}

/** Everything about one server: why it is in its state, its tools to try, its log. */
export function ServerDetailPanel(props: PanelProps) {
  return <Panel key={props.name} {...props} />;
}

function Panel({ name, row, host, runner, tab = "overview", at, onClose, onVerb, onSignIn, onInsert }: PanelProps) {
  const [shown, setShown] = useState<DetailTab>(tab);
  useEffect(() => setShown(tab), [tab, at]);
  const [view, setView] = useState<ToolsView>({ text: "", sort: "order", chosen: "" });
  const [tries] = useState(() => new Tries(host, name));
  useEffect(() => () => tries.close(), [tries]);
  const panel = useRef<HTMLElement>(null);
  // The list may be covered by now: the keyboard goes on here.
  useEffect(() => panel.current?.focus({ preventScroll: true }), []);
  const data = useDetail(host, name, row);
  const escape = (e: KeyboardEvent<HTMLElement>) => {
    if (e.key !== "Escape" || e.defaultPrevented || !e.currentTarget.contains(e.target as Node) || (e.target as Element).matches("input, textarea, select")) return;
    e.preventDefault();
    onClose();
  };
  return (
    <section className="detail" ref={panel} tabIndex={-1} aria-label={`Details of ${name}`} onKeyDown={escape}>
      <Header name={name} row={row} host={host} runner={runner} onClose={onClose} onVerb={onVerb} />
      <Tabs<DetailTab> label={`Parts of ${name}`} value={shown} onChange={setShown} tabs={[
        { id: "overview", label: "Overview", content: <Overview row={row} data={data} host={host} runner={runner} onSignIn={onSignIn} /> },
        { id: "tools", label: "Tools", ...(data.detail ? { count: data.detail.tools.length } : {}), content: <ToolsTab name={name} row={row} data={data} tries={tries} view={view} onView={setView} host={host} runner={runner} /> },
        { id: "resources", label: "Resources", ...known(row?.resourceCount), content: <Suspense><ResourcesTab name={name} row={row} host={host} runner={runner} onInsert={onInsert} /></Suspense> },
        { id: "prompts", label: "Prompts", ...known(row?.promptCount), content: <Suspense><PromptsTab name={name} row={row} host={host} runner={runner} onInsert={onInsert} /></Suspense> },
        { id: "timeline", label: "Timeline", content: <Suspense><TimelineTab name={name} row={row} host={host} /></Suspense> },
        { id: "log", label: "Log", content: <LogView name={name} host={host} runner={runner} /> },
        { id: "traffic", label: "Traffic", content: <Suspense><TrafficTab name={name} host={host} runner={runner} at={at} /></Suspense> },
        { id: "process", label: "Process", content: <Suspense><ProcessTab name={name} row={row} data={data} host={host} runner={runner} /></Suspense> },
      ]} />
    </section>
  );
}

/** A count behind a tab's label, where there is something to count. */
function known(count = -1): { count?: number } {
  return count > 0 ? { count } : {};
}

function Header({ name, row, host, runner, onClose, onVerb }: Omit<PanelProps, "onSignIn">) {
  const busy = useStore(runner.busy).has(name);
  const verb = row && cure(row);
  return (
    <header className={`detail-head ${row?.state ?? ""}`}>
      <IconButton label="Close details" icon={ArrowLeft} onClick={onClose} />
      <h2 title={name}>{name}</h2>
      {row ? <span className="state"><Lamp shape={LAMP[row.state]} />{row.state}</span> : <span className="muted">not in the list any more</span>}
      <span className="grow" />
      <span className="detail-actions">
        {row ? quiet(row).map((each) => (
          <button key={each} type="button" className={each === "Remove" ? "btn ghost warn" : "btn ghost"} disabled={busy} title={hint(each, row)} onClick={() => onVerb(each, row)}>{each}{ASKS.includes(each) ? "…" : ""}</button>
        )) : null}
        <IconButton label="Copy diagnosis" icon={ClipboardCopy} onClick={() => void runner.run(`diagnosis ${name}`, async () => {
          await host.copyDiagnosis(name);
          runner.show(`Copied the diagnosis of ${name}`);
        })} />
        {row && verb ? <button type="button" className="btn primary" disabled={busy} aria-label={verb === "Sign in" ? `Sign in ${name}` : undefined} onClick={() => onVerb(verb, row)}>{verb}{ASKS.includes(verb) ? "…" : ""}</button> : null}
      </span>
    </header>
  );
}
