import { useRef } from "react";

/** A line between two panes that is dragged, or moved with the arrow keys. It reports the size of
 *  the pane at its side in pixels; a double click asks for the usual size (0). */
export function Splitter({ label, size, least, most, side, onSize }: {
  label: string; size: number; least: number; most: number; side: "left" | "right"; onSize: (size: number) => void;
}) {
  const from = useRef<{ x: number; size: number }>(undefined);
  const to = (value: number) => onSize(Math.round(Math.min(most, Math.max(least, value))));
  const sign = side === "left" ? 1 : -1;
  return (
    <div role="separator" tabIndex={0} aria-label={label} aria-orientation="vertical" aria-valuenow={size} aria-valuemin={least} aria-valuemax={most}
      className={`splitter ${side}`}
      onPointerDown={(e) => { e.currentTarget.setPointerCapture(e.pointerId); from.current = { x: e.clientX, size }; }}
      onPointerMove={(e) => { if (from.current) to(from.current.size + sign * (e.clientX - from.current.x)); }}
      onPointerUp={() => { from.current = undefined; }}
      onDoubleClick={() => { onSize(0); }}
      onKeyDown={(e) => {
        const step = e.shiftKey ? 64 : 16;
        const next = { ArrowLeft: size - sign * step, ArrowRight: size + sign * step, Home: least, End: most }[e.key];
        if (next === undefined) return;
        e.preventDefault();
        to(next);
      }} />
  );
}
