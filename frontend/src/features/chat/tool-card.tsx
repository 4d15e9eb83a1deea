import { memo, type ReactNode } from "react";
import { duration } from "../../lib/format";
import { Diff } from "../../ui/diff";
import { isDiff } from "../../ui/diff-lines";
import { JsonTree } from "../../ui/json-tree";
import { Lamp } from "../../ui/lamp";
import { callName, parsed, resultText, summary } from "./call-text";
import { CopyButton } from "./copy-button";
import { useOpened } from "./opened";
import type { CallItem } from "./reducer";
import { Results } from "./results";

/** Longer arguments are folded. */
const LONG_ARGUMENTS = 400;
/** Reasons for which trying the server again is the way out. */
const SERVER_FAULTS: readonly string[] = ["server_gone", "timed_out", "protocol_error"];

/** One tool call: what was asked, how it went, what came back. found opens what is folded. */
export const ToolCard = memo(function ToolCard({ call, found, onRetry }: { call: CallItem; found: boolean; onRetry: (call: CallItem) => void }) {
  const name = callName(call);
  const line = summary(call.arguments);
  const retry = call.status === "failed" && call.server !== "" && SERVER_FAULTS.includes(call.reason);
  return (
    <article className={`card call ${call.status}`} aria-label={`Tool call ${name}`}>
      <header>
        <Lamp shape={call.status === "running" ? "arc" : call.status === "ok" ? "disc" : "cross"} />
        <span className="mono name">{call.server ? <span className="muted">{call.server} · </span> : null}{call.tool}</span>
        <span className="mono muted summary" title={line}>{line}</span>
        <span className={`word ${call.status}`}>{call.asking ? "waiting for approval" : call.status}{call.reason ? ` (${call.reason.replaceAll("_", " ")})` : ""}</span>
        {call.tookMs > 0 ? <span className="muted num">{duration(call.tookMs)}</span> : null}
        {call.content.length > 0 ? <CopyButton label={`Copy result of ${name}`} text={() => resultText(call)} /> : null}
        {retry ? <button type="button" className="btn" aria-label={`Retry call of ${call.server}`} title={`Try ${call.server} again and offer this call once more`} onClick={() => onRetry(call)}>Retry</button> : null}
      </header>
      <Arguments call={call} found={found} />
      {call.status === "running" && (call.progressText || call.total > 0) ? (
        <div className="progress">
          {call.total > 0 ? <progress aria-label={`Progress of ${name}`} value={call.progress} max={call.total} /> : null}
          <span className="muted">{call.progressText || `${call.progress} of ${call.total}`}</span>
        </div>
      ) : null}
      <Results of={name} itemKey={call.key} content={call.content} found={found} />
    </article>
  );
});

/** What a call was given: a change of files as one, one text of many lines as it is, else a tree;
 *  what the header's line says in full is folded. */
function Arguments({ call, found }: { call: CallItem; found: boolean }) {
  if (!call.arguments || call.arguments === "{}") return null;
  const value = parsed(call.arguments);
  const fields = value !== null && typeof value === "object" && !Array.isArray(value) ? Object.entries(value) : [];
  const change = call.server === "" ? changeOf(call.tool, Object.fromEntries(fields)) : "";
  if (change) return <Diff label="Change" text={change} />;
  if (typeof value !== "object" || value === null) return <pre aria-label="Arguments" tabIndex={0}>{call.arguments}</pre>;
  const [only] = fields;
  if (fields.length === 1 && typeof only?.[1] === "string" && only[1].includes("\n") && only[1].length <= LONG_ARGUMENTS) return <pre aria-label="Arguments" tabIndex={0}>{only[1]}</pre>;
  const said = !summary(call.arguments).endsWith("…") && fields.every(([, each]) => typeof each !== "object" && String(each).length < 40);
  return (
    <Fold itemKey={`${call.key} arguments`} title="Arguments" initial={!said && call.arguments.length <= LONG_ARGUMENTS} forced={found}>
      {() => <JsonTree label="Arguments" value={value} open={2} />}
    </Fold>
  );
}

/** The change of files that a built-in tool is asked to make, "" for other tools. */
function changeOf(tool: string, args: Record<string, unknown>): string {
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : "");
  if (tool === "apply_patch") return Object.values(args).find((each): each is string => typeof each === "string" && isDiff(each.trimStart()))?.trimStart() ?? "";
  if (tool !== "write_file" || !text("path") || !("content" in args)) return "";
  const mode = text("mode");
  return `*** ${mode === "create" ? "Add" : "Update"} File: ${text("path")}\n${mode === "append" ? "@@ at the end\n" : mode === "create" ? "" : "@@ the whole file\n"}${text("content").replace(/\n$/, "").split("\n").map((line) => `+${line}`).join("\n")}`;
}

/** A native disclosure whose content is drawn while it is open. */
function Fold({ itemKey, title, initial, forced, children }: { itemKey: string; title: string; initial: boolean; forced: boolean; children: () => ReactNode }) {
  const [open, setOpen] = useOpened(itemKey, initial);
  const shown = open || forced;
  return (
    <details className="fold" open={shown} onToggle={(e) => { if (e.target === e.currentTarget && e.currentTarget.open !== shown) setOpen(e.currentTarget.open); }}>
      <summary>{title}</summary>
      {shown ? children() : null}
    </details>
  );
}
