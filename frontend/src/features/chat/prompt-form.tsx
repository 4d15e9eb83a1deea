import { useLayoutEffect, useRef, useState } from "react";
import type { Insert, ServerPrompt } from "../../contract/types";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";
import { given, missing, TextFields } from "../../ui/text-fields";

/** Asks for the arguments of a prompt; one that takes none is used at once. */
export function PromptForm({ server, prompt, host, onUse, onClose }: {
  server: string; prompt: ServerPrompt; host: Host; onUse: (insert: Insert) => void; onClose: () => void;
}) {
  const [values, setValues] = useState<Record<string, string>>({});
  const [problem, setProblem] = useState("");
  const [asking, setAsking] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const begun = useRef(false);
  const fields = prompt.arguments.map((each) => ({ name: each.name, help: [each.title, each.description].filter(Boolean).join(". "), required: each.required }));
  const lacks = missing(fields, values);
  const use = async () => {
    setAsking(true);
    setProblem("");
    try {
      const { text, mentions } = await host.getPrompt(server, prompt.name, given(values));
      onUse({ text, mentions });
    } catch (err) {
      setProblem(errorText(err));
      setAsking(false);
    }
  };
  useLayoutEffect(() => {
    box.current?.querySelector<HTMLElement>("input, button")?.focus();
    if (fields.length > 0 || begun.current) return;
    begun.current = true;
    void use();
    // Once, when it is shown: what it takes does not change under it.
  }, []);
  const why = lacks.length > 0 ? `Fill in ${lacks.join(", ")} first` : "";
  const submit = () => { if (!why && !asking) void use(); };
  // Not a form: it stands inside the message's.
  return (
    <div className="suggestions prompt-form" role="group" aria-label={`Arguments of ${prompt.name}`} ref={box} onKeyDown={(e) => {
      if (e.defaultPrevented || e.nativeEvent.isComposing || e.keyCode === 229) return;
      if (e.key === "Escape") { e.preventDefault(); onClose(); }
      if (e.key === "Enter" && (e.target as Element).matches("input")) { e.preventDefault(); submit(); }
    }}>
      <p><b>/{prompt.name}</b> <span className="muted">of {server}</span></p>
      {prompt.description ? <p className="muted prompt-about">{prompt.description}</p> : null}
      {fields.length > 0 ? <TextFields fields={fields} values={values} onChange={setValues} ask={(argument, value) => host.completeArgument(server, {
        prompt: prompt.name, template: "", argument, value, known: given(Object.fromEntries(Object.entries(values).filter(([name]) => name !== argument))),
      })} /> : null}
      {problem ? <p className="error" role="alert">{problem}</p> : null}
      <div className="prompt-acts">
        <button type="button" className="btn" onClick={onClose}>Cancel</button>
        <button type="button" className="btn primary" disabled={asking || why !== ""} title={why || undefined} onClick={submit}>Use prompt</button>
      </div>
    </div>
  );
}
