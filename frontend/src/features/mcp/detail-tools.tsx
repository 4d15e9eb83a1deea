import { ArrowLeft } from "lucide-react";
import { useMemo, useState } from "react";
import type { ServerRow, ServerTool, ToolRules } from "../../contract/types";
import { short } from "../../lib/format";
import type { Runner } from "../../lib/run";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { JsonTree } from "../../ui/json-tree";
import { Switch } from "../../ui/switch";
import type { DetailData } from "./detail-data";
import { RenameTool } from "./detail-rename";
import type { Tries } from "./detail-tries";
import { TryTool } from "./detail-try";
import { readSchema } from "../../ui/schema-form-model";

/** How the list is sorted. */
export type Sort = "order" | "name" | "tokens";

/** What the list shows and which tool is open. */
export interface ToolsView { text: string; sort: Sort; chosen: string }

/** The tools that a text finds, in the order asked for. */
export function sorted(tools: readonly ServerTool[], text: string, sort: Sort): readonly ServerTool[] {
  const sought = text.trim().toLowerCase();
  const found = sought === "" ? [...tools] : tools.filter((each) => [each.name, each.original, each.title, each.description].some((part) => part.toLowerCase().includes(sought)));
  switch (sort) {
    case "order": return found;
    case "name": return found.sort((a, b) => a.name.localeCompare(b.name, "en"));
    case "tokens": return found.sort((a, b) => b.schemaTokens - a.schemaTokens);
  }
}

/** Rules with one tool held back or given again. */
export function holding(rules: ToolRules, original: string, held: boolean): ToolRules {
  const rest = rules.exclude.filter((each) => each !== original);
  return { exclude: held ? [...rest, original] : rest, rename: rules.rename };
}

/** Rules with one tool renamed; its own name, or none, takes a new name away. */
export function renaming(rules: ToolRules, original: string, name: string): ToolRules {
  const rename = Object.fromEntries(Object.entries(rules.rename).filter(([from]) => from !== original));
  return { exclude: rules.exclude, rename: name === "" || name === original ? rename : { ...rename, [original]: name } };
}

/** The tools of a server: what each costs, what it takes, and a form to try it. */
export function ToolsTab({ name, row, data, tries, view, onView, host, runner }: {
  name: string; row: ServerRow | undefined; data: DetailData; tries: Tries; view: ToolsView; onView: (view: ToolsView) => void; host: Host; runner: Runner;
}) {
  const { text, sort, chosen } = view;
  const busy = useStore(runner.busy).has(`rules ${name}`);
  const { detail, error, reload } = data;
  const tools = detail?.tools ?? [];
  const shown = useMemo(() => sorted(tools, text, sort), [tools, text, sort]);
  const tool = tools.find((each) => each.original === chosen);
  const save = (what: string, rules: ToolRules) => runner.run(`rules ${name}`, async () => {
    const { id } = await host.setToolRules(name, rules);
    reload();
    if (id) runner.show(what, false, () => void runner.run(`rules ${name}`, async () => {
      runner.show(`Undone: ${await host.undoChange(id)}`);
      reload();
    }));
  });
  const hold = (it: ServerTool, held: boolean) => { if (detail) void save(held ? `Held back ${it.original}` : `${it.original} is given to the model again`, holding(detail.rules, it.original, held)); };
  if (error && !detail) return <div className="detail-body"><p className="line error">{error}</p></div>;
  if (!detail) return <div className="detail-body"><p className="muted">Reading…</p></div>;
  if (tools.length === 0) return <div className="detail-body"><p className="muted">{row?.state === "connected" ? "This server lists no tools." : "Its tools are known once it has connected."}</p></div>;
  return (
    <div className={tool ? "tools chosen" : "tools"}>
      <div className="tools-list">
        <div className="log-bar">
          <input type="search" aria-label="Filter tools" placeholder="Filter…" value={text} onChange={(e) => onView({ ...view, text: e.target.value })} />
          <select aria-label="Sort tools" value={sort} onChange={(e) => onView({ ...view, sort: e.target.value as Sort })}>
            <option value="order">Server’s order</option><option value="name">Name</option><option value="tokens">Tokens</option>
          </select>
          <span className="grow" /><span className="muted num">{total(tools)}</span>
        </div>
        {shown.length === 0 ? <p className="muted log-note">No tool matches the filter.</p> : null}
        <ul aria-label={`Tools of ${name}`}>{shown.map((each) => (
          <li key={each.original} className={each.held ? "tool-line held" : "tool-line"}>
            <div className="tool-words">
              <button type="button" className="tool-open mono" aria-pressed={each.original === chosen} onClick={() => onView({ ...view, chosen: each.original })}>{each.name}</button><Badges tool={each} />
              {each.name !== each.original ? <span className="mono muted tool-was" title={each.original}><span className="sr">from </span>{each.original}</span> : null}
              <span className="tool-about muted">{each.description || each.title || "no description"}</span>
            </div>
            <span className="num muted tool-cost" title={`${each.schemaTokens} tokens of schema`}>{short(each.schemaTokens)}<span className="sr"> tokens</span></span>
            <span className="tool-switch"><Switch label={`Give ${each.name} to the model`} on={!each.held} inert={busy || detail.form.name === ""} onChange={(on) => hold(each, !on)} /></span>
          </li>
        ))}</ul>
      </div>
      {tool ? <ToolView key={tool.original} tool={tool} all={tools} rules={detail.rules} row={row} tries={tries} busy={busy} onBack={() => onView({ ...view, chosen: "" })} onRules={save} onHold={hold} /> : null}
    </div>
  );
}

