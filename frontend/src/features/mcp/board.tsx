import { useVirtualizer } from "@tanstack/react-virtual";
import { ChevronLeft, ChevronRight } from "lucide-react";
import { useCallback, useRef, useState, type KeyboardEvent } from "react";
import type { MCPSnapshot, ServerForm, ServerRow as Row } from "../../contract/types";
import type { Runner } from "../../lib/run";
import type { Latest } from "../../lib/store";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { IconButton } from "../../ui/icon-button";
import { Modal } from "../../ui/modal";
import { Filters } from "./filters";
import { OutsideBanner } from "./outside-banner";
import { ResolveDialog } from "./resolve-dialog";
import { blank, ServerFormDialog } from "./server-form";
import { ServerRow } from "./server-row";
import { TrustBanner } from "./trust-banner";
import { matching, type Filter, type Verb } from "./words";

/** So many rows are all in the page; more are drawn as they come into sight. */
const VIRTUAL_FROM = 60;

type Open = { kind: "form"; form: ServerForm; edits?: string } | { kind: "remove" | "resolve"; row: Row };

/** The right side: every server, its state, why, and the button that puts it right. */
export function Board({ store, host, runner, demoCommand, wide, onWide }: {
  store: Latest<MCPSnapshot>; host: Host; runner: Runner; demoCommand: string; wide: boolean; onWide: (wide: boolean) => void;
}) {
  const snapshot = useStore(store);
  const busy = useStore(runner.busy);
  const [open, setOpen] = useState<Open>();
  const [filter, setFilter] = useState<Filter>({ state: "", text: "" });
  const onFile = useCallback((path: string, line: number) => void runner.run(`file ${path}`, () => host.openFile(path === store.get().workspaceConfig ? "workspace" : "store", line)), [host, runner, store]);
  const onVerb = useCallback((verb: Verb, row: Row) => {
    const go = (command: () => Promise<unknown>) => void runner.run(row.name, command);
    switch (verb) {
      case "Enable": return go(() => host.enableServer(row.name));
      case "Disable": return go(() => host.disableServer(row.name));
      case "Pause": return go(() => host.pauseServer(row.name));
      case "Resume": return go(() => host.resumeServer(row.name));
      case "Retry": return go(() => host.retryServer(row.name));
      case "Trust": return go(() => host.trustServers([row.name]));
      case "Define": return setOpen({ kind: "form", form: blank(row.name) });
      case "Edit": return go(async () => { setOpen({ kind: "form", form: await host.readServer(row.name), edits: row.name }); });
      case "Remove": return setOpen({ kind: "remove", row });
      case "Resolve": return setOpen({ kind: "resolve", row });
    }
  }, [host, runner]);
  const remove = (name: string) => void runner.run(name, async () => {
    const { id } = await host.removeServer(name);
    runner.show(`Removed ${name}`, false, () => void runner.run(name, () => host.undoChange(id)));
  });
  const { rows } = snapshot;
  const shown = matching(rows, filter);
  return (
    <section className="board" aria-label="Server board">
      <header className="board-head">
        <h2>Servers</h2><span className="muted">{rows.filter((row) => row.enabled).length} enabled here</span><span className="grow" />
        <button type="button" className="btn" disabled={busy.has("retry failed") || !rows.some((row) => row.state === "error")} onClick={() => void runner.run("retry failed", () => host.retryFailed())}>Retry failed</button>
        <button type="button" className="btn ghost" disabled={busy.has("rebuild all")} onClick={() => void runner.run("rebuild all", () => host.rebuildAll())}>Rebuild all</button>
        <button type="button" className="btn primary" onClick={() => setOpen({ kind: "form", form: blank() })}>Add server</button>
        <IconButton label={wide ? "Show the conversation" : "Widen the board"} icon={wide ? ChevronRight : ChevronLeft} onClick={() => onWide(!wide)} />
      </header>
      {rows.length > 0 ? <Filters rows={rows} filter={filter} onChange={setFilter} /> : null}
      {snapshot.fileErrors.map((each) => (
        <div key={each.path} className="banner error" role="alert"><span><b>{each.path}</b> line {each.line}, column {each.column}: {each.message}. The last good value stays in force.</span>
          <button type="button" className="btn" onClick={() => onFile(each.path, each.line)}>Open</button></div>
      ))}
      <OutsideBanner edits={snapshot.outside} busy={busy.has("restore")} onRestore={() => void runner.run("restore", () => host.restoreFields())} />
      <TrustBanner rows={rows} busy={busy.has("trust")} onTrust={(names) => void runner.run("trust", () => host.trustServers(names))} />
      {snapshot.cutTools.length > 0 ? <div className="banner"><span>{snapshot.cutTools.length} tools are beyond what a request may carry: {snapshot.cutTools.slice(0, 5).join(", ")}{snapshot.cutTools.length > 5 ? " …" : ""}. Pause a server to make room.</span></div> : null}
      <div className="server head" aria-hidden="true"><div>State</div><div>Server</div>
        <div className="layers"><span className="short" title="Machine: defined">M</span><span className="short" title="Workspace: enabled here">W</span><span className="short" title="Session: not paused">S</span>
          <span className="wide">Machine</span><span className="wide">Workspace</span><span className="wide">Session</span></div><div className="num">Tools</div><div className="num">Time</div><div className="wide">Reason</div></div>
      {snapshot.rev > 0 && rows.length === 0 ? <div className="nothing"><h3>No servers yet</h3><p className="muted">Add one of your own, or the demo server that comes with Patchbay, to give the agent its first tools.</p>
        <button type="button" className="btn" onClick={() => setOpen({ kind: "form", form: { ...blank("demo"), command: demoCommand || "patchbay", args: ["demo-server"] } })}>Add the demo server</button></div> : null}
      {rows.length > 0 && shown.length === 0 ? <div className="nothing"><p className="muted">No server matches the filter.</p>
        <button type="button" className="btn" onClick={() => setFilter({ state: "", text: "" })}>Show all</button></div> : null}
      <Rows rows={shown} busy={busy} onVerb={onVerb} onFile={onFile} />
      <footer className="files">{[snapshot.store, snapshot.workspaceConfig].filter(Boolean).map((path) => (
        <button key={path} type="button" className="link mono" title={`Open ${path}`} onClick={() => onFile(path, 0)}>{path}</button>))}</footer>
      {open?.kind === "form" ? <ServerFormDialog initial={open.form} edits={open.edits} canEnable onClose={() => setOpen(undefined)}
        taken={open.edits === undefined ? rows.filter((row) => row.defined).map((row) => row.name) : []}
        onSave={(form) => runner.run(form.name, () => (open.edits === undefined ? host.addServer(form) : host.editServer(open.edits, form)))} /> : null}
      {open?.kind === "resolve" ? <ResolveDialog row={open.row} onClose={() => setOpen(undefined)}
        onSave={(rules) => runner.run(open.row.name, () => host.resolveClash(open.row.name, rules))} /> : null}
      {open?.kind === "remove" ? <Modal title={`Remove ${open.row.name}?`} onClose={() => setOpen(undefined)}
        describe="Its definition leaves this machine's mcp.json and its process ends. You can undo this.">
        <footer><button type="button" className="btn danger" onClick={() => { setOpen(undefined); remove(open.row.name); }}>Remove</button>
          <button type="button" className="btn" onClick={() => setOpen(undefined)}>Cancel</button></footer></Modal> : null}
    </section>
  );
}

