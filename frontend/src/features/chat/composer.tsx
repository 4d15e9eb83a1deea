import { Suspense, useCallback, useId, useLayoutEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";
import type { MCPSnapshot, Mention, ServerPrompt } from "../../contract/types";
import { short } from "../../lib/format";
import type { Store } from "../../lib/store";
import { useSelect } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { lazily } from "../../ui/lazily";
import type { ChatStore } from "./chat-store";
import { fit } from "./fit";
import { MentionChips, withMentions } from "./mentions";
import type { Keys } from "./suggest";
import { replaced, tokenAt, type Suggestion, type Token } from "./suggestions";
import { useComposition } from "./use-composition";
import { useMessage } from "./use-message";

const loadSuggest = () => import("./suggest");
const Suggest = lazily(loadSuggest, "Suggest");
const PromptForm = lazily(() => import("./prompt-form"), "PromptForm");

/** The field grows to so many lines. */
const LINES = 8;

/** Where resources and prompts come from. */
export interface Library { mcp: Store<MCPSnapshot>; host: Host }

/** Where a message is written. Enter sends, Shift+Enter makes a line, and the Enter or Escape
 *  that ends an input method's choice does neither. "@" offers resources, "/" prompts, where there
 *  is a library. What is not sent stays the session's draft. children stand above the field. */
export function Composer({ store, sessionId, running, disabled, library, onSend, onStop, children }: {
  store: ChatStore; sessionId: string; running: boolean; disabled: string; library?: Library;
  onSend: (text: string, mentions: readonly Mention[]) => Promise<boolean>; onStop: () => void; children?: ReactNode;
}) {
  const box = useRef<HTMLTextAreaElement>(null);
  const { text, write, mentions, carry, sent } = useMessage(store, sessionId, box);
  const [sending, setSending] = useState(false);
  const context = useSelect(store.conversation, (each) => each.context);
  const ime = useComposition();
  const choice = useChoice(text);
  const { prompt, ask } = usePrompt();
  const caret = useRef(-1); // where it belongs once the text that was put in is drawn
  useLayoutEffect(() => {
    fit(box.current, LINES);
    if (caret.current < 0) return;
    box.current?.focus();
    box.current?.setSelectionRange(caret.current, caret.current);
    choice.at(caret.current);
    caret.current = -1;
  }, [text]);
  const send = async () => {
    const message = text.trim();
    if (message === "" || disabled || running || sending) return;
    setSending(true);
    if (await onSend(message, mentions)) sent(text, mentions);
    setSending(false);
    if (document.activeElement === document.body || document.activeElement?.closest(".composer")) box.current?.focus();
  };
  const onKeyDown = (e: KeyboardEvent) => {
    if (ime.holds(e)) return;
    if (choice.keys.current?.(e)) return e.preventDefault();
    const plain = !e.shiftKey && !e.altKey && !e.ctrlKey && !e.metaKey;
    if (e.key === "ArrowUp" && text === "" && plain) {
      const last = lastMessage(store);
      if (last) { e.preventDefault(); write(last); }
    }
    if (e.key === "Backspace" && text === "" && plain && mentions.length > 0) carry(mentions.slice(0, -1));
    if (e.key !== "Enter" || e.shiftKey) return;
    e.preventDefault();
    void send();
  };
  const place = (next: string, at: number) => {
    caret.current = at;
    write(next);
  };
  const choose = (token: Token, chosen: Suggestion) => {
    if (chosen.kind === "prompt") return ask({ server: chosen.server, prompt: chosen.prompt, token });
    place(replaced(text, token, ""), token.start);
    carry(withMentions(mentions, [chosen.mention]));
  };
  const { token } = choice;
  const why = disabled || (running ? "The agent is at work: stop it, or wait for its answer" : sending ? "The message is being sent" : text.trim() === "" ? "Write a message first" : "");
  return (
    <form className="composer" onSubmit={(e) => { e.preventDefault(); void send(); }} onMouseDown={(e) => {
      if (e.target === e.currentTarget) { e.preventDefault(); box.current?.focus(); }
    }}>
      {children}
      {library && prompt ? <Suspense><PromptForm key={`${prompt.server} ${prompt.prompt.name}`} server={prompt.server} prompt={prompt.prompt} host={library.host} onClose={() => { ask(undefined); choice.close(); box.current?.focus(); }}
        onUse={(insert) => { ask(undefined); const next = replaced(text, prompt.token, insert.text); place(next, Math.min(next.length, prompt.token.start + insert.text.length)); carry(withMentions(mentions, insert.mentions)); choice.close(); }} /></Suspense>
        : library && token ? <Suspense><Suggest key={token.trigger} id={choice.id} token={token} mcp={library.mcp} host={library.host} kept={store.offers} keys={choice.keys} onActive={choice.setActive} onChoose={(chosen) => choose(token, chosen)} onClose={choice.close} /></Suspense> : null}
      <MentionChips mentions={mentions} onRemove={(gone) => { carry(mentions.filter((each) => each !== gone)); box.current?.focus(); }} />
      <div className="row">
        <textarea ref={box} aria-label="Message" rows={1} value={text} placeholder={disabled || "Message"} disabled={disabled !== ""}
          aria-autocomplete={library ? "list" : undefined} aria-controls={choice.active ? choice.id : undefined} aria-activedescendant={choice.active || undefined}
          onChange={(e) => { write(e.target.value); choice.at(e.target.selectionStart); }} onSelect={(e) => choice.at(e.currentTarget.selectionStart)} onFocus={(e) => { choice.at(e.currentTarget.selectionStart); if (library) void loadSuggest(); }} onBlur={choice.leave}
          onCompositionStart={ime.start} onCompositionEnd={ime.end} onKeyDown={onKeyDown} />
        {context > 0 ? <span className="meter mono muted" title={`The last request and its answer were ${context.toLocaleString("en")} tokens`}>{short(context)}<span className="sr"> tokens of context</span></span> : null}
        {running ? <button type="button" className="btn" onClick={onStop}>Stop</button> : null}
        <button type="submit" className="btn primary" title={why || "Enter sends, Shift+Enter makes a new line"} disabled={why !== ""}>Send</button>
      </div>
    </form>
  );
}

/** The prompt whose arguments are asked for, and what it will take the place of. */
function usePrompt() {
  const [prompt, ask] = useState<{ server: string; prompt: ServerPrompt; token: Token }>();
  return { prompt, ask };
}

/** The token at the caret, until the person closes the list for it. */
function useChoice(text: string) {
  const [caret, setCaret] = useState(-1);
  const [closed, setClosed] = useState(-1); // the start of the token that it is closed for
  const [active, setActive] = useState("");
  const keys: Keys = useRef(undefined);
  const id = useId();
  const found = caret < 0 || caret > text.length ? undefined : tokenAt(text, caret);
  const token = found && found.start === closed ? undefined : found;
  const at = useCallback((next: number) => setCaret(next), []);
  // A new word at the same place may open it again.
  if (!found && closed >= 0 && caret >= 0) setClosed(-1);
  return { token, active, setActive, keys, id, at, leave: () => setCaret(-1), close: () => setClosed(found?.start ?? -1) };
}

function lastMessage(store: ChatStore): string {
  const { items } = store.conversation.get();
  for (let at = items.length - 1; at >= 0; at--) {
    const item = items[at];
    if (item?.kind === "user") return item.text;
  }
  return "";
}
