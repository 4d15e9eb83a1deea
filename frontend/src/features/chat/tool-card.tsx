import { memo, useMemo } from "react";
import { duration } from "../../lib/format";
import { Diff } from "../../ui/diff";
import { isDiff } from "../../ui/diff-lines";
import { FramesButton } from "../../ui/frames-button";
import { JsonTree } from "../../ui/json-tree";
import { Lamp } from "../../ui/lamp";
import { callName, parsed, summary } from "./call-text";
import { useOpened } from "./opened";
import type { CallItem } from "./reducer";
import { Results } from "./results";

/** Longer arguments are folded. */
const LONG_ARGUMENTS = 400;
/** Reasons for which trying the server again is the way out. */
const SERVER_FAULTS: readonly string[] = ["server_gone", "timed_out", "protocol_error"];

/** One tool call: what was asked, how it went, what came back. found opens what is folded. */
export const ToolCard = memo(function ToolCard({ call, found, onRetry, onCancel }: {
  call: CallItem; found: boolean; onRetry: (call: CallItem) => void; onCancel: (call: CallItem) => void;
}) {
  const name = callName(call);
  const given = useMemo(() => argumentsOf(call), [call.arguments, call.tool, call.server]);
  const [opened, setOpen] = useOpened(`${call.key} arguments`, given.kind === "tree" && given.open);
  const retry = call.status === "failed" && call.server !== "" && SERVER_FAULTS.includes(call.reason);
  return (
    <article className={`card call ${call.status}`} aria-label={`Tool call ${name}`}>
      <header>
        <Lamp shape={call.status === "running" ? "arc" : call.status === "ok" ? "disc" : "cross"} />
        <span className="mono name">{call.server ? <span className="muted">{call.server} · </span> : null}{call.tool}</span>
        {given.kind === "tree" ? <button type="button" className="summary mono" aria-label={`Arguments ${given.line}`} aria-expanded={opened || found} title={given.line} onClick={() => setOpen(!opened)}>{given.line}</button> : <span className="grow" />}
        <span className={`word ${call.status}`}>{call.asking ? "waiting for approval" : call.status}{call.reason ? ` (${call.reason.replaceAll("_", " ")})` : ""}</span>
        {call.tookMs > 0 ? <span className="muted num">{duration(call.tookMs)}</span> : null}
        <FramesButton server={call.server} frame={call.frame} of={call.tool} />
        {call.status === "running" && !call.asking ? <button type="button" className="btn ghost" aria-label={`Cancel call of ${call.tool}`} title="End this call only; the agent goes on" onClick={() => onCancel(call)}>Cancel</button> : null}
        {retry ? <button type="button" className="btn" aria-label={`Retry call of ${call.server}`} title={`Try ${call.server} again and offer this call once more`} onClick={() => onRetry(call)}>Retry</button> : null}
      </header>
      {given.kind === "tree" && (opened || found) ? <div className="call-tree"><JsonTree label="Arguments" value={given.value} open={2} /></div> : null}
      {given.kind === "text" ? <pre aria-label="Arguments" tabIndex={0}>{given.text}</pre> : null}
      {given.kind === "change" && !call.asking ? <Diff label="Change" text={given.text} /> : null}
      {call.status === "running" && (call.progressText || call.total > 0) ? (
        <div className="progress">
          {call.total > 0 ? <progress aria-label={`Progress of ${name}`} value={call.progress} max={call.total} /> : null}
          <span className="muted">{call.progressText || `${call.progress} of ${call.total}`}</span>
        </div>
      ) : null}
      {call.warning ? <p className="line warning" role="note" aria-label="Warning">{call.warning}</p> : null}
      <Results of={name} itemKey={call.key} content={call.content} found={found} />
    </article>
  );
});

type Given = { kind: "none" } | { kind: "change" | "text"; text: string } | { kind: "tree"; value: object; line: string; open: boolean };

/** What a call was given: a change of files as one, one text of some lines as it is, else a tree
 *  behind a line; it is folded where the line says it all, or where it is long. */
function argumentsOf(call: CallItem): Given {
  if (!call.arguments || call.arguments === "{}") return { kind: "none" };
  const value = parsed(call.arguments);
  if (typeof value !== "object" || value === null) return { kind: "text", text: call.arguments };
  const fields = Object.entries(value);
  const change = call.server === "" ? changeOf(call.tool, Object.fromEntries(fields)) : "";
  if (change) return { kind: "change", text: change };
  const [only] = fields;
  if (fields.length === 1 && typeof only?.[1] === "string" && only[1].includes("\n") && only[1].length <= LONG_ARGUMENTS) return { kind: "text", text: only[1] };
  const line = summary(call.arguments);
  const said = !line.endsWith("…") && fields.every(([, each]) => typeof each !== "object" && String(each).length < 60);
  return { kind: "tree", value, line: line || "…", open: !said && call.arguments.length <= LONG_ARGUMENTS };
}

/** The change of files that a built-in tool is asked to make, "" for other tools. */
function changeOf(tool: string, args: Record<string, unknown>): string {
  const text = (name: string) => (typeof args[name] === "string" ? args[name] : "");
  if (tool === "apply_patch") return Object.values(args).find((each): each is string => typeof each === "string" && isDiff(each.trimStart()))?.trimStart() ?? "";
  if (tool !== "write_file" || !text("path") || !("content" in args)) return "";
  const mode = text("mode");
  return `*** ${mode === "create" ? "Add" : "Update"} File: ${text("path")}\n${mode === "append" ? "@@ at the end\n" : mode === "create" ? "" : "@@ the whole file\n"}${text("content").replace(/\n$/, "").split("\n").map((line) => `+${line}`).join("\n")}`;
}
