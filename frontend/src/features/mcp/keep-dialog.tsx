import type { SignInKeep } from "../../contract/types";
import { Modal } from "../../ui/modal";

/** Asks, on a machine without a keyring, where sign-ins may be kept. */
export function KeepDialog({ name, file, onKeep, onClose }: { name: string; file: string; onKeep: (keep: SignInKeep) => void; onClose: () => void }) {
  return (
    <Modal title="No keyring. Keep sign-ins in a file only you can read?" onClose={onClose}
      describe={`This machine has no keyring to keep the sign-in to ${name} in. A file keeps you signed in the next time Patchbay opens. Without it you sign in again then.`}>
      {file ? <p className="keep-file mono">{file}</p> : null}
      <footer>
        <button type="button" className="btn primary" onClick={() => onKeep("file")}>Keep in the file</button>
        <button type="button" className="btn" onClick={() => onKeep("memory")}>Only until Patchbay closes</button>
        <button type="button" className="btn ghost" onClick={onClose}>Cancel</button>
      </footer>
    </Modal>
  );
}
