import { useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import { short } from "../../lib/format";
import { useSelect } from "../../lib/use-store";
import type { ChatStore } from "./chat-store";
import { fit } from "./fit";

/** How long after the end of a composition an Enter still belongs to it. */
const IME_TAIL_MS = 60;
/** The field grows to so many lines. */
const LINES = 8;

/** Where a message is written. Enter sends, Shift+Enter makes a line, and the Enter or Escape
 *  that ends an input method's choice does neither: WebKit sends it after compositionend with
 *  keyCode 229, Chrome before it with isComposing. What is not sent stays the session's draft.
 *  children stand above the field. */
export function Composer({ store, sessionId, running, disabled, onSend, onStop, children }: {
  store: ChatStore; sessionId: string; running: boolean; disabled: string;
  onSend: (text: string) => Promise<boolean>; onStop: () => void; children?: ReactNode;
}) {
  const [text, setText] = useState(() => store.drafts.get(sessionId) ?? "");
  const [sending, setSending] = useState(false);
  const context = useSelect(store.conversation, (each) => each.context);
  const box = useRef<HTMLTextAreaElement>(null);
  const ime = useComposition();
  useLayoutEffect(() => fit(box.current, LINES), [text]);
  const write = (next: string) => {
    setText(next);
    if (next === "") store.drafts.delete(sessionId);
    else store.drafts.set(sessionId, next);
  };
  const send = async () => {
    const message = text.trim();
    if (message === "" || disabled || running || sending) return;
    setSending(true);
    const accepted = await onSend(message);
    // Another session may be shown by now, and more may have been written meanwhile.
    if (accepted && store.drafts.get(sessionId) === text) store.drafts.delete(sessionId);
    if (accepted) setText((now) => (now === text ? "" : now));
    setSending(false);
    if (document.activeElement === document.body || document.activeElement?.closest(".composer")) box.current?.focus();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (ime.holds(e)) return;
    if (e.key === "ArrowUp" && text === "" && !e.shiftKey && !e.altKey && !e.ctrlKey && !e.metaKey) {
      const last = lastMessage(store);
      if (last) { e.preventDefault(); write(last); }
    }
    if (e.key !== "Enter" || e.shiftKey) return;
    e.preventDefault();
    void send();
  };
  const why = disabled || (running ? "The agent is at work: stop it, or wait for its answer" : sending ? "The message is being sent" : text.trim() === "" ? "Write a message first" : "");
  return (
    <form className="composer" onSubmit={(e) => { e.preventDefault(); void send(); }} onMouseDown={(e) => {
      if (e.target === e.currentTarget) { e.preventDefault(); box.current?.focus(); }
    }}>
      {children}
      <div className="row">
        <textarea ref={box} aria-label="Message" rows={1} value={text} placeholder={disabled || "Message"} disabled={disabled !== ""}
          onChange={(e) => write(e.target.value)} onCompositionStart={ime.start} onCompositionEnd={ime.end} onKeyDown={onKeyDown} />
        {context > 0 ? <span className="meter mono muted" title={`The last request and its answer were ${context.toLocaleString("en")} tokens`}>{short(context)}<span className="sr"> tokens of context</span></span> : null}
        {running ? <button type="button" className="btn" onClick={onStop}>Stop</button> : null}
        <button type="submit" className="btn primary" title={why || "Enter sends, Shift+Enter makes a new line"} disabled={why !== ""}>Send</button>
      </div>
    </form>
  );
}

/** Tells the keys of an input method from those meant for the field. */
function useComposition() {
  const composing = useRef(false);
  const ended = useRef(-Infinity);
  return {
    start: () => { composing.current = true; },
    end: (e: { timeStamp: number }) => { composing.current = false; ended.current = e.timeStamp; },
    holds: (e: KeyboardEvent) => {
      if (composing.current || e.nativeEvent.isComposing || e.keyCode === 229) return true;
      const since = e.timeStamp - ended.current;
      return e.key === "Enter" && since >= 0 && since < IME_TAIL_MS;
    },
  };
}

function lastMessage(store: ChatStore): string {
  const { items } = store.conversation.get();
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (item?.kind === "user") return item.text;
  }
  return "";
}
