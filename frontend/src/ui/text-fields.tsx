import { useId } from "react";
import { SuggestInput } from "./suggest-input";

/** A field for text; required is left out where nobody says whether it is. */
export interface TextField { name: string; help: string; required?: boolean }

/** Fields for texts, each with values to choose from where ask knows some. */
export function TextFields({ fields, values, onChange, ask }: {
  fields: readonly TextField[]; values: Readonly<Record<string, string>>; onChange: (values: Record<string, string>) => void;
  ask: (name: string, value: string) => Promise<readonly string[]>;
}) {
  return <div className="text-fields">{fields.map((each) => (
    <Field key={each.name} field={each} value={values[each.name] ?? ""} onChange={(next) => onChange({ ...values, [each.name]: next })} ask={(value) => ask(each.name, value)} />
  ))}</div>;
}

function Field({ field, value, onChange, ask }: { field: TextField; value: string; onChange: (value: string) => void; ask: (value: string) => Promise<readonly string[]> }) {
  const id = useId();
  return (
    <div className="text-field">
      <label htmlFor={id}><span className="mono">{field.name}</span>{field.required ? <span className="required" aria-hidden="true">*</span> : field.required === false ? <span className="muted optional">optional</span> : null}</label>
      <SuggestInput id={id} aria-label={field.name} aria-describedby={field.help ? `${id}h` : undefined} aria-required={field.required || undefined} value={value} onChange={onChange} ask={ask} />
      {field.help ? <p id={`${id}h`} className="muted text-help">{field.help}</p> : null}
    </div>
  );
}

/** The required fields that are still empty. */
export function missing(fields: readonly TextField[], values: Readonly<Record<string, string>>): readonly string[] {
  return fields.filter((each) => each.required && (values[each.name] ?? "").trim() === "").map((each) => each.name);
}

/** The values that are filled in. */
export function given(values: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ""));
}
