/** A small switch. Inert stays readable but cannot be used. */
export function Switch({ label, on, inert, tabIndex, onChange }: {
  label: string; on: boolean; inert?: boolean; tabIndex?: number; onChange: (on: boolean) => void;
}) {
  return (
    <button type="button" role="switch" className="switch" tabIndex={tabIndex} aria-checked={on} aria-label={label} title={label}
      disabled={inert} onClick={() => onChange(!on)} />
  );
}
