import { useEffect, useState, type ReactNode } from "react";
import type { Frame, FrameBody } from "../../contract/types";
import { lasted } from "../../lib/format";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";
import { bytes } from "../../ui/bytes";
import { CopyButton } from "../../ui/copy-button";
import { JsonTree } from "../../ui/json-tree";
import { useClock } from "./detail-stages";
import type { Exchange } from "./traffic-data";

/** A request and what came back, or one message alone. */
export function Pair({ name, exchange, host }: { name: string; exchange: Exchange; host: Host }) {
  const { frame, answer, outcome } = exchange;
  const now = useClock(outcome === "waiting");
  const first = frame.kind === "request" ? "Request" : frame.kind === "notification" ? "Notification" : frame.kind === "noise" ? "No JSON-RPC message" : "Response";
  return (
    <div className="traffic-pair">
      <Side name={name} title={first} frame={frame} host={host} />
      {frame.kind !== "request" ? null : answer
        ? <Side name={name} title={answer.kind === "failed" ? "No response" : answer.kind === "error" ? "Error" : "Response"} frame={answer} host={host} />
        : <section className="traffic-side" aria-label="Response"><header><h3>Response</h3></header>
            <p className="muted">{outcome === "cancelled" ? "It was cancelled. An answer may still come." : outcome === "open" ? "It stays open: what the server tells of comes as notifications." : `No answer yet, ${lasted(now - frame.atMs)}.`}</p></section>}
    </div>
  );
}

function Side({ name, title, frame, host }: { name: string; title: string; frame: Frame; host: Host }) {
  const [body, setBody] = useState<FrameBody>();
  const [error, setError] = useState("");
  useEffect(() => {
    let stopped = false;
    setError("");
    host.frameBody(name, frame.seq).then((next) => { if (!stopped) setBody(next); }, (err: unknown) => { if (!stopped) setError(errorText(err)); });
    return () => { stopped = true; };
  }, [host, name, frame.seq]);
  return (
    <section className="traffic-side" aria-label={title} aria-busy={!body && !error}>
      <header>
        <h3>{title}</h3><span className="muted num">{frame.kind === "failed" ? "" : bytes(frame.size)}</span><span className="grow" />
        {body && !body.gone ? <CopyButton label={`Copy ${title.toLowerCase()}`} text={() => body.text} /> : null}
      </header>
      {error ? <p className="line error">{error}</p> : null}
      {body?.gone ? <p className="muted">It is no longer kept.</p> : null}
      {body?.cut ? <p className="muted">The first {bytes(64 << 10)} of {bytes(body.size)}.</p> : null}
      {body && !body.gone ? <Content text={body.text} label={title} /> : null}
    </section>
  );
}

function Content({ text, label }: { text: string; label: string }): ReactNode {
  try {
    const value = JSON.parse(text) as unknown;
    if (typeof value === "object" && value !== null) return <JsonTree value={value} label={label} open={3} />;
  } catch {
    // words, or the beginning of a message only
  }
  return <pre tabIndex={0} aria-label={label}>{text}</pre>;
}
