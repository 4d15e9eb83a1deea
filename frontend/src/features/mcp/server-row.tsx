import { Check, ClipboardCopy, LogIn, Pause, Pencil, Play, Plus, Power, RotateCw, Split, Trash2, type LucideIcon } from "lucide-react";
import { forwardRef, memo, useState, type Ref } from "react";
import type { ServerRow as Row } from "../../contract/types";
import { duration } from "../../lib/format";
import { IconButton } from "../../ui/icon-button";
import { Lamp } from "../../ui/lamp";
import { Switch } from "../../ui/switch";
import type { DetailTab } from "./detail";
import { SigningIn, type SignInStep } from "./sign-in";
import { Countdown, Elapsed } from "./ticking";
import { about, cameBack, capital, cure, hasLog, hint, LAMP, quiet, sentence, signingIn, STAGES, times, transport, type Verb } from "./words";

const GLYPH: Record<Verb, LucideIcon> = {
  Enable: Check, Disable: Power, Pause, Resume: Play, Retry: RotateCw, Edit: Pencil, Remove: Trash2, Resolve: Split, Trust: Check, Define: Plus, "Sign in": LogIn,
};

/** What a click in a row asks for. */
export interface RowCommands {
  onVerb: (verb: Verb, row: Row) => void;
  onFile: (path: string, line: number) => void;
  onDetail: (name: string, tab?: DetailTab) => void;
  onCopy: (name: string) => void;
  onSignIn: (step: SignInStep, row: Row) => void;
}

/** One server: a healthy one is one line; any other says why and offers its button. Its controls
 *  are no stops of the Tab key: the arrow keys of the grid lead to them. */
export const ServerRow = memo(function ServerRow({ row, index, busy, current, open, start, measure, commands }: {
  row: Row; index: number; busy: boolean; current: boolean; open: boolean; start?: number; measure?: Ref<HTMLDivElement>; commands: RowCommands;
}) {
  const { onVerb, onFile, onDetail } = commands;
  const [seen, setSeen] = useState(false); // drawings that nobody sees are most of a row's cost
  return (
    <div role="row" ref={measure} onPointerEnter={() => setSeen(true)} onFocus={() => setSeen(true)} data-index={index} data-name={row.name} aria-label={row.name} aria-rowindex={index + 2} aria-busy={busy || undefined} aria-current={open || undefined}
      tabIndex={current ? 0 : -1} className={`server ${row.state}`} style={start === undefined ? undefined : { position: "absolute", insetInline: 0, top: 0, transform: `translateY(${start}px)` }}>
      <div role="gridcell" className="state"><Lamp shape={LAMP[row.state]} />{row.state}</div>
      <div role="gridcell" className="who">
        <button type="button" className="name" tabIndex={-1} aria-label={`Details of ${row.name}`} title={about(row)} onClick={() => onDetail(row.name)}>{row.name}</button>
        <span className="mono muted" title={row.type}>{transport(row.type)}</span>
        {row.recovered > 0 && row.state === "connected" ? <span className="badge" title={cameBack(row)}>recovered {row.recovered}</span> : null}</div>
      <div role="gridcell" className="layers">
        <button type="button" className="dot" tabIndex={-1} disabled={!row.file} aria-label={row.defined ? `${row.name} definition` : `${row.name} not defined`}
          title={row.defined ? `Defined in ${row.file}${row.line ? `, line ${row.line}` : ""}` : "Defined nowhere"} onClick={() => onFile(row.file, row.line)}>
          <Lamp shape={row.defined ? "disc" : "dashed"} /></button>
        <Switch tabIndex={-1} label={`${row.name} enabled here`} on={row.enabled} inert={!row.defined && !row.enabled} onChange={(on) => onVerb(on ? "Enable" : "Disable", row)} />
        <Switch tabIndex={-1} label={`${row.name} in this session`} on={!row.paused} inert={!row.enabled} onChange={(on) => onVerb(on ? "Resume" : "Pause", row)} />
      </div>
      <div role="gridcell" className="num amount" title={row.toolCount > 0 ? `${row.schemaTokens} schema tokens` : undefined}>{row.toolCount}</div>
      <div role="gridcell" className="num took muted" title={times(row) || undefined}>{row.state === "busy" ? <Elapsed sinceMs={row.sinceMs} /> : duration(row.latencyMs || row.connectMs)}</div>
      <div role="gridcell" className="quiet">{quiet(row).map((each) => (
        <IconButton tabIndex={-1} key={SLOT[each] ?? each} label={`${each} ${row.name}`} title={hint(each, row)} icon={seen ? GLYPH[each] : Blank} onClick={() => onVerb(each, row)} />
      ))}<IconButton tabIndex={-1} label={`Copy diagnosis of ${row.name}`} title="Copy diagnosis" icon={seen ? ClipboardCopy : Blank} onClick={() => commands.onCopy(row.name)} /></div>
      <Why row={row} commands={commands} />
    </div>
  );
}, (a, b) => a.row.name === b.row.name && a.index === b.index && a.busy === b.busy && a.current === b.current && a.open === b.open && a.start === b.start
  && a.measure === b.measure && a.commands === b.commands && (a.row === b.row || JSON.stringify(a.row) === JSON.stringify(b.row))); // every snapshot brings new rows, most of them equal

/** The drawing of a button that is not in sight. */
const Blank = forwardRef(() => null) as LucideIcon;

/** Verbs that take each other's place keep their button, and with it the focus. */
const SLOT: Partial<Record<Verb, string>> = { Enable: "workspace", Disable: "workspace", Pause: "session", Resume: "session" };

/** The second line: how far a start is, or why the server is not there and what helps. */
function Why({ row, commands: { onVerb, onDetail, onSignIn } }: { row: Row; commands: RowCommands }) {
  const verb = cure(row);
  const text = sentence(row);
  if (row.signIn && signingIn(row)) return <div role="gridcell" className="why"><SigningIn name={row.name} signIn={row.signIn} still onStep={(step) => onSignIn(step, row)} /></div>;
  if (row.state === "busy") return (
    <div role="gridcell" className="why stages">
      <span className="stage">{row.stage}</span><span className="reason mono" title={text || undefined}>{text}</span><Bars stage={row.stage} />
    </div>
  );
  if (!text && !verb) return null;
  return (
    <div role="gridcell" className="why">
      <span className="words"><span className="reason" title={row.error || row.reason || text}><span className={capital(text, row) ? "capital" : undefined}>{text}</span></span>
        {row.nextTryMs > 0 ? <Countdown untilMs={row.nextTryMs} /> : null}</span>
      {hasLog(row) ? <button type="button" className="btn ghost" tabIndex={-1} aria-label={`Log of ${row.name}`} onClick={() => onDetail(row.name, "log")}>Log</button> : null}
      {verb ? <button type="button" className="btn" tabIndex={-1} aria-label={`${verb} ${row.name}`} onClick={() => onVerb(verb, row)}>{verb}{verb === "Resolve" || verb === "Define" || verb === "Edit" ? "…" : ""}</button> : null}
    </div>
  );
}

/** How far an attempt is; the stage's word stands beside it. */
function Bars({ stage }: { stage: string }) {
  const at = STAGES.findIndex((each) => each === stage);
  return <span className="steps" aria-hidden="true">{STAGES.map((each, i) => <i key={each} title={each} className={i < at ? "past" : i === at ? "now" : undefined} />)}</span>;
}
