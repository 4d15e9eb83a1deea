import { Suspense, useCallback, useEffect, useMemo, useRef, useState, type KeyboardEvent, type RefObject } from "react";
import type { Insert, MCPSnapshot } from "../../contract/types";
import type { Runner } from "../../lib/run";
import { lazily } from "../../ui/lazily";
import type { Latest } from "../../lib/store";
import { useStore } from "../../lib/use-store";
import type { Host } from "../../platform/host";
import { useBoardActions } from "./board-actions";
import { BoardFoot } from "./board-foot";
import { BoardHead } from "./board-head";
import { Nothing } from "./board-nothing";
import type { DetailTab } from "./detail";
import { CutBanner, FileBanner, SweptBanner } from "./file-banner";
import { Filters } from "./filters";
import { OutsideBanner } from "./outside-banner";
import { Rows } from "./rows";
import { rowOf } from "./rows-focus";
import { blank } from "./server-form-rules";
import { useSignedIn } from "./sign-in";
import { TrustBanner } from "./trust-banner";
import { EVERY, type Filter, type Sort } from "./words";

const BoardDialogs = lazily(() => import("./board-dialogs"), "BoardDialogs");
const ServerDetailPanel = lazily(() => import("./detail"), "ServerDetailPanel");

/** From this width on the list and the detail of a server stand side by side. */
const SIDE_BY_SIDE = 900;

/** Which server's detail is open, and where it begins. */
interface DetailTarget { name: string; tab?: DetailTab; at?: { frame: number } }

/** The right side: every server, its state, why, and the button that puts it right. */
export function Board({ store, host, runner, demoCommand, wide, onWide, onInsert, frames, onFramesShown }: {
  store: Latest<MCPSnapshot>; host: Host; runner: Runner; demoCommand: string; wide: boolean; onWide: (wide: boolean) => void;
  onInsert?: (insert: Insert) => void;
  /** A frame whose traffic is to be shown, once: then onFramesShown is called. */
  frames?: { server: string; frame: number }; onFramesShown?: () => void;
}) {
  const snapshot = useStore(store);
  const busy = useStore(runner.busy);
  const { rows } = snapshot;
  const [known, none] = [snapshot.rev > 0, rows.length === 0];
  const [shown, setShown] = useState<DetailTarget>();
  const setDetail = useCallback((name: string, tab?: DetailTab) => setShown(name ? { name, tab } : undefined), []);
  useEffect(() => {
    if (!frames) return;
    setShown({ name: frames.server, tab: "traffic", at: frames });
    onFramesShown?.();
  }, [frames, onFramesShown]);
  const { commands, open, setOpen, onRestore, onTrust, onRetryFailed, onRebuildAll } = useBoardActions(store, host, runner, setDetail);
  const [filter, setFilter] = useState<Filter>(EVERY);
  const [sort, setSort] = useState<Sort>();
  const board = useRef<HTMLElement>(null);
  const search = useRef<HTMLInputElement>(null);
  const covered = !useRoom(board) && shown !== undefined;
  const nothing = useMemo(() => (
    <Nothing known={known} none={none} onAll={() => setFilter(EVERY)} onAdd={() => setOpen({ kind: "form", form: blank() })}
      onDemo={() => setOpen({ kind: "form", form: { ...blank("demo"), command: demoCommand || "patchbay", args: ["demo-server"] } })} />
  ), [known, none, demoCommand, setOpen]);
  useSignedIn(rows, runner);
  const close = () => {
    setDetail("");
    if (shown) setTimeout(() => { if (board.current) rowOf(board.current, shown.name)?.focus({ preventScroll: true }); }); // once the list is there again
  };
  return (
    <section className={shown ? (covered ? "board covered" : "board beside") : "board"} ref={board} aria-label="Server board" onKeyDown={(e) => find(e, search.current)}>
      <div className="board-list" inert={covered}>
        <BoardHead rows={rows} busy={busy} wide={wide} onWide={onWide} onRetryFailed={onRetryFailed} onRebuildAll={onRebuildAll} onAdd={() => setOpen({ kind: "form", form: blank() })} />
        {rows.length > 0 ? <Filters rows={rows} filter={filter} input={search} onChange={setFilter} /> : null}
        <FileBanner errors={snapshot.fileErrors} onFile={commands.onFile} />
        <OutsideBanner edits={snapshot.outside} busy={busy.has("restore")} onRestore={onRestore} />
        <TrustBanner rows={rows} busy={busy.has("trust")} onTrust={onTrust} />
        <CutBanner tools={snapshot.cutTools} />
        <SweptBanner text={snapshot.swept} />
        <Rows all={rows} filter={filter} sort={sort} onSort={setSort} busy={busy} open={shown?.name ?? ""} commands={commands}>{nothing}</Rows>
        <BoardFoot snapshot={snapshot} host={host} runner={runner} onFile={commands.onFile} />
      </div>
      {shown ? <Suspense fallback={<section className="detail" aria-label={`Details of ${shown.name}`} aria-busy="true" />}><ServerDetailPanel name={shown.name} row={rows.find((row) => row.name === shown.name)} tab={shown.tab} at={shown.at} host={host} runner={runner} onClose={close} onVerb={commands.onVerb} onSignIn={commands.onSignIn} onInsert={onInsert} /></Suspense> : null}
      {open ? <Suspense><BoardDialogs open={open} rows={rows} host={host} runner={runner} onClose={() => setOpen(undefined)} /></Suspense> : null}
    </section>
  );
}

/** Whether there is room for the detail beside the list. */
function useRoom(board: RefObject<HTMLElement | null>): boolean {
  const [room, setRoom] = useState(false);
  useEffect(() => {
    if (!board.current || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(([entry]) => { if (entry) setRoom(entry.contentRect.width >= SIDE_BY_SIDE); });
    watch.observe(board.current);
    return () => watch.disconnect();
  }, [board]);
  return room;
}

/** Ctrl+F, Cmd+F and "/" go to the filter. */
function find(e: KeyboardEvent<HTMLElement>, search: HTMLInputElement | null): void {
  const typing = (e.target as Element).matches("input, textarea, select");
  if (!search || !((e.key === "f" && (e.ctrlKey || e.metaKey) && !e.altKey) || (e.key === "/" && !typing))) return;
  e.preventDefault();
  search.focus();
  search.select();
}
