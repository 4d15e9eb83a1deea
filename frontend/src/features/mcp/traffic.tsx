import { useEffect, useMemo, useState } from "react";
import type { Runner } from "../../lib/run";
import type { Host } from "../../platform/host";
import { EVERYTHING, filteredTraffic, useFound, useTraffic, type TrafficFilter } from "./traffic-data";
import { TrafficList } from "./traffic-list";
import { Pair } from "./traffic-pair";
import "./traffic.css";

/** What goes between Patchbay and a server. at is the number of a frame to begin with. */
export function TrafficTab({ name, host, runner, at }: { name: string; host: Host; runner: Runner; at?: { frame: number } }) {
  const [paused, setPaused] = useState(false);
  const { all, newest, error, read, empty } = useTraffic(host, name, paused);
  const [filter, setFilter] = useState<TrafficFilter>(EVERYTHING);
  const [chosen, setChosen] = useState(at?.frame ?? 0);
  useEffect(() => {
    if (!at) return;
    setChosen(at.frame);
    setFilter(EVERYTHING);
  }, [at]);
  const found = useFound(host, name, filter.text, newest);
  const shown = useMemo(() => filteredTraffic(all, filter, found), [all, filter, found]);
  const exchange = all.find((each) => each.seq === chosen);
  const gone = read && chosen > 0 && !exchange;
  const clear = () => void runner.run(`traffic ${name}`, async () => {
    await host.clearFrames(name);
    empty();
    setChosen(0);
  });
  const save = () => void runner.run(`traffic ${name}`, async () => {
    const path = await host.exportFrames(name);
    if (path) runner.show(`Exported to ${path}`);
  });
  return (
    <div className="traffic">
      <div className="log-bar">
        <select aria-label="Messages" value={filter.kind} onChange={(e) => setFilter({ ...filter, kind: e.target.value as TrafficFilter["kind"] })}>
          <option value="all">All</option><option value="requests">Requests</option><option value="notifications">Notifications</option><option value="problems">Problems</option>
        </select>
        <select aria-label="Direction" value={filter.way} onChange={(e) => setFilter({ ...filter, way: e.target.value as TrafficFilter["way"] })}>
          <option value="both">Both ways</option><option value="out">To the server</option><option value="in">From the server</option>
        </select>
        <input type="search" aria-label="Filter traffic" placeholder="Filter…" value={filter.text} onChange={(e) => setFilter({ ...filter, text: e.target.value })} />
        <span className="muted num">{shown.length.toLocaleString("en")} of {all.length.toLocaleString("en")}</span>
        <span className="grow" />
        <button type="button" className="btn ghost" aria-pressed={paused} onClick={() => setPaused(!paused)}>Pause</button>
        <button type="button" className="btn ghost" disabled={all.length === 0} onClick={clear}>Clear</button>
        <button type="button" className="btn ghost" disabled={all.length === 0} title="As JSON lines; secrets are hidden" onClick={save}>Export…</button>
      </div>
      {error ? <p className="line error log-note">{error}</p> : null}
      {gone ? <p className="muted log-note" role="status">These frames are no longer kept.</p> : null}
      {read && shown.length === 0 ? <p className="muted log-note">{all.length > 0 ? "No message matches the filter." : "Nothing was sent or received yet."}</p> : null}
      <TrafficList name={name} all={shown} chosen={chosen} onChoose={setChosen} />
      {exchange ? <Pair key={exchange.seq} name={name} exchange={exchange} host={host} /> : null}
    </div>
  );
}
