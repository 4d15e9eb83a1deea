export type LampShape = "disc" | "arc" | "bars" | "ring" | "cross" | "dashed";

/** A lamp: its shape says as much as its colour. Decoration only, the word stands beside it:
 *  it is drawn without text, since a state cell holds the state word and nothing else. */
export function Lamp({ shape, className }: { shape: LampShape; className?: string }) {
  return (
    <svg aria-hidden="true" className={`lamp ${shape} ${className ?? ""}`} width="12" height="12" viewBox="0 0 12 12">
      {drawing(shape)}
    </svg>
  );
}

function drawing(shape: LampShape) {
  const line = { fill: "none", stroke: "currentColor", strokeWidth: 1.6, strokeLinecap: "round" as const };
  switch (shape) {
    case "disc": return <circle cx="6" cy="6" r="4.5" fill="currentColor" />;
    case "arc": return <><circle cx="6" cy="6" r="4.7" {...line} opacity=".25" /><path d="M6 1.3A4.7 4.7 0 0 1 10.7 6" {...line} /></>;
    case "bars": return <><rect x="2.5" y="2" width="2.6" height="8" rx=".8" fill="currentColor" /><rect x="6.9" y="2" width="2.6" height="8" rx=".8" fill="currentColor" /></>;
    case "ring": return <circle cx="6" cy="6" r="4.2" {...line} />;
    case "cross": return <><circle cx="6" cy="6" r="5.5" fill="currentColor" /><path d="M4 4l4 4M8 4l-4 4" {...line} stroke="var(--panel)" strokeWidth="1.4" /></>;
    case "dashed": return <><circle cx="6" cy="6" r="5.2" {...line} strokeWidth="1.2" strokeDasharray="2 1.6" /><path d="M4.6 4.8a1.4 1.4 0 1 1 2.1 1.2c-.5.3-.7.5-.7 1" {...line} strokeWidth="1.2" /><circle cx="6" cy="8.5" r=".75" fill="currentColor" /></>;
  }
}