/** Arrow up and down go to the same button of the next row, Home and End to the first and last one. */
function walk(e: KeyboardEvent<HTMLDivElement>) {
  const row = (e.target as Element).closest("[data-name]");
  if (!row || e.ctrlKey || e.altKey || e.metaKey) return;
  const all = [...e.currentTarget.querySelectorAll("[data-name]")];
  const at = all.indexOf(row);
  const to = { ArrowDown: all[at + 1], ArrowUp: all[at - 1], Home: all[0], End: all[all.length - 1] }[e.key];
  if (!to) return;
  e.preventDefault();
  const usable = (from: Element) => [...from.querySelectorAll<HTMLElement>("button:enabled")];
  const label = (button: Element) => { // without the server's name, which stands before or after
    const name = button.closest("[data-name]")?.getAttribute("data-name") ?? "";
    const full = button.getAttribute("aria-label") ?? "";
    return full.endsWith(` ${name}`) ? full.slice(0, -name.length) : full.slice(name.length);
  };
  const targets = usable(to);
  (targets.find((each) => label(each) === label(e.target as Element)) ?? targets[0])?.focus();
}

function Rows({ rows, busy, onVerb, onFile }: {
  rows: readonly Row[]; busy: ReadonlySet<string>; onVerb: (verb: Verb, row: Row) => void; onFile: (path: string, line: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const many = rows.length > VIRTUAL_FROM;
  const virtual = useVirtualizer({
    count: many ? rows.length : 0, getScrollElement: () => box.current, overscan: 12,
    estimateSize: (at) => (rows[at]?.state === "connected" ? 37 : 67), getItemKey: (at) => rows[at]?.name ?? at,
  });
  const draw = (row: Row, at: number) => <ServerRow key={row.name} row={row} index={at} busy={busy.has(row.name)} onVerb={onVerb} onFile={onFile} />;
  return (
    <div className="grid" ref={box} role="grid" aria-label="Servers" aria-rowcount={rows.length + 1} aria-colcount={7} onKeyDown={walk}>
      <div role="row" aria-label="Columns" aria-rowindex={1} className="sr">{["State", "Server", "Layers", "Tools", "Time", "Actions", "Reason"].map((each) => <span key={each} role="columnheader">{each}</span>)}</div>
      {!many ? rows.map(draw) : (
        <div role="rowgroup" style={{ height: virtual.getTotalSize(), position: "relative" }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index];
            return row ? <div key={item.key} role="presentation" ref={virtual.measureElement} data-index={item.index}
              style={{ position: "absolute", top: 0, left: 0, right: 0, transform: `translateY(${item.start}px)` }}>{draw(row, item.index)}</div> : null;
          })}
        </div>
      )}
    </div>
  );
}
