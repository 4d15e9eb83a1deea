import type { MCPSnapshot, ServerRow } from "../../contract/types";
import type { Store } from "../../lib/store";
import { useStore } from "../../lib/use-store";

/** Messages that the practice model understands with what is connected now. */
export function examples(rows: readonly ServerRow[], workspace: string): string[] {
  const demo = rows.some((row) => row.name === "demo" && row.state === "connected" && row.lit);
  if (demo) return ["list tools", "call demo_add with a=2 b=3", 'call demo_echo with {"text": "hello"}'];
  if (workspace) return ["list tools", 'call bash with {"command": "ls"}', "what can you do?"];
  return ["list tools", "what can you do?", "help"];
}

/** An empty conversation: what it is for, and something to begin with. */
export function Hello({ practice, mcp, workspace, onExample }: {
  practice: boolean; mcp: Store<MCPSnapshot>; workspace: string; onExample?: (text: string) => void;
}) {
  const { rows } = useStore(mcp);
  return (
    <div className="hello">
      <h2>What should the agent do?</h2>
      <p className="muted">{workspace ? "It works in this session's workspace, with the services that are lit below." : "It has no workspace here, but may use the services that are lit below."}</p>
      {practice && onExample ? (
        <ul className="examples" aria-label="Examples">{examples(rows, workspace).map((each) => (
          <li key={each}><button type="button" className="btn mono" onClick={() => onExample(each)}>{each}</button></li>
        ))}</ul>
      ) : null}
    </div>
  );
}
