import { Check, Pause, Pencil, Play, Plus, Power, RotateCw, Split, Trash2, type LucideIcon } from "lucide-react";
import { memo } from "react";
import type { ServerRow as Row } from "../../contract/types";
import { duration } from "../../lib/format";
import { IconButton } from "../../ui/icon-button";
import { Lamp } from "../../ui/lamp";
import { Switch } from "../../ui/switch";
import { Countdown, Elapsed } from "./ticking";
import { capital, cure, LAMP, quiet, sentence, STAGES, transport, type Verb } from "./words";

const GLYPH: Record<Verb, LucideIcon> = {
  Enable: Check, Disable: Power, Pause, Resume: Play, Retry: RotateCw, Edit: Pencil, Remove: Trash2, Resolve: Split, Trust: Check, Define: Plus,
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
        <IconButton key={each} label={`${each} ${row.name}`} title={each} icon={GLYPH[each]} disabled={busy} onClick={() => onVerb(each, row)} />
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
