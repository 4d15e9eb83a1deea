import type { LucideIcon } from "lucide-react";

/** A button that is a drawing; its name is for the screen reader, its title (else its name) for the pointer. */
export function IconButton({ label, title, icon: Icon, disabled, pressed, tabIndex, onClick }: {
  label: string; title?: string; icon: LucideIcon; disabled?: boolean; pressed?: boolean; tabIndex?: number; onClick: () => void;
}) {
  return (
    <button type="button" className="icon" tabIndex={tabIndex} aria-label={label} title={title ?? label} aria-pressed={pressed} disabled={disabled} onClick={onClick}>
      <Icon aria-hidden="true" size={15} strokeWidth={1.75} />
    </button>
  );
}
