import { useState } from "react";
import type { AskedSample, ChatContent } from "../../contract/types";
import { answer } from "./answers";
import type { AskProps } from "./ask-card";

/** What a server wants to ask the model, and what would go back. */
export function SamplingAsk({ ask, busy, onAnswer, sample }: AskProps & { sample: AskedSample }) {
  const reject = <button type="button" className="btn ghost" disabled={busy} title="The server is told that you refused" onClick={() => onAnswer(answer("decline"))}>Reject</button>;
  return (
    <section className="card approval ask" role="group" aria-label={`${ask.server} asks`}>
      <header>
        <b><span className="mono">{ask.server}</span> {sample.stage === "review" ? "gets this answer" : "asks your model"}</b>
        <span className="muted">{about(sample)}</span>
      </header>
      {sample.stage === "requested" ? <Request sample={sample} busy={busy} onAnswer={onAnswer} reject={reject} />
        : sample.stage === "review" ? <Review key="review" sample={sample} server={ask.server} busy={busy} onAnswer={onAnswer} reject={reject} />
          : <footer><span className="muted" role="status">{sample.model} is answering…</span><span className="grow" />{reject}</footer>}
    </section>
  );
}

/** Who answers, and within which bounds. */
function about({ model, maxTokens, temperature, stop, hints, stage }: AskedSample): string {
  if (stage === "review") return `written by ${model}`;
  return [
    `${model} answers`, maxTokens > 0 ? `at most ${maxTokens.toLocaleString("en")} tokens` : "", temperature === undefined ? "" : `temperature ${temperature}`,
    stop.length > 0 ? `ends at ${stop.map((each) => JSON.stringify(each)).join(", ")}` : "", hints.length > 0 ? `the server prefers ${hints.join(", ")}` : "",
  ].filter(Boolean).join(" · ");
}

type Step = Pick<AskProps, "busy" | "onAnswer"> & { sample: AskedSample; reject: React.ReactNode };

function Request({ sample, busy, onAnswer, reject }: Step) {
  const [editing, setEditing] = useState(false);
  const [system, setSystem] = useState(sample.system);
  const [texts, setTexts] = useState(() => sample.messages.map((each) => each.content.text));
  const allow = (forSession: boolean) => onAnswer(answer("accept", editing ? { forSession, edited: true, system, messages: texts } : { forSession }));
  return <>
    <ol className="ask-messages">
      {sample.system !== "" || editing ? <Message role="system" editing={editing} text={system} onText={setSystem} /> : null}
      {sample.messages.map((each, at) => (
        <Message key={at} role={each.role} content={each.content} editing={editing} text={texts[at] ?? ""} onText={(text) => setTexts(texts.map((old, i) => (i === at ? text : old)))} />
      ))}
    </ol>
    <footer>
      <button type="button" className="btn primary" disabled={busy} title="Send this to the model; you read its answer before the server does" onClick={() => allow(false)}>Allow once</button>
      <button type="button" className="btn" disabled={busy} title="This and later ones of this server, without asking and without showing the answers, until the session is closed" onClick={() => allow(true)}>Allow for session</button>
      <button type="button" className="btn" disabled={busy} aria-pressed={editing} title="Change what is sent" onClick={() => setEditing(!editing)}>Edit</button>
      <span className="grow" />{reject}
    </footer>
  </>;
}

function Message({ role, content, editing, text, onText }: { role: string; content?: ChatContent; editing: boolean; text: string; onText: (text: string) => void }) {
  const media = content && content.kind !== "text" ? content : undefined;
  return (
    <li><span className="tag">{role}</span>
      {media ? <Media part={media} /> : editing
        ? <textarea aria-label={`Message of ${role}`} rows={Math.min(10, Math.max(2, text.split("\n").length))} value={text} onChange={(e) => onText(e.target.value)} />
        : <pre tabIndex={0} aria-label={`Message of ${role}`}>{text}</pre>}
    </li>
  );
}

/** A picture from our own handler; anything else is named. */
function Media({ part }: { part: ChatContent }) {
  if (part.kind === "image" && /^\/media\/[0-9a-f]+$/.test(part.url)) return <img src={part.url} alt={`Image, ${part.mimeType}`} loading="lazy" />;
  return <span className="muted">{part.kind.replaceAll("_", " ")} {part.mimeType || part.uri}</span>;
}

function Review({ sample, server, busy, onAnswer, reject }: Step & { server: string }) {
  const [editing, setEditing] = useState(false);
  const [text, setText] = useState(sample.text);
  return <>
    <ol className="ask-messages"><Message role="assistant" editing={editing} text={text} onText={setText} /></ol>
    <footer>
      <button type="button" className="btn primary" disabled={busy} title={`Send this to ${server}`} onClick={() => onAnswer(answer("accept", editing ? { edited: true, text } : {}))}>Send answer</button>
      <button type="button" className="btn" disabled={busy} aria-pressed={editing} title="Change what goes back" onClick={() => setEditing(!editing)}>Edit</button>
      <span className="grow" />{reject}
    </footer>
  </>;
}
