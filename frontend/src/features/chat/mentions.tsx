import { Paperclip, X } from "lucide-react";
import { Suspense, useLayoutEffect, useState } from "react";
import type { Attachment, ChatContent, Mention } from "../../contract/types";
import { errorText } from "../../lib/run";
import { bytes } from "../../ui/bytes";
import { IconButton } from "../../ui/icon-button";
import { lazily } from "../../ui/lazily";
import { useOpened } from "./opened";

const Document = lazily(async () => ({ Document: (await import("../../ui/document")).Document }), "Document");

/** What the message that is being written will carry. */
export function MentionChips({ mentions, onRemove }: { mentions: readonly Mention[]; onRemove: (mention: Mention) => void }) {
  if (mentions.length === 0) return null;
  return (
    <ul className="mentions" aria-label="Attached resources">{mentions.map((each, at) => (
      <li key={at} className="mention" title={each.uri || undefined}>
        <Paperclip aria-hidden="true" size={12} /><span className="mention-name">{each.server}: {nameOf(each)}</span>
        <IconButton label={`Remove ${nameOf(each)}`} title="Remove" icon={X} onClick={() => onRemove(each)} />
      </li>
    ))}</ul>
  );
}

/** What a resource is called. */
export function nameOf(each: { name: string; uri: string }): string {
  return each.name || each.uri;
}

/** Mentions with more of them; one that is there already is not there twice. */
export function withMentions(now: readonly Mention[], more: readonly Mention[]): readonly Mention[] {
  const next = [...now];
  for (const each of more) {
    if (!next.some((old) => old.server === each.server && old.uri === each.uri && old.held === each.held)) next.push(each);
  }
  return next.length === now.length ? now : next;
}

/** What a sent message carries; each opens its content below. read is missing where it cannot be asked for. */
export function AttachedChips({ attached, itemKey, read }: {
  attached: readonly Attachment[]; itemKey: string; read?: (at: number) => Promise<ChatContent[]>;
}) {
  if (attached.length === 0) return null;
  return <ul className="attached" aria-label="Attached resources">{attached.map((each, at) => (
    <Attached key={at} attached={each} itemKey={`${itemKey} ${at}`} read={read ? () => read(at) : undefined} />
  ))}</ul>;
}

function Attached({ attached, itemKey, read }: { attached: Attachment; itemKey: string; read?: () => Promise<ChatContent[]> }) {
  const [open, setOpen] = useOpened(itemKey, false);
  const name = nameOf(attached);
  return (
    <li>
      <button type="button" className="mention open" aria-expanded={open} disabled={!read} title={[attached.uri, bytes(attached.size)].filter(Boolean).join(" · ")} onClick={() => setOpen(!open)}>
        <Paperclip aria-hidden="true" size={12} /><span className="mention-name">{attached.server}: {name}</span>
      </button>
      {open && read ? <Content read={read} name={name} /> : null}
    </li>
  );
}

function Content({ read, name }: { read: () => Promise<ChatContent[]>; name: string }) {
  const [content, setContent] = useState<ChatContent[]>();
  const [error, setError] = useState("");
  useLayoutEffect(() => { // before the conversation follows its end
    let over = false;
    read().then((found) => { if (!over) setContent(found); }, (err: unknown) => { if (!over) setError(errorText(err)); });
    return () => { over = true; };
    // Once, when it is opened: what was sent does not change.
  }, []);
  return (
    <div className="attached-content" role="region" aria-label={`Content of ${name}`}>
      {error ? <p className="error">{error}</p> : content === undefined ? <p className="muted">Reading…</p>
        : <Suspense>{content.map((each, at) => <Document key={at} doc={each} label={name} />)}</Suspense>}
    </div>
  );
}
