import { ArrowDown, ClipboardCopy, Search } from "lucide-react";
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type ReactNode } from "react";
import type { ChatContent, MCPSnapshot } from "../../contract/types";
import type { Store } from "../../lib/store";
import { useStore } from "../../lib/use-store";
import { IconButton } from "../../ui/icon-button";
import { ActionsContext } from "../../ui/actions";
import type { ChatStore } from "./chat-store";
import { Entry, type EntryActions } from "./entry";
import { FindBar } from "./find-bar";
import { Hello } from "./hello";
import { OpenedContext } from "./opened";
import type { CallItem, Item } from "./reducer";
import { toMarkdown } from "./to-markdown";
import { useEntries, useFollow } from "./use-entries";
import { useFind, useHighlights } from "./use-find";

/** What the conversation shows and can ask for. children (open approvals) stand at its end. */
export interface ConversationProps {
  store: ChatStore; onLink: (url: string) => void;
  /** Tries the server of a failed call again and offers the call once more. */
  onRetryCall: (call: CallItem) => void;
  /** Ends one call of the running turn. */
  onCancelCall: (call: CallItem) => void;
  /** Sends text in the place of the message with that seq; whether it was accepted. Missing where nothing can be sent. */
  onResend?: (seq: number, text: string) => Promise<boolean>;
  onCopy?: (text: string) => void;
  /** Shows what went over the wire for a call. */
  onFrames?: (server: string, frame: number) => void;
  /** What the message with that seq carries, by its place. */
  onAttached?: (seq: number, at: number) => Promise<ChatContent[]>;
  /** Sends an example of an empty conversation; they are for the practice model. */
  onExample?: (text: string) => void;
  practice?: boolean; mcp: Store<MCPSnapshot>; workspace: string; children?: ReactNode;
}

/** The conversation of the shown session. */
export function Conversation({ store, onLink, onCopy, onFrames, practice = false, mcp, workspace, onExample, children, ...rest }: ConversationProps) {
  const { items, sessionId, runId } = useStore(store.conversation);
  const problem = useStore(store.problem);
  const loading = useStore(store.loading);
  const actions = useMemo(() => ({ onLink, onCopy, onFrames }), [onLink, onCopy, onFrames]);
  return (
    <ActionsContext value={actions}>
      <Pane key={sessionId} items={items} running={runId !== ""} onCopy={onCopy} {...rest}>
        {{
          head: problem ? <p className="line error" role="alert">The conversation could not be read: {problem}{" "}
            <button type="button" className="btn" onClick={() => void store.read()}>Read again</button></p>
            : items.length === 0 && !loading ? <Hello practice={practice} mcp={mcp} workspace={workspace} onExample={onExample} /> : null,
          foot: children,
        }}
      </Pane>
    </ActionsContext>
  );
}

function Pane({ items, running, onCopy, onRetryCall, onCancelCall, onResend, onAttached, children }: {
  items: readonly Item[]; running: boolean; onCopy?: (text: string) => void; children: { head: ReactNode; foot: ReactNode };
} & Pick<ConversationProps, "onRetryCall" | "onCancelCall" | "onResend" | "onAttached">) {
  const pane = useRef<HTMLDivElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const follows = useRef(true);
  const [opened] = useState(() => new Map<string, boolean>());
  const [edited, setEdited] = useState("");
  const { virtual, shown, before, after } = useEntries(items, box, follows);
  const follow = useFollow(box, follows);
  const find = useFind(items, pane);
  const found = find.current ? items[find.current.item]?.key ?? "" : "";
  useHighlights(find, pane, found);
  const { set } = follow;
  // Who says something, or has a call run again, wants to see what comes of it.
  const said = lastSaid(items);
  useLayoutEffect(() => set(true), [said, set]);
  const place = find.current?.item ?? -1;
  useEffect(() => {
    if (place < 0) return;
    set(false);
    virtual.scrollToIndex(place, { align: "auto" });
  }, [place, find.query, set, virtual]);
  const latest = useLatest(onRetryCall);
  const cancel = useLatest(onCancelCall);
  // Who opens something wants to see its beginning, not the end of the conversation.
  const read = useCallback((seq: number, at: number) => { set(false); return onAttached?.(seq, at) ?? Promise.resolve([]); }, [onAttached, set]);
  const actions = useMemo<EntryActions>(() => ({ onRetry: (call) => { set(true); latest.current(call); }, onCancel: (call) => cancel.current(call), onResend: running ? undefined : onResend, onAttached: onAttached ? read : undefined, edited, onEdit: setEdited }), [latest, cancel, onResend, onAttached, read, running, edited, set]);
  const close = () => (find.close() ?? box.current)?.focus();
  return (
    <div className="chat" ref={pane}>
      <div className="conversation" ref={box} role="log" aria-label="Conversation" aria-busy={running} tabIndex={0} onScroll={follow.onScroll} onWheel={follow.onWheel}>
        <div className="column">
          {children.head}
          <OpenedContext value={opened}>
            <div style={{ paddingTop: before, paddingBottom: after }}>{shown.map(({ index, key }) => {
              const item = items[index];
              return item ? <div key={key} className={found === item.key ? "entry found" : "entry"} data-index={index} data-key={item.key} ref={virtual.measureElement}>
                <Entry item={item} found={found === item.key} actions={actions} /></div> : null;
            })}</div>
          </OpenedContext>
          {children.foot}
        </div>
      </div>
      {find.open > 0 ? <FindBar query={find.query} at={find.at} count={find.found.length} opened={find.open} onQuery={find.seek} onStep={find.step} onClose={close} />
        : items.length > 0 ? <div className="chat-tools">
          <IconButton label="Find in conversation" title="Find in conversation (Ctrl+F)" icon={Search} onClick={find.show} />
          {onCopy ? <IconButton label="Copy conversation as Markdown" icon={ClipboardCopy} onClick={() => onCopy(toMarkdown(items))} /> : null}
        </div> : null}
      {follow.away ? <div className="to-end"><IconButton label="Go to the latest" icon={ArrowDown} onClick={() => { set(true); if (box.current) box.current.scrollTop = box.current.scrollHeight; box.current?.focus(); }} /></div> : null}
    </div>
  );
}

/** The key of the newest message of the person. */
function lastSaid(items: readonly Item[]): string {
  for (let at = items.length - 1; at >= 0; at--) if (items[at]?.kind === "user") return items[at]?.key ?? "";
  return "";
}

/** A reference to the newest value, for callbacks that stay the same. */
function useLatest<T>(value: T) {
  const ref = useRef(value);
  ref.current = value;
  return ref;
}
