import type { Done, ServerRow } from "../../contract/types";
import { errorText, type Runner } from "../../lib/run";
import type { Host } from "../../platform/host";
import { Modal } from "../../ui/modal";
import { change, type Open } from "./board-actions";
import { KeepDialog } from "./keep-dialog";
import { ResolveDialog } from "./resolve-dialog";
import { ServerFormDialog } from "./server-form";

/** The dialog that is open over the board. */
export function BoardDialogs({ open, rows, host, runner, onClose }: {
  open: Open; rows: readonly ServerRow[]; host: Host; runner: Runner; onClose: () => void;
}) {
  switch (open.kind) {
    case "form": return (
      <ServerFormDialog initial={open.form} edits={open.edits} canEnable onClose={onClose}
        host={host} runner={runner} taken={rows.filter((row) => row.defined && row.name !== open.edits).map((row) => row.name)}
        onSave={(form) => save(host, runner, form.name, () => (open.edits === undefined ? host.addServer(form) : host.editServer(open.edits, form)))} />
    );
    case "resolve": return (
      <ResolveDialog row={open.row} host={host} onClose={onClose} onSave={(rules) => save(host, runner, open.row.name, () => host.resolveClash(open.row.name, rules))} />
    );
    case "keep": return (
      <KeepDialog name={open.name} file={open.file} onClose={onClose} onKeep={(keep) => { onClose(); void runner.run(open.name, () => host.signIn(open.name, keep)); }} />
    );
    case "remove": return (
      <Modal title={`Remove ${open.row.name}?`} onClose={onClose} describe={`Its definition leaves this machine's mcp.json and its process ends${open.row.signIn?.state === "signed_in" ? ", and you are signed out of it" : ""}. You can undo this${open.row.signIn?.state === "signed_in" ? ", but then sign in again" : ""}.`}>
        <footer>
          <button type="button" className="btn danger" onClick={() => { onClose(); void change(host, runner, open.row.name, () => host.removeServer(open.row.name)); }}>Remove</button>
          <button type="button" className="btn" onClick={onClose}>Cancel</button>
        </footer>
      </Modal>
    );
  }
}

/** Runs the change of a dialog; what went wrong is for the dialog to say, "" when nothing did. */
async function save(host: Host, runner: Runner, key: string, command: () => Promise<Done>): Promise<string> {
  let wrong = "";
  const done = await change(host, runner, key, async () => {
    try {
      return await command();
    } catch (err) {
      wrong = errorText(err);
      return { id: "", what: "" };
    }
  });
  return wrong || (done ? "" : `Another change of ${key} is under way: try again`);
}
