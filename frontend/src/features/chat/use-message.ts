import { useEffect, useState, type RefObject } from "react";
import type { Insert, Mention } from "../../contract/types";
import { useStore } from "../../lib/use-store";
import type { ChatStore } from "./chat-store";
import { withMentions } from "./mentions";

/** The message that is being written in a session: its text, what it is to carry, and both as the
 *  session's draft. What another part of the window wants in it is put at its end. */
export function useMessage(store: ChatStore, sessionId: string, box: RefObject<HTMLTextAreaElement | null>) {
  const [text, setText] = useState(() => store.drafts.get(sessionId) ?? "");
  const [mentions, setMentions] = useState(() => store.mentions.get(sessionId));
  const write = (next: string) => {
    setText(next);
    if (next === "") store.drafts.delete(sessionId);
    else store.drafts.set(sessionId, next);
  };
  const carry = (next: readonly Mention[]) => {
    setMentions(next);
    store.mentions.set(sessionId, next);
  };
  const put = (insert: Insert) => {
    if (insert.text !== "") write(text === "" ? insert.text : `${text.replace(/\s+$/, "")}\n\n${insert.text}`);
    carry(withMentions(mentions, insert.mentions));
    requestAnimationFrame(() => box.current?.focus());
  };
  const insert = useStore(store.insert);
  useEffect(() => {
    if (!insert) return;
    store.insert.set(undefined);
    put(insert);
    // Once for each thing that is wanted in it.
  }, [insert]);
  /** Takes back what was sent, unless another message is there by now. */
  const sent = (what: string, carried: readonly Mention[]) => {
    // Another session may be shown by now, and more may have been written meanwhile.
    if (store.drafts.get(sessionId) === what) store.drafts.delete(sessionId);
    if (JSON.stringify(store.mentions.get(sessionId)) === JSON.stringify(carried)) store.mentions.set(sessionId, []);
    setText((now) => (now === what ? "" : now));
    setMentions((now) => (now === carried ? [] : now));
  };
  return { text, write, mentions, carry, sent };
}
