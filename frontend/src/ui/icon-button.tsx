/** A button that is a drawing; its name is for the screen reader, its title for the pointer. */
export function IconButton({ label, title, path, disabled, onClick }: {
  label: string; title: string; path: string; disabled?: boolean; onClick: () => void;
}) {
  return (
    <button type="button" className="icon" aria-label={label} title={title} disabled={disabled} onClick={onClick}>
      <svg aria-hidden="true" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.5" strokeLinecap="round" strokeLinejoin="round"><path d={path} /></svg>
    </button>
  );
}
