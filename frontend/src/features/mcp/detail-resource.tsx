import { ArrowLeft } from "lucide-react";
import type { Insert, ServerResource, ServerResources } from "../../contract/types";
import type { Runner } from "../../lib/run";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { bytes } from "../../ui/bytes";
import { Document } from "../../ui/document";
import { Switch } from "../../ui/switch";
import { called, useReading } from "./detail-library-data";

interface ViewProps { server: string; library: ServerResources; host: Host; runner: Runner; onInsert?: (insert: Insert) => void; onBack: () => void }

/** One resource: what the server says about it, and its content. */
export function ResourceView({ resource, onBack, ...rest }: ViewProps & { resource: ServerResource }) {
  return (
    <section className="tool-view" aria-label={`Resource ${called(resource)}`}>
      <div className="tool-head"><button type="button" className="btn ghost back" onClick={onBack}><ArrowLeft aria-hidden="true" size={14} /> All resources</button></div>
      <h3 className="tool-title">{called(resource)}</h3>
      {resource.description ? <p className="tool-text">{resource.description}</p> : null}
      <ResourceContent uri={resource.uri} title={called(resource)} size={resource.size} mimeType={resource.mimeType} {...rest} />
    </section>
  );
}

/** The content of a resource, read when it is shown and when that is asked for. */
export function ResourceContent({ server, uri, title, size, mimeType, library, host, runner, onInsert }: Omit<ViewProps, "onBack"> & {
  uri: string; title: string; size: number; mimeType: string;
}) {
  const { value, error, reading, again } = useReading(`${server} ${uri}`, () => host.readResource(server, uri));
  const busy = useStore(runner.busy).has(`subscribe ${server} ${uri}`);
  const changed = library.changed.includes(uri);
  const followed = library.followed.includes(uri);
  const subscribe = (on: boolean) => void runner.run(`subscribe ${server} ${uri}`, () => host.subscribeResource(server, uri, on));
  return <>
    <p className="tool-meta"><span className="mono library-uri">{uri}</span><span className="muted">{[mimeType, size > 0 ? bytes(size) : ""].filter(Boolean).join(" · ")}</span></p>
    <div className="library-acts">
      {onInsert ? <button type="button" className="btn primary" onClick={() => onInsert({ text: "", mentions: [{ server, uri, name: title, held: "" }] })}>Mention in message</button> : null}
      <button type="button" className="btn" disabled={reading} onClick={again}>Read again</button>
      {library.canSubscribe ? <span className="library-follow" title="The server tells when this resource changes">
        <Switch label={`Subscribe to ${title}`} on={followed} inert={busy} onChange={subscribe} /><span aria-hidden="true">Subscribe</span></span> : null}
      {changed ? <span className="badge warn" role="status">changed since it was read</span> : null}
    </div>
    <div className="library-content" aria-busy={reading}>
      {error ? <p className="line error" role="alert">{error}</p> : null}
      {value === undefined ? error ? null : <p className="muted">Reading…</p> : value.length === 0 ? <p className="muted">It is empty.</p>
        : value.map((each, at) => <Document key={at} doc={each} label={value.length > 1 ? `${title}, part ${at + 1}` : title} />)}
    </div>
  </>;
}