/** "14 tools · 2.1k schema tokens · 2 held back". */
export function total(tools: readonly ServerTool[]): string {
  const held = tools.filter((each) => each.held).length;
  const tokens = tools.reduce((sum, each) => sum + (each.held ? 0 : each.schemaTokens), 0);
  return `${tools.length} ${tools.length === 1 ? "tool" : "tools"} · ${short(tokens)} schema tokens${held ? ` · ${held} held back` : ""}`;
}

/** From this length on a description is scrolled. */
const LONG = 2_000;

/** What the server says about a tool, and what keeps it from the model. */
export function Badges({ tool }: { tool: ServerTool }) {
  return <span className="badges">
    {tool.held ? <span className="badge plain">held back</span> : null}
    {tool.owner ? <span className="badge bad" title={`Its name is held by ${tool.owner}`}>taken</span> : null}
    {tool.skipped ? <span className="badge bad" title={tool.skipped}>skipped</span> : null}
    {tool.name !== tool.original ? <span className="badge plain">renamed</span> : null}
    {tool.readOnly ? <span className="badge">read-only</span> : null}
    {tool.destructive && !tool.readOnly ? <span className="badge warn">destructive</span> : null}
    {tool.idempotent && !tool.readOnly ? <span className="badge plain">idempotent</span> : null}
  </span>;
}

function ToolView({ tool, all, rules, row, tries, busy, onBack, onRules, onHold }: {
  tool: ServerTool; all: readonly ServerTool[]; rules: ToolRules; row: ServerRow | undefined; tries: Tries; busy: boolean;
  onBack: () => void; onRules: (what: string, rules: ToolRules) => Promise<boolean>; onHold: (tool: ServerTool, held: boolean) => void;
}) {
  const [renames, setRenames] = useState(false);
  const schema = useMemo(() => readSchema(tool.schema), [tool.schema]);
  const taken = all.filter((each) => each.original !== tool.original && !each.held).map((each) => each.name);
  const rename = (to: string) => void onRules(to === tool.original ? `${tool.original} has its own name again` : `Renamed ${tool.original} to ${to}`, renaming(rules, tool.original, to)).then((saved) => { if (saved) setRenames(false); });
  return (
    <section className="tool-view" aria-label={`Tool ${tool.name}`}>
      <div className="tool-head">
        <button type="button" className="btn ghost back" onClick={onBack}><ArrowLeft aria-hidden="true" size={14} /> All tools</button>
        <span className="grow" />
        <button type="button" className="btn ghost" disabled={busy} aria-expanded={renames} onClick={() => setRenames(!renames)}>Rename…</button>
        <button type="button" className="btn ghost" disabled={busy} onClick={() => onHold(tool, !tool.held)}>{tool.held ? "Give to the model" : "Hold back"}</button>
      </div>
      {renames ? <RenameTool tool={tool} taken={taken} busy={busy} onRename={rename} onCancel={() => setRenames(false)} /> : null}
      <h3 className="mono tool-title">{tool.name}</h3>
      {tool.name !== tool.original ? <p className="muted">The server calls it <span className="mono">{tool.original}</span></p> : null}
      <p className="tool-meta"><Badges tool={tool} /><span className="muted num">{tool.schemaTokens.toLocaleString("en")} tokens of schema</span></p>
      {tool.title ? <p><b>{tool.title}</b></p> : null}
      <p className="tool-text" tabIndex={tool.description.length > LONG ? 0 : undefined}>{tool.description || <span className="muted">The server describes it with no word.</span>}</p>
      {tool.owner ? <p className="line error">Its name is held by {tool.owner}.</p> : null}
      {tool.skipped ? <p className="line error">{tool.skipped}</p> : null}
      <details className="schema"><summary>Schema</summary>{schema === undefined ? <pre tabIndex={0} aria-label="Schema text">{tool.schema}</pre> : <JsonTree value={schema} label={`Schema of ${tool.name}`} open={3} />}</details>
      <TryTool tries={tries} tool={tool} blocked={row?.state === "connected" || row?.conflicts.length ? "" : "It can be tried once the server is connected"} />
    </section>
  );
}
