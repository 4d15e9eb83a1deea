import { memo, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";
import { useStore } from "../../lib/use-store";
import type { ChatStore } from "./chat-store";
import { Markdown } from "./markdown";
import type { Item } from "./reducer";
import { ToolCard } from "./tool-card";

/** So many items are in the page at once; earlier ones on request. */
const PAGE = 150;

/** The conversation; children (open approvals) stand at its end. */
export function Conversation({ store, onLink, onRetry, children }: {
  store: ChatStore; onLink: (url: string) => void; onRetry: (server: string) => void; children?: ReactNode;
}) {
  const { items, sessionId, runId } = useStore(store.conversation);
  const problem = useStore(store.problem);
  const [more, setMore] = useState({ sessionId, pages: 1 });
  const pages = more.sessionId === sessionId ? more.pages : 1;
  const scroller = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (box && follows.current) box.scrollTop = box.scrollHeight;
  });
  useEffect(() => {
    // Pictures and colours come after drawing and make the column higher.
    const column = scroller.current?.firstElementChild;
    if (!column || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(() => { if (scroller.current && follows.current) scroller.current.scrollTop = scroller.current.scrollHeight; });
    watch.observe(column);
    return () => watch.disconnect();
  }, []);
  const from = Math.max(0, items.length - pages * PAGE);
  return (
    <div className="conversation" ref={scroller} onScroll={(e) => {
      const box = e.currentTarget;
      follows.current = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
    }}>
      <div className="column" role="log" aria-label="Conversation" aria-busy={runId !== ""}>
        {problem ? <p className="line error" role="alert">The conversation could not be read: {problem}{" "}
          <button type="button" className="btn" onClick={() => void store.read()}>Read again</button></p> : null}
        {from > 0 ? <button type="button" className="btn" onClick={() => { follows.current = false; setMore({ sessionId, pages: pages + 1 }); }}>
          Show earlier ({from})</button> : null}
        {items.length === 0 && !problem ? <div className="hello"><h2>What should the agent do?</h2>
          <p className="muted">It works in this session's workspace, with the servers that are connected on the right.</p></div> : null}
        {items.slice(from).map((item) => <Entry key={item.key} item={item} onLink={onLink} onRetry={onRetry} />)}
        {children}
      </div>
    </div>
  );
}

const STOPPED: Record<string, string> = {
  end_turn: "", cancelled: "Stopped", max_steps: "Stopped at the step limit", refused: "The model refused", error: "Ended by an error",
};

const Entry = memo(function Entry({ item, onLink, onRetry }: {
  item: Item; onLink: (url: string) => void; onRetry: (server: string) => void;
}) {
  switch (item.kind) {
    case "user": return <div className="user"><span className="sr">You: </span>{item.text}</div>;
    case "answer": return <Markdown text={item.text} live={item.open} onLink={onLink} />;
    case "reasoning": return <details className="reasoning"><summary>Reasoning{item.open ? "…" : ""}</summary><div>{item.text}</div></details>;
    case "call": return <ToolCard call={item} onRetry={onRetry} />;
    case "notice": return item.text.length > 160
      ? <p className="line muted notice" tabIndex={0} title={item.text}>{item.text}</p> : <p className="line muted">{item.text}</p>;
    case "error": return <p className="line error"><b>Error: </b>{item.text}</p>;
    case "done": {
      const parts = [STOPPED[item.stopReason] ?? item.stopReason, item.practice ? "Practice model" : item.model,
        item.tokens ? `${item.tokens.toLocaleString("en")} tokens` : ""].filter(Boolean);
      return parts.length ? <p className="line muted done">{parts.join(" · ")}</p> : null;
    }
  }
});
