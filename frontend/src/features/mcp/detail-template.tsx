import { ArrowLeft } from "lucide-react";
import { useState } from "react";
import type { Insert, ServerResources, ServerTemplate } from "../../contract/types";
import { errorText, type Runner } from "../../lib/run";
import type { Host } from "../../platform/host";
import { given, TextFields } from "../../ui/text-fields";
import { called } from "./detail-library-data";
import { ResourceContent } from "./detail-resource";

/** A template: a form for its variables, and the resource that they name. */
export function TemplateView({ server, template, library, host, runner, onInsert, onBack }: {
  server: string; template: ServerTemplate; library: ServerResources; host: Host; runner: Runner; onInsert?: (insert: Insert) => void; onBack: () => void;
}) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [uri, setURI] = useState("");
  const [problem, setProblem] = useState(template.invalid);
  const change = (next: Record<string, string>) => { setValues(next); setProblem(""); };
  const read = () => host.expandTemplate(template.uriTemplate, given(values)).then(setURI, (err: unknown) => setProblem(errorText(err)));
  const ask = (argument: string, value: string) => host.completeArgument(server, { prompt: "", template: template.uriTemplate, argument, value, known: others(values, argument) });
  const empty = template.variables.every((each) => (values[each] ?? "") === "");
  return (
    <section className="tool-view" aria-label={`Template ${called(template)}`}>
      <div className="tool-head"><button type="button" className="btn ghost back" onClick={onBack}><ArrowLeft aria-hidden="true" size={14} /> All resources</button></div>
      <h3 className="tool-title">{called(template)}</h3>
      <p className="tool-meta"><span className="mono library-uri">{template.uriTemplate}</span><span className="muted">{template.mimeType}</span></p>
      {template.description ? <p className="tool-text">{template.description}</p> : null}
      <form className="library-form" aria-label={`Variables of ${called(template)}`} onSubmit={(e) => { e.preventDefault(); void read(); }}>
        <TextFields fields={template.variables.map((name) => ({ name, help: "" }))} values={values} onChange={change} ask={ask} />
        {problem ? <p className="line error" role="alert">{problem}</p> : null}
        <div className="library-acts"><button type="submit" className="btn primary" disabled={template.invalid !== "" || empty && template.variables.length > 0} title={empty && template.variables.length > 0 ? "Fill in a variable first" : undefined}>Read</button></div>
      </form>
      {uri ? <ResourceContent key={uri} server={server} uri={uri} title={uri} size={0} mimeType="" library={library} host={host} runner={runner} onInsert={onInsert} /> : null}
    </section>
  );
}

/** The values of the other fields, which a server may go by. */
export function others(values: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return given(Object.fromEntries(Object.entries(values).filter(([each]) => each !== name)));
}
