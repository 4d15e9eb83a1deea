import { useMemo, useState } from "react";
import type { ServerTool } from "../../contract/types";
import { duration } from "../../lib/format";
import { useStore } from "../../lib/use-store";
import { useClock } from "./detail-stages";
import { Result } from "./detail-result";
import type { Tries, Try } from "./detail-tries";
import { SchemaForm } from "../../ui/schema-form";
import { argumentsOf, problemsOf } from "../../ui/schema-form-model";

/** The form to try one tool: made from its schema, or its arguments as JSON. */
export function TryTool({ tries, tool, blocked }: { tries: Tries; tool: ServerTool; blocked: string }) {
  const cell = tries.of(tool);
  const { field, value, mode, json, asked, running, outcome, error } = useStore(cell);
  const set = (part: Partial<Try>) => cell.set({ ...cell.get(), ...part });
  const [old] = useState(outcome);
  const now = useClock(running !== undefined);
  const problems = useMemo(() => problemsOf(field, value, true), [field, value]);
  const jsonProblem = mode === "json" ? jsonProblemOf(json) : "";
  const first = mode === "json" ? jsonProblem : [...problems].map(([path, text]) => `${path.split("/").filter(Boolean).join(" ") || "Arguments"} ${text}`)[0] ?? "";
  const submit = () => {
    set({ asked: true });
    if (first === "" && !running && blocked === "") void tries.run(tool, mode === "json" ? json : argumentsOf(value));
  };
  return (
    <form className="try" noValidate aria-label={`Try ${tool.name}`} onSubmit={(e) => { e.preventDefault(); submit(); }}
      onKeyDown={(e) => { if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); submit(); } }}>
      <div className="try-head"><h4>Try it</h4><span className="grow" />
        <div className="segments" role="radiogroup" aria-label="Arguments as">
          <label className="segment"><input type="radio" name={`mode ${tool.original}`} checked={mode === "form"} disabled={mode === "json" && jsonProblem !== ""} onChange={() => set({ mode: "form", value: JSON.parse(json) as unknown })} />Form</label>
          <label className="segment"><input type="radio" name={`mode ${tool.original}`} checked={mode === "json"} onChange={() => set({ mode: "json", json: argumentsOf(value) })} />JSON</label>
        </div></div>
      {mode === "form" ? <SchemaForm field={field} value={value} problems={asked ? problems : NONE} onChange={(next) => set({ value: next })} />
        : <textarea className="mono try-json" aria-label="Arguments as JSON" aria-invalid={jsonProblem !== "" || undefined} rows={8} spellCheck={false} value={json} onChange={(e) => set({ json: e.target.value })} />}
      <div className="try-run">
        {running ? <button type="button" className="btn" onClick={() => tries.cancel(tool)}>Cancel</button> : <button type="submit" className="btn primary" disabled={blocked !== ""}>Run</button>}
        <span className={asked && first ? "line error" : "muted"} role="status">{running ? `Running, ${duration(now - running.startedMs) || "0 ms"}` : blocked || (asked || mode === "json" ? first : "")}</span>
      </div>
      {error ? <p className="line error" role="alert">{error}</p> : null}
      {outcome ? <Result outcome={outcome} server={tries.server} tool={tool.name} fresh={outcome !== old} /> : null}
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
