import { useLayoutEffect, useRef, useState } from "react";
import type { ChatContent } from "../../contract/types";
import { CopyButton } from "../../ui/copy-button";
import { fit } from "./fit";
import { AttachedChips } from "./mentions";
import type { TextItem } from "./reducer";

/** A message of the person; it can be edited in its place and sent again from there. */
export function UserMessage({ item, editing, onEdit, onResend, onAttached }: {
  item: TextItem; editing: boolean; onEdit: (key: string) => void; onResend?: (seq: number, text: string) => Promise<boolean>;
  onAttached?: (seq: number, at: number) => Promise<ChatContent[]>;
}) {
  if (editing && onResend) return <Editor item={item} onResend={onResend} onClose={() => onEdit("")} />;
  const attached = item.attached ?? [];
  return (
    <div className={attached.length > 0 ? "said-all" : undefined}>
      <div className="said">
        <div className="said-tools">
          <CopyButton label="Copy message" text={() => item.text} />
          {onResend ? <button type="button" className="quiet-btn" onClick={() => onEdit(item.key)}>Edit and resend</button> : null}
        </div>
        <div className="user"><span className="sr">You: </span>{item.text}</div>
      </div>
      <AttachedChips attached={attached} itemKey={item.key} read={onAttached ? (at) => onAttached(item.seq, at) : undefined} />
    </div>
  );
}

function Editor({ item, onResend, onClose }: { item: TextItem; onResend: (seq: number, text: string) => Promise<boolean>; onClose: () => void }) {
  const [text, setText] = useState(item.text);
  const [sending, setSending] = useState(false);
  const box = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => fit(box.current, 14), [text]);
  useLayoutEffect(() => { box.current?.focus(); box.current?.setSelectionRange(item.text.length, item.text.length); }, [item.text]);
  const send = async () => {
    if (text.trim() === "" || sending) return;
    setSending(true);
    if (await onResend(item.seq, text.trim())) onClose();
    setSending(false);
  };
  return (
    <form className="editor" aria-label="Edit and resend" onSubmit={(e) => { e.preventDefault(); void send(); }}>
      <textarea ref={box} aria-label="Edit message" rows={1} value={text} onChange={(e) => setText(e.target.value)} onKeyDown={(e) => {
        if (e.nativeEvent.isComposing || e.keyCode === 229) return;
        if (e.key === "Escape") { e.preventDefault(); onClose(); }
        if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) { e.preventDefault(); void send(); }
      }} />
      <div className="editor-foot"><span className="muted">What came after it leaves the conversation{item.attached ? "; the attached resources go along" : ""}.</span><span className="grow" />
        <button type="button" className="btn" onClick={onClose}>Cancel</button>
        <button type="submit" className="btn primary" disabled={sending || text.trim() === ""} title={text.trim() === "" ? "Write a message first" : "Ctrl+Enter"}>Resend</button></div>
    </form>
  );
}
