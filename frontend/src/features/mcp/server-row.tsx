import { memo } from "react";
import type { ServerRow as Row } from "../../contract/types";
import { duration } from "../../lib/format";
import { IconButton } from "../../ui/icon-button";
import { Lamp } from "../../ui/lamp";
import { Switch } from "../../ui/switch";
import { Countdown, Elapsed } from "./ticking";
import { capital, cure, LAMP, quiet, sentence, STAGES, transport, type Verb } from "./words";

const GLYPH: Record<Verb, string> = {
  Enable: "M4 8l3 3 5-6", Disable: "M8 3v5M5 4.5a5 5 0 1 0 6 0", Pause: "M6 4v8M10 4v8", Resume: "M6 4l6 4-6 4z",
  Retry: "M12.5 8a4.5 4.5 0 1 1-1.5-3.4M11 2v3H8", Edit: "M4 12l.6-2.6L10.5 3.5l2 2-5.9 5.9z", Remove: "M4 5h8M6.5 5V3.5h3V5M5 5l.5 8h5L11 5",
  Resolve: "M4 4l4 4v4M12 4L8 8", Trust: "M4 8l3 3 5-6", Define: "M8 4v8M4 8h8",
};

/** One server: a healthy one is one line; any other says why and offers its button. */
export const ServerRow = memo(function ServerRow({ row, index, busy, onVerb, onFile }: {
  row: Row; index: number; busy: boolean; onVerb: (verb: Verb, row: Row) => void; onFile: (path: string, line: number) => void;
}) {
  const verb = cure(row);
  const text = sentence(row);
  const time = row.latencyMs || row.connectMs;
  return (
    <div role="row" aria-label={row.name} aria-rowindex={index + 2} className={`server ${row.state}`} data-name={row.name}>
      <div role="gridcell" className="state"><Lamp shape={LAMP[row.state]} />{row.state}</div>
      <div role="gridcell" className="who" title={row.name}><b>{row.name}</b> <span className="mono muted" title={row.type}>{transport(row.type)}</span>
        {row.recovered > 0 && row.state === "connected" ? <span className="badge" title={`Its session on the server had expired and was opened again${row.recovered > 1 ? `, ${row.recovered} times` : ""}`}>recovered</span> : null}</div>
      <div role="gridcell" className="layers">
        <button type="button" className="dot" disabled={!row.file} aria-label={row.defined ? `${row.name} definition` : `${row.name} not defined`}
          title={row.defined ? `Defined in ${row.file}${row.line ? `, line ${row.line}` : ""}` : "Defined nowhere"} onClick={() => onFile(row.file, row.line)}>
          <Lamp shape={row.defined ? "disc" : "dashed"} /></button>
        <Switch label={`${row.name} enabled here`} on={row.enabled} inert={busy || (!row.defined && !row.enabled)} onChange={(on) => onVerb(on ? "Enable" : "Disable", row)} />
        <Switch label={`${row.name} in this session`} on={!row.paused} inert={busy || !row.enabled} onChange={(on) => onVerb(on ? "Resume" : "Pause", row)} />
      </div>
      <div role="gridcell" className="num">{row.toolCount}</div>
      <div role="gridcell" className="num muted" title={time ? `connected in ${duration(row.connectMs) || "?"}${row.latencyMs ? `, latency ${duration(row.latencyMs)}` : ""}` : undefined}>{row.state === "busy" ? <Elapsed sinceMs={row.sinceMs} /> : duration(time)}</div>
      <div role="gridcell" className="quiet">{quiet(row).map((each) => (
        <IconButton key={each} label={`${each} ${row.name}`} title={each} path={GLYPH[each]} disabled={busy} onClick={() => onVerb(each, row)} />
      ))}</div>
      {row.state === "busy" ? (
        <div role="gridcell" className="why stages">
          <span className="stage">{row.stage}</span><span className="reason mono" title={text}>{text}</span><Bars stage={row.stage} />
        </div>
      ) : text || verb ? (
        <div role="gridcell" className="why">
          <span className="reason" title={row.error || row.reason || text}><span className={capital(text, row) ? "capital" : undefined}>{text}</span></span>
          {row.nextTryMs > 0 ? <Countdown untilMs={row.nextTryMs} /> : null}
          {verb ? <button type="button" className="btn" aria-label={`${verb} ${row.name}`} disabled={busy} onClick={() => onVerb(verb, row)}>{verb}{verb === "Resolve" || verb === "Define" || verb === "Edit" ? "…" : ""}</button> : null}
        </div>
      ) : null}
    </div>
  );
});

/** How far an attempt is; the stage's word stands beside it. */
function Bars({ stage }: { stage: string }) {
  const at = STAGES.findIndex((each) => each === stage);
  return <span className="steps" aria-hidden="true">{STAGES.map((each, i) => <i key={each} title={each} className={i < at ? "past" : i === at ? "now" : undefined} />)}</span>;
}
