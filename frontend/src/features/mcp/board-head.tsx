import { ChevronLeft, ChevronRight } from "lucide-react";
import type { ServerRow } from "../../contract/types";
import { IconButton } from "../../ui/icon-button";

/** The board's name and what can be done to all servers. */
export function BoardHead({ rows, busy, wide, onWide, onRetryFailed, onRebuildAll, onAdd }: {
  rows: readonly ServerRow[]; busy: ReadonlySet<string>; wide: boolean; onWide: (wide: boolean) => void;
  onRetryFailed: () => void; onRebuildAll: () => void; onAdd: () => void;
}) {
  const enabled = rows.filter((row) => row.enabled).length;
  return (
    <header className="board-head">
      <h2>Servers</h2><span className="muted enabled">{enabled} enabled here</span><span className="grow" />
      <button type="button" className="btn" disabled={busy.has("retry failed") || !rows.some((row) => row.state === "error")} onClick={onRetryFailed}>Retry failed</button>
      <button type="button" className="btn ghost" disabled={busy.has("rebuild all")} onClick={onRebuildAll}>Rebuild all</button>
      <button type="button" className="btn primary" onClick={onAdd}>Add server</button>
      <IconButton label={wide ? "Show the conversation" : "Widen the board"} icon={wide ? ChevronRight : ChevronLeft} onClick={() => onWide(!wide)} />
    </header>
  );
}
