import { RotateCw } from "lucide-react";
import { useMemo, useState, type ReactNode } from "react";
import type { Insert, ServerResource, ServerResources, ServerRow, ServerTemplate } from "../../contract/types";
import type { Runner } from "../../lib/run";
import type { Host } from "../../platform/host";
import { bytes } from "../../ui/bytes";
import { IconButton } from "../../ui/icon-button";
import { called, found, useReading } from "./detail-library-data";
import { ResourceView } from "./detail-resource";
import { TemplateView } from "./detail-template";

/** So many lines are drawn until more are asked for. */
const PAGE = 200;

/** What the tabs of a library are told. onInsert is not there where no message can be written. */
export interface LibraryProps { name: string; row: ServerRow | undefined; host: Host; runner: Runner; onInsert?: (insert: Insert) => void }

/** The resources and templates of a server: browse, read, follow, mention. */
export function ResourcesTab({ name, row, host, runner, onInsert }: LibraryProps) {
  const connected = row?.state === "connected";
  const { value, error, again } = useReading(`${name} ${row?.state} ${row?.libraryRev}`, () => (connected ? host.serverResources(name) : Promise.resolve(undefined)));
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState("");
  const reload = () => void runner.run(`library ${name}`, () => host.forgetLibrary(name)).then(again);
  if (!connected) return <Note>Its resources are known while it is connected.</Note>;
  if (error) return <Note><span className="error">{error}</span> <button type="button" className="btn" onClick={reload}>Read again</button></Note>;
  if (!value) return <Note>Reading…</Note>;
  if (value.resources.length + value.templates.length === 0) return <Note>This server offers no resources.</Note>;
  const resource = value.resources.find((each) => `r${each.uri}` === chosen);
  const template = value.templates.find((each) => `t${each.uriTemplate}` === chosen);
  const back = () => setChosen("");
  return (
    <div className={resource || template ? "tools chosen" : "tools"}>
      <div className="tools-list">
        <div className="log-bar">
          <input type="search" aria-label="Filter resources" placeholder="Filter…" value={text} onChange={(e) => setText(e.target.value)} />
          <span className="grow" /><span className="muted num">{count(value)}</span>
          <IconButton label="List the resources again" icon={RotateCw} onClick={reload} />
        </div>
        <Lines name={name} value={value} text={text} chosen={chosen} onChoose={setChosen} />
      </div>
      {resource ? <ResourceView key={resource.uri} server={name} resource={resource} library={value} host={host} runner={runner} onInsert={onInsert} onBack={back} /> : null}
      {template ? <TemplateView key={template.uriTemplate} server={name} template={template} library={value} host={host} runner={runner} onInsert={onInsert} onBack={back} /> : null}
    </div>
  );
}

/** A line in the place of a list. */
export function Note({ children }: { children: ReactNode }) {
  return <div className="detail-body"><p className="muted">{children}</p></div>;
}

/** "12 resources · 2 templates · 1 changed". */
export function count({ resources, templates, changed }: ServerResources): string {
  const parts = [`${resources.length} ${resources.length === 1 ? "resource" : "resources"}`];
  if (templates.length > 0) parts.push(`${templates.length} ${templates.length === 1 ? "template" : "templates"}`);
  if (changed.length > 0) parts.push(`${changed.length} changed`);
  return parts.join(" · ");
}

function Lines({ name, value, text, chosen, onChoose }: { name: string; value: ServerResources; text: string; chosen: string; onChoose: (key: string) => void }) {
  const [most, setMost] = useState(PAGE);
  const resources = useMemo(() => found(value.resources, text), [value, text]);
  const templates = useMemo(() => found(value.templates, text), [value, text]);
  if (resources.length + templates.length === 0) return <p className="muted log-note">No resource matches the filter.</p>;
  return <>
    {templates.length > 0 ? <ul aria-label={`Resource templates of ${name}`}>{templates.map((each, at) => (
      <TemplateLine key={at} template={each} chosen={chosen === `t${each.uriTemplate}`} onChoose={() => onChoose(`t${each.uriTemplate}`)} />
    ))}</ul> : null}
    {resources.length > 0 ? <ul aria-label={`Resources of ${name}`}>{resources.slice(0, most).map((each, at) => (
      <ResourceLine key={at} resource={each} changed={value.changed.includes(each.uri)} followed={value.followed.includes(each.uri)} chosen={chosen === `r${each.uri}`} onChoose={() => onChoose(`r${each.uri}`)} />
    ))}</ul> : null}
    {resources.length > most ? <p className="log-note"><button type="button" className="btn" onClick={() => setMost(most + PAGE)}>Show {Math.min(PAGE, resources.length - most)} more of {resources.length.toLocaleString("en")}</button></p> : null}
  </>;
}

function ResourceLine({ resource, changed, followed, chosen, onChoose }: { resource: ServerResource; changed: boolean; followed: boolean; chosen: boolean; onChoose: () => void }) {
  return (
    <li className="tool-line">
      <div className="tool-words">
        <button type="button" className="tool-open" aria-pressed={chosen} onClick={onChoose}>{called(resource)}</button>
        {changed ? <span className="badge warn">changed</span> : followed ? <span className="badge">subscribed</span> : null}
        <span className="tool-about muted mono" title={resource.uri}>{resource.uri}</span>
      </div>
      <span className="muted library-kind">{[resource.mimeType, resource.size > 0 ? bytes(resource.size) : ""].filter(Boolean).join(" · ")}</span>
    </li>
  );
}

function TemplateLine({ template, chosen, onChoose }: { template: ServerTemplate; chosen: boolean; onChoose: () => void }) {
  return (
    <li className="tool-line">
      <div className="tool-words">
        <button type="button" className="tool-open" aria-pressed={chosen} onClick={onChoose}>{called(template)}</button><span className="badge plain">template</span>
        <span className="tool-about muted mono" title={template.uriTemplate}>{template.uriTemplate}</span>
      </div>
      <span className="muted library-kind">{template.mimeType}</span>
    </li>
  );
}
