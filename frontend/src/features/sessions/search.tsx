import { useEffect, useRef, useState } from "react";
import type { SearchHit } from "../../contract/types";
import { ago, baseName } from "../../lib/format";
import { errorText } from "../../lib/run";

/** How long typing rests before it is searched for. */
const REST_MS = 120;

/** What is searched for and what was found: hits is undefined until the first answer. */
export interface Search { query: string; hits: SearchHit[] | undefined; problem: string; ask: (query: string) => void }

/** Searches as the person types; only the answer to the newest query counts. */
export function useSearch(find: (query: string) => Promise<SearchHit[]>): Search {
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<{ hits?: SearchHit[]; problem: string }>({ problem: "" });
  const newest = useRef(0);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => { clearTimeout(timer.current); newest.current = -1; }, []);
  const ask = (text: string) => {
    setQuery(text);
    const mine = ++newest.current;
    clearTimeout(timer.current);
    if (text.trim() === "") return setFound({ problem: "" });
    timer.current = setTimeout(() => {
      find(text).then((hits) => { if (mine === newest.current) setFound({ hits, problem: "" }); },
        (err: unknown) => { if (mine === newest.current) setFound({ problem: errorText(err) }); });
    }, REST_MS);
  };
  return { query, hits: found.hits, problem: found.problem, ask };
}

const WHO: Record<string, string> = { user: "You", assistant: "Answer", tool: "Tool", title: "" };

/** What the search found, the words in their place. */
export function Hits({ search, current, onSelect }: { search: Search; current: string; onSelect: (id: string) => void }) {
  const { hits, problem } = search;
  return (
    <div className="session-groups">
      <p className={problem ? "line error hits-count" : "line muted hits-count"} role="status">
        {problem || (hits === undefined ? "Searching…" : hits.length === 0 ? "Nothing found" : `${hits.length} found`)}</p>
      <ul aria-label="Found">{(hits ?? []).map((hit, at) => (
        <li key={`${hit.sessionId} ${at}`}>
          <button type="button" className="hit" aria-current={hit.sessionId === current} title={hit.workspace || "No workspace"} onClick={() => onSelect(hit.sessionId)}>
            <span className="hit-head"><span className="title">{hit.title || "New session"}</span><span className="when">{ago(hit.atMs, Date.now())}</span></span>
            <span className="hit-text">{WHO[hit.role] ? `${WHO[hit.role]}: ` : ""}{hit.before}<mark>{hit.match}</mark>{hit.after}</span>
            {hit.workspace ? <span className="hit-where">{baseName(hit.workspace)}</span> : null}
          </button>
        </li>
      ))}</ul>
    </div>
  );
}
