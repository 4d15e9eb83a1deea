import type { ReactNode } from "react";

/** A line across the board that something needs a look; what to do about it stands at the right. */
export function Banner({ kind, role, label, title, actions, children }: {
  kind: "error" | "ask" | "news"; role?: "alert" | "status" | "group"; label?: string; title?: string; actions?: ReactNode; children: ReactNode;
}) {
  return (
    <div className={`banner ${kind}`} role={role} aria-label={label} title={title}>
      <div className="banner-text">{children}</div>
      {actions ? <div className="banner-actions">{actions}</div> : null}
    </div>
  );
}
