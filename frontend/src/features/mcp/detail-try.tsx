import { useEffect, useMemo, useRef, useState } from "react";
import type { ServerTool, ToolOutcome } from "../../contract/types";
import { duration } from "../../lib/format";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";
import { useClock } from "./detail-stages";
import { Result } from "./detail-result";
import { SchemaForm } from "./schema-form";
import { argumentsOf, fieldOf, problemsOf, readSchema, startOf } from "./schema-form-model";

/** A call that a person makes: its course and what came back. */
function useCall(host: Host, server: string, tool: ServerTool) {
  const [running, setRunning] = useState<{ id: string; startedMs: number }>();
  const [outcome, setOutcome] = useState<ToolOutcome>();
  const [error, setError] = useState("");
  const current = useRef("");
  const cancel = () => { if (current.current) void host.cancelTool(current.current).catch((err: unknown) => setError(errorText(err))); };
  // Leaving the tool ends its call: nobody would see the answer.
  useEffect(() => () => {
    if (current.current) void host.cancelTool(current.current).catch(() => undefined);
    current.current = "";
  }, [host]);
  const run = async (args: string) => {
    const id = crypto.randomUUID();
    current.current = id;
    setRunning({ id, startedMs: Date.now() });
    setOutcome(undefined);
    setError("");
    try {
      const came = await host.callTool(id, server, tool.original, args);
      if (current.current === id) setOutcome(came);
    } catch (err) {
      if (current.current === id) setError(errorText(err));
    } finally {
      if (current.current === id) {
        current.current = "";
        setRunning(undefined);
      }
    }
  };
  return { running, outcome, error, run, cancel };
}

/** The form to try one tool: made from its schema, or its arguments as JSON. */
export function TryTool({ host, server, tool, blocked }: { host: Host; server: string; tool: ServerTool; blocked: string }) {
  const field = useMemo(() => fieldOf(readSchema(tool.schema)), [tool.schema]);
  const [value, setValue] = useState<unknown>(() => startOf(field, undefined, true) ?? {});
  const [mode, setMode] = useState<"form" | "json">("form");
  const [json, setJson] = useState("");
  const [asked, setAsked] = useState(false);
  const { running, outcome, error, run, cancel } = useCall(host, server, tool);
  const now = useClock(running !== undefined);
  const problems = useMemo(() => problemsOf(field, value, true), [field, value]);
  const jsonProblem = mode === "json" ? jsonProblemOf(json) : "";
  const first = mode === "json" ? jsonProblem : [...problems].map(([path, text]) => `${path.split("/").filter(Boolean).join(" ") || "Arguments"} ${text}`)[0] ?? "";
  const toJson = () => { setJson(argumentsOf(value)); setMode("json"); };
  const toForm = () => { setValue(JSON.parse(json) as unknown); setMode("form"); };
  const submit = () => {
    setAsked(true);
    if (first === "" && !running && blocked === "") void run(mode === "json" ? json : argumentsOf(value));
  };
  return (
    <form className="try" aria-label={`Try ${tool.name}`} onSubmit={(e) => { e.preventDefault(); submit(); }}
      onKeyDown={(e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); submit(); } }}>
      <div className="try-head"><h4>Try it</h4><span className="grow" />
        <div className="segments" role="radiogroup" aria-label="Arguments as">
          <label className="segment"><input type="radio" name={`mode ${tool.original}`} checked={mode === "form"} disabled={mode === "json" && jsonProblem !== ""} onChange={toForm} />Form</label>
          <label className="segment"><input type="radio" name={`mode ${tool.original}`} checked={mode === "json"} onChange={toJson} />JSON</label>
        </div></div>
      {mode === "form" ? <SchemaForm field={field} value={value} problems={asked ? problems : NONE} onChange={setValue} />
        : <textarea className="mono try-json" aria-label="Arguments as JSON" aria-invalid={jsonProblem !== "" || undefined} rows={8} spellCheck={false} value={json} onChange={(e) => setJson(e.target.value)} />}
      <div className="try-run">
        {running ? <button type="button" className="btn" onClick={cancel}>Cancel</button> : <button type="submit" className="btn primary" disabled={blocked !== ""}>Run</button>}
        <span className={asked && first ? "line error" : "muted"} role="status">{running ? `Running, ${duration(now - running.startedMs) || "0 ms"}` : blocked || (asked ? first : "")}</span>
      </div>
      {error ? <p className="line error" role="alert">{error}</p> : null}
      {outcome ? <Result outcome={outcome} tool={tool.name} /> : null}
    </form>
  );
}

const NONE: ReadonlyMap<string, string> = new Map();

function jsonProblemOf(text: string): string {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === "object" && value !== null && !Array.isArray(value) ? "" : "Arguments are a JSON object";
  } catch (err) {
    return err instanceof Error ? `No JSON: ${err.message}` : "No JSON";
  }
}
