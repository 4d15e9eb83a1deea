import { useEffect, useState } from "react";
import type { ProcessInfo, ServerProcesses, ServerRow } from "../../contract/types";
import { clock, duration, lasted, memory } from "../../lib/format";
import { errorText, type Runner } from "../../lib/run";
import type { Host } from "../../platform/host";
import type { DetailData } from "./detail-data";
import { Doctor } from "./detail-doctor";
import { FactList, Part } from "./detail-facts";
import { capitalised } from "./words";

const POLL_MS = 2000;

/** What runs of a server, read again every two seconds while somebody can see it. */
function useProcesses(host: Host, name: string) {
  const [seen, setSeen] = useState<{ at: number; what: ServerProcesses }>();
  const [error, setError] = useState("");
  useEffect(() => {
    let stopped = false;
    let timer: ReturnType<typeof setTimeout>;
    const look = async () => {
      if (!document.hidden) {
        try {
          const what = await host.serverProcesses(name);
          if (stopped) return;
          setSeen({ at: Date.now(), what });
          setError("");
        } catch (err) {
          if (stopped) return;
          setError(errorText(err));
        }
      }
      timer = setTimeout(() => void look(), POLL_MS);
    };
    void look();
    return () => { stopped = true; clearTimeout(timer); };
  }, [host, name]);
  return { seen, error };
}

/** What runs of a server, how often it was started, and how its start here differs from a terminal's. */
export function ProcessTab({ name, row, data, host, runner }: { name: string; row: ServerRow | undefined; data: DetailData; host: Host; runner: Runner }) {
  const { seen, error } = useProcesses(host, name);
  return (
    <div className="detail-body">
      {error ? <p className="line error">{error}</p> : null}
      {seen ? <Running name={name} remote={row !== undefined && row.type !== "stdio" && row.type !== ""} {...seen} /> : <section className="part" aria-label="Processes" aria-busy="true" />}
      {row?.defined && data.detail ? <Doctor key={JSON.stringify(data.detail.form)} name={name} host={host} runner={runner} /> : null}
    </div>
  );
}

function Running({ name, remote, at, what }: { name: string; remote: boolean; at: number; what: ServerProcesses }) {
  const root = what.processes[0];
  const restarts = Math.max(0, what.starts - 1);
  return <>
    <Part title="Processes">
      {root ? <Tree name={name} processes={what.processes} /> : <p className="muted">{remote ? "It is reached by HTTP: none of its processes is Patchbay's." : "Nothing of it runs."}</p>}
    </Part>
    <Part title="In sum"><FactList label="Sums" facts={[
      ["Processes", root ? String(what.processes.length) : ""],
      ["Memory", memory(what.memory) && (what.sharedTwice ? <span title="Pages that several processes share count for each of them">{memory(what.memory)} <span className="muted">(shared pages counted for each)</span></span> : memory(what.memory))],
      ["CPU time", root ? duration(what.cpuMs) || "0 s" : ""],
      ["Uptime", root && root.startedMs > 0 ? lasted(at - root.startedMs) : ""],
      ["Restarts", what.starts > 0 ? String(restarts) : "not started yet"],
      ["Recovered", what.recovered > 0 ? `${what.recovered} ${what.recovered === 1 ? "time" : "times"}` : ""],
      ["Last end", what.lastEnd ? <>{capitalised(what.lastEnd)} <span className="muted">at {clock(what.lastEndMs)}</span></> : ""],
    ]} /></Part>
  </>;
}

function Tree({ name, processes }: { name: string; processes: readonly ProcessInfo[] }) {
  return (
    <table className="process-tree" aria-label={`Processes of ${name}`}>
      <thead><tr><th scope="col">Program</th><th scope="col" className="num">PID</th><th scope="col" className="num">Memory</th><th scope="col" className="num">CPU</th></tr></thead>
      <tbody>{processes.map((each) => (
        <tr key={each.pid} className={each.zombie ? "zombie" : undefined}>
          <th scope="row" style={{ paddingInlineStart: Math.min(each.depth, 6) * 14 }}>
            <span className="process-name">{each.depth > 0 ? <span className="muted" aria-hidden="true">└ </span> : null}{each.name || "hidden"}
              {each.orphan ? <span className="badge warn" title="The process that started it has ended">orphan</span> : null}
              {each.zombie ? <span className="badge plain" title="It has ended; the process that started it has not looked yet">ended</span> : null}</span>
            {each.command ? <span className="process-command mono muted" title={each.command}>{each.command}</span> : null}
          </th>
          <td className="num mono">{each.pid}</td><td className="num">{memory(each.memory) || "–"}</td>
          <td className="num" title={each.startedMs > 0 ? `Started at ${clock(each.startedMs)}` : undefined}>{duration(each.cpuMs) || "0 s"}</td>
        </tr>
      ))}</tbody>
    </table>
  );
}
