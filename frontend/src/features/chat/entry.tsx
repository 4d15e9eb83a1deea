import { memo, Suspense, useMemo } from "react";
import type { ChatContent } from "../../contract/types";
import { duration, short } from "../../lib/format";
import { lazily } from "../../ui/lazily";
import { CopyButton } from "../../ui/copy-button";
import { Growing } from "./growing";
import { useOpened } from "./opened";
import type { CallItem, DoneItem, Item, TextItem } from "./reducer";
import { ToolCard } from "./tool-card";
import { UserMessage } from "./user-message";
import { useRevealed } from "./use-revealed";

const Markdown = lazily(() => import("../../ui/markdown"), "Markdown");

/** What an entry of the conversation can ask for. onResend is not there where nothing can be sent. */
export interface EntryActions {
  onRetry: (call: CallItem) => void; onCancel: (call: CallItem) => void; onResend?: (seq: number, text: string) => Promise<boolean>;
  /** What the message with that seq carries, by its place. */
  onAttached?: (seq: number, at: number) => Promise<ChatContent[]>;
  edited: string; onEdit: (key: string) => void;
}

/** One thing of the conversation. found: a search stands in it, so it is open. */
export const Entry = memo(function Entry({ item, found, actions }: { item: Item; found: boolean; actions: EntryActions }) {
  switch (item.kind) {
    case "user": return <UserMessage item={item} editing={actions.edited === item.key} onEdit={actions.onEdit} onResend={actions.onResend} onAttached={actions.onAttached} />;
    case "answer": return <Answer item={item} />;
    case "reasoning": return <Reasoning item={item} found={found} />;
    case "call": return <ToolCard call={item} found={found} onRetry={actions.onRetry} onCancel={actions.onCancel} />;
    case "notice": return item.text.length > 160
      ? <p className="line muted notice" tabIndex={0} title={item.text}>{item.text}</p> : <p className="line muted">{item.text}</p>;
    case "error": return <ErrorLine text={item.text} />;
    case "done": return <Done item={item} />;
  }
});

function Answer({ item }: { item: TextItem }) {
  const { shown, growing } = useRevealed(item.text, item.open);
  return (
    <div className="answer">
      <Suspense fallback={<Growing text={shown} />}><Markdown text={shown} live={growing} /></Suspense>
      {growing ? null : <div className="answer-tools"><CopyButton label="Copy as Markdown" word="Copy as Markdown" text={() => item.text} /></div>}
    </div>
  );
}

/** What the model thought, folded; it is drawn only while it is open. */
function Reasoning({ item, found }: { item: TextItem; found: boolean }) {
  const [opened, setOpen] = useOpened(item.key, false);
  const open = opened || found;
  const size = item.tookMs > 0 ? `for ${duration(item.tookMs)}` : item.open ? "" : `· ${short(item.text.length)} characters`;
  return (
    <details className="reasoning" open={open} onToggle={(e) => { if (e.currentTarget.open !== open) setOpen(e.currentTarget.open); }}>
      <summary>{item.open ? "Reasoning…" : `Reasoning ${size}`}</summary>
      {open ? <Growing text={item.text} /> : null}
    </details>
  );
}

/** An error with the way out, where the text names one that the person has. */
function ErrorLine({ text }: { text: string }) {
  const advice = useMemo(() => wayOut(text), [text]);
  return (
    <div className="line error fault" role="note" aria-label="Error">
      <p><b>Error: </b>{text}</p>
      {advice ? <p className="muted">{advice}</p> : null}
    </div>
  );
}

/** What to do about an error of the model's endpoint, by what it says. */
export function wayOut(text: string): string {
  if (/\b401\b|\b403\b|unauthori[sz]ed|api key|forbidden/i.test(text)) return "Check the key of the model in Settings, then send the message again.";
  if (/\b429\b|rate limit|quota|too many requests/i.test(text)) return "The endpoint is limiting requests: wait a little, then send the message again.";
  if (/context length|context window|too long|maximum.*tokens|token limit/i.test(text)) return "The conversation is too long for the model: start a new session, or edit an earlier message and resend.";
  if (/connection refused|no such host|network|timed? ?out|unreachable|dial tcp|EOF/i.test(text)) return "Check that the endpoint of the model in Settings is running and can be reached, then send the message again.";
  if (/\b404\b|model.*not (found|exist)/i.test(text)) return "Check the base URL and the name of the model in Settings.";
  if (/\b5\d\d\b|overloaded|unavailable/i.test(text)) return "The endpoint has a problem of its own: send the message again in a moment.";
  return "";
}

const STOPPED: Record<string, string> = {
  end_turn: "", cancelled: "Stopped", max_steps: "Stopped at the step limit: say \"go on\" to continue", refused: "The model refused", error: "Ended by an error",
};

function Done({ item }: { item: DoneItem }) {
  const parts = [STOPPED[item.stopReason] ?? item.stopReason, item.practice ? "Practice model" : item.model,
    item.tokens ? `${item.tokens.toLocaleString("en")} tokens` : ""].filter(Boolean);
  return parts.length ? <p className="line muted done">{parts.join(" · ")}</p> : null;
}
