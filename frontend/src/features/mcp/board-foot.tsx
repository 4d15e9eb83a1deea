import { Keyboard } from "lucide-react";
import type { MCPSnapshot } from "../../contract/types";
import type { Runner } from "../../lib/run";
import type { Host } from "../../platform/host";
import { Popover } from "../../ui/popover";
import { Changes } from "./changes";
import { KEYS } from "./rows-keys";

/** The two files, which open in the editor, what was changed in them, and the board's keys. */
export function BoardFoot({ snapshot, host, runner, onFile }: {
  snapshot: MCPSnapshot; host: Host; runner: Runner; onFile: (path: string, line: number) => void;
}) {
  return (
    <footer className="files">
      {[snapshot.store, snapshot.workspaceConfig].filter(Boolean).map((path) => (
        <button key={path} type="button" className="link mono path" title={`Open ${path}`} onClick={() => onFile(path, 0)}><bdi>{path}</bdi></button>))}
      <span className="grow" />
      <Changes host={host} runner={runner} />
      <Popover label="Keys of the board" align="end" trigger={<button type="button" className="icon" aria-label="Keys of the board" title="Keys of the board"><Keyboard aria-hidden="true" size={15} strokeWidth={1.75} /></button>}>
        <h3>Keys of the board</h3>
        <dl className="keys">{KEYS.map(([keys, what]) => <div key={keys}><dt>{keys.split(" ").map((each) => <kbd key={each}>{each}</kbd>)}</dt><dd>{what}</dd></div>)}</dl>
      </Popover>
    </footer>
  );
}
