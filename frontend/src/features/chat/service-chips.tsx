import { useLayoutEffect, useRef, useState } from "react";
import type { MCPSnapshot, ServerRow } from "../../contract/types";
import type { Store } from "../../lib/store";
import { useStore } from "../../lib/use-store";
import { Popover } from "../../ui/popover";
import { chip, cutLine, services } from "./services";

/** More are never tried in the line. */
const MOST = 24;
/** Room for the button that opens the rest. */
const MORE_PX = 48;

/** The services of the next message in one line; those that do not fit open at its end. */
export function ServiceChips({ mcp, workspace, onLight }: {
  mcp: Store<MCPSnapshot>; workspace: string; onLight: (name: string, lit: boolean) => void;
}) {
  const snapshot = useStore(mcp);
  const rows = services(snapshot, workspace);
  const [line, fits] = useFits(rows.map((row) => `${row.name} ${chip(row).note}`).join("\n"), rows.length);
  if (rows.length === 0) return null;
  const rest = rows.slice(fits);
  const cut = cutLine(snapshot.cutTools);
  return (
    <>
      <div className="services" ref={line} role="group" aria-label="Services">
        {rows.slice(0, fits).map((row) => <Chip key={row.name} row={row} onLight={onLight} />)}
        {rest.length > 0 ? (
          <Popover label="More services" align="end" trigger={<button type="button" className="service plain more" aria-label={`${rest.length} more services`}>+{rest.length}</button>}>
            <div className="services all">{rest.map((row) => <Chip key={row.name} row={row} onLight={onLight} />)}</div>
          </Popover>
        ) : null}
      </div>
      {cut ? <p className="cut" role="status" title={snapshot.cutTools.join(", ")}>{cut}</p> : null}
    </>
  );
}

function Chip({ row, onLight }: { row: ServerRow; onLight: (name: string, lit: boolean) => void }) {
  const { look, note, title } = chip(row);
  return (
    <span className={`service ${look}`}>
      <button type="button" aria-label={`Service ${row.name}`} aria-pressed={row.lit} title={title} onClick={() => onLight(row.name, !row.lit)}>{row.name}</button>
      {note ? <span className="service-note">{note}</span> : null}
    </span>
  );
}

/** How many children of a line fit: all are tried, then as many are drawn. */
function useFits(words: string, count: number) {
  const line = useRef<HTMLDivElement>(null);
  const [state, setState] = useState({ words: "", width: 0, fits: 0 });
  const [width, setWidth] = useState(0);
  const measured = state.words === words && state.width === width;
  useLayoutEffect(() => {
    const box = line.current;
    if (!box || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(() => setWidth(box.clientWidth));
    watch.observe(box);
    return () => watch.disconnect();
  }, [count > 0]);
  useLayoutEffect(() => {
    const box = line.current;
    if (!box || measured) return;
    const most = box.clientWidth;
    const ends = [...box.children].slice(0, Math.min(count, MOST)).map((each) => (each as HTMLElement).offsetLeft + (each as HTMLElement).offsetWidth - box.offsetLeft);
    const all = most === 0 || count <= MOST && (ends[count - 1] ?? 0) <= most;
    const fits = all ? Math.min(count, MOST) : Math.max(1, ends.filter((each) => each <= most - MORE_PX).length);
    setState({ words, width, fits });
  });
  return [line, measured ? state.fits : Math.min(count, MOST)] as const;
}
