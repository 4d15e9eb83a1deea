import { useState } from "react";
import { answer } from "./answers";
import type { AskProps } from "./ask-card";

/** A link that a server asks to be opened in the browser. Nothing is loaded here. */
export function LinkAsk({ ask, busy, onLink, onAnswer }: AskProps) {
  const [opened, setOpened] = useState(false);
  const parts = partsOf(ask.url);
  return (
    <section className="card approval ask" role="group" aria-label={`${ask.server} asks`}>
      <header><b><span className="mono">{ask.server}</span> asks you to open a link</b></header>
      <p className="ask-message">{ask.message}</p>
      <p className="ask-url mono" aria-label="Link">{parts.before}<b>{parts.host}</b>{parts.after}</p>
      {parts.odd ? <p className="line error">{parts.odd}</p> : null}
      <footer>
        <button type="button" className={opened ? "btn" : "btn primary"} disabled={busy} onClick={() => { setOpened(true); onLink(ask.url); }}>Open link</button>
        <button type="button" className={opened ? "btn primary" : "btn"} disabled={busy} title="Tell the server that you have done what it asked for there" onClick={() => onAnswer(answer("accept"))}>Done</button>
        <button type="button" className="btn" disabled={busy} title="The server is told that you do not want to" onClick={() => onAnswer(answer("decline"))}>Decline</button>
        <span className="grow" />
        <button type="button" className="btn ghost" disabled={busy} title="Close the question without an answer" onClick={() => onAnswer(answer("cancel"))}>Cancel</button>
      </footer>
      <p className="muted ask-note">It opens in your browser. Patchbay does not see what you enter there.</p>
    </section>
  );
}

/** A link with its host apart, and what is odd about it. */
export function partsOf(url: string): { before: string; host: string; after: string; odd: string } {
  let host = "";
  try {
    host = new URL(url).host;
  } catch {
    return { before: url, host: "", after: "", odd: "This is no address that can be opened." };
  }
  const at = url.indexOf(host, url.indexOf("//"));
  const odd = /(^|\.)xn--/.test(host) ? "The host is written with letters of another script: look at it with care."
    : url.slice(0, Math.max(at, 0)).includes("@") ? "What stands before @ is not the host."
      : url.startsWith("http:") ? "This connection is not encrypted." : "";
  return at < 0 ? { before: `${url} goes to `, host, after: "", odd } : { before: url.slice(0, at), host, after: url.slice(at + host.length), odd };
}
