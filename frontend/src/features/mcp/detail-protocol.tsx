import type { ServerRow } from "../../contract/types";
import { FactList, Part } from "./detail-facts";
import { REVISIONS } from "./words";

const [NEWEST] = REVISIONS;

/** What the revision 2026-07-28 deprecates, as a person would call it. */
const LEANS: Readonly<Record<string, string>> = {
  roots: "roots", sampling: "sampling", logging: "log messages", sse: "the HTTP+SSE transport", dynamic_registration: "dynamic client registration",
};

/** What a server speaks and offers, and what of it is on its way out. */
export function Protocol({ row }: { row: ServerRow }) {
  if (!row.protocol) return null;
  return (
    <Part title="Protocol">
      <FactList label="Protocol" facts={[
        ["Revision", row.protocol === NEWEST ? <>{row.protocol} <span className="muted">the newest</span></> : row.protocol],
        ["Transport", <span key="transport" className="mono">{row.type}</span>],
        ["Server", [row.serverName, row.serverVersion].filter(Boolean).join(" ")],
      ]} />
      {row.capabilities.length > 0 ? <ul className="capabilities" aria-label="Capabilities">{families(row.capabilities).map(({ name, more }) => (
        <li key={name} className="badge">{name}{more.map((each) => <span key={each} className="muted"> {each}</span>)}</li>
      ))}</ul> : null}
      {row.deprecated.length > 0 ? <p className="leans"><b>Leans on deprecated: {row.deprecated.map((each) => LEANS[each] ?? each).join(", ")}.</b>{" "}
        <span className="muted">It works here. Revision {NEWEST} announces that a later one will not have it, so its author should move on.</span></p> : null}
    </Part>
  );
}

/** Capabilities by their first word: "tools" with "listChanged" beside it. */
export function families(capabilities: readonly string[]): { name: string; more: string[] }[] {
  const all = new Map<string, string[]>();
  for (const each of capabilities) {
    const [name = each, ...rest] = each.split(".");
    const more = all.get(name) ?? [];
    if (rest.length > 0) more.push(rest.join("."));
    all.set(name, more);
  }
  return [...all].map(([name, more]) => ({ name, more }));
}
