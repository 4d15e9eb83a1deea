/** A small switch. Inert stays readable but cannot be used. */
export function Switch({ label, on, inert, onChange }: {
  label: string; on: boolean; inert?: boolean; onChange: (on: boolean) => void;
}) {
  return (
    <button type="button" role="switch" className="switch" aria-checked={on} aria-label={label} title={label}
      disabled={inert} onClick={() => onChange(!on)} />
  );
}
