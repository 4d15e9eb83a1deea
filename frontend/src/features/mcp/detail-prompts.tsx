import { ArrowLeft, RotateCw } from "lucide-react";
import { useMemo, useState } from "react";
import type { PromptOutcome, ServerPrompt } from "../../contract/types";
import { errorText } from "../../lib/run";
import { Document } from "../../ui/document";
import { IconButton } from "../../ui/icon-button";
import { given, missing, TextFields } from "../../ui/text-fields";
import { called, found, useReading } from "./detail-library-data";
import { Note, type LibraryProps } from "./detail-resources";
import { others } from "./detail-template";

/** The prompts of a server: fill in, look at, use. */
export function PromptsTab({ name, row, host, runner, onInsert }: LibraryProps) {
  const connected = row?.state === "connected";
  const { value, error, again } = useReading(`${name} ${row?.state} ${row?.libraryRev}`, () => (connected ? host.serverPrompts(name) : Promise.resolve(undefined)));
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState("");
  const shown = useMemo(() => found(value ?? [], text), [value, text]);
  const reload = () => void runner.run(`library ${name}`, () => host.forgetLibrary(name)).then(again);
  if (!connected) return <Note>Its prompts are known while it is connected.</Note>;
  if (error) return <Note><span className="error">{error}</span> <button type="button" className="btn" onClick={reload}>Read again</button></Note>;
  if (!value) return <Note>Reading…</Note>;
  if (value.length === 0) return <Note>This server offers no prompts.</Note>;
  const prompt = value.find((each) => each.name === chosen);
  return (
    <div className={prompt ? "tools chosen" : "tools"}>
      <div className="tools-list">
        <div className="log-bar">
          <input type="search" aria-label="Filter prompts" placeholder="Filter…" value={text} onChange={(e) => setText(e.target.value)} />
          <span className="grow" /><span className="muted num">{value.length} {value.length === 1 ? "prompt" : "prompts"}</span>
          <IconButton label="List the prompts again" icon={RotateCw} onClick={reload} />
        </div>
        {shown.length === 0 ? <p className="muted log-note">No prompt matches the filter.</p> : null}
        <ul aria-label={`Prompts of ${name}`}>{shown.map((each, at) => (
          <li key={at} className="tool-line">
            <div className="tool-words">
              <button type="button" className="tool-open" aria-pressed={each.name === chosen} onClick={() => setChosen(each.name)}>{called(each)}</button>
              {each.title ? <span className="mono muted tool-was">{each.name}</span> : null}
              <span className="tool-about muted">{each.description || "no description"}</span>
            </div>
            <span className="muted library-kind">{each.arguments.length === 0 ? "" : each.arguments.length === 1 ? "1 argument" : `${each.arguments.length} arguments`}</span>
          </li>
        ))}</ul>
      </div>
      {prompt ? <PromptView key={prompt.name} prompt={prompt} name={name} row={row} host={host} runner={runner} onInsert={onInsert} onBack={() => setChosen("")} /> : null}
    </div>
  );
}

function PromptView({ prompt, name, host, onInsert, onBack }: LibraryProps & { prompt: ServerPrompt; onBack: () => void }) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [got, setGot] = useState<{ for: Record<string, string>; outcome: PromptOutcome }>();
  const [problem, setProblem] = useState("");
  const [asking, setAsking] = useState(false);
  const fields = prompt.arguments.map((each) => ({ name: each.name, help: [each.title, each.description].filter(Boolean).join(". "), required: each.required }));
  const lacks = missing(fields, values);
  const ask = (argument: string, value: string) => host.completeArgument(name, { prompt: prompt.name, template: "", argument, value, known: others(values, argument) });
  const get = async (): Promise<PromptOutcome | undefined> => {
    setAsking(true);
    setProblem("");
    try {
      const outcome = await host.getPrompt(name, prompt.name, given(values));
      setGot({ for: values, outcome });
      return outcome;
    } catch (err) {
      setProblem(errorText(err));
      return undefined;
    } finally {
      setAsking(false);
    }
  };
  // What is used is what is shown, when the arguments are still those.
  const use = async () => {
    const outcome = got?.for === values ? got.outcome : await get();
    if (outcome) onInsert?.({ text: outcome.text, mentions: outcome.mentions });
  };
  const why = lacks.length > 0 ? `Fill in ${lacks.join(", ")} first` : undefined;
  return (
    <section className="tool-view" aria-label={`Prompt ${called(prompt)}`}>
      <div className="tool-head"><button type="button" className="btn ghost back" onClick={onBack}><ArrowLeft aria-hidden="true" size={14} /> All prompts</button></div>
      <h3 className="tool-title">{called(prompt)}</h3>
      {prompt.title ? <p className="muted">The server calls it <span className="mono">{prompt.name}</span></p> : null}
      <p className="tool-text">{prompt.description || <span className="muted">The server describes it with no word.</span>}</p>
      <form className="library-form" aria-label={`Arguments of ${called(prompt)}`} onSubmit={(e) => { e.preventDefault(); if (!why && !asking) void get(); }}>
        {fields.length === 0 ? <p className="muted">It takes no arguments.</p> : <TextFields fields={fields} values={values} onChange={setValues} ask={ask} />}
        {problem ? <p className="line error" role="alert">{problem}</p> : null}
        <div className="library-acts">
          <button type="submit" className="btn" disabled={asking || why !== undefined} title={why}>Get</button>
          {onInsert ? <button type="button" className="btn primary" disabled={asking || why !== undefined} title={why} onClick={() => void use()}>Use in message</button> : null}
        </div>
      </form>
      {got ? <Messages outcome={got.outcome} /> : null}
    </section>
  );
}

function Messages({ outcome }: { outcome: PromptOutcome }) {
  return (
    <section className="library-messages" aria-label="Messages of the prompt">
      {outcome.description ? <p className="muted">{outcome.description}</p> : null}
      {outcome.messages.length === 0 ? <p className="muted">It came back without messages.</p> : null}
      {outcome.messages.map(({ role, content }, at) => (
        <div key={at} className="library-message"><p className="muted library-role">{role || "no role"}{content.uri ? <span className="mono library-uri"> {content.uri}</span> : null}</p>
          <Document doc={content} label={`Message ${at + 1}`} /></div>
      ))}
    </section>
  );
}
