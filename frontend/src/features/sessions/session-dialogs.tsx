import { useState } from "react";
import type { SessionInfo } from "../../contract/types";
import { Modal } from "../../ui/modal";

/** Which dialog of the session list is open. */
export interface OpenDialog { kind: "rename" | "delete"; session: SessionInfo }

/** Renames a session, or asks before one is deleted. */
export function SessionDialogs({ open, onRename, onDelete, onClose }: {
  open: OpenDialog; onRename: (title: string) => Promise<boolean>; onDelete: () => void; onClose: () => void;
}) {
  const { session } = open;
  if (open.kind === "rename") return <Rename title={session.title} onClose={onClose} onSave={onRename} />;
  return (
    <Modal title={`Delete ${session.title || "New session"}?`} onClose={onClose}
      describe={`${session.running ? "Its turn is stopped. " : ""}The conversation leaves this machine; files it changed stay as they are. This cannot be undone.`}>
      <footer><button type="button" className="btn danger" onClick={() => { onClose(); onDelete(); }}>Delete</button>
        <button type="button" className="btn" onClick={onClose}>Cancel</button></footer>
    </Modal>
  );
}

function Rename({ title, onSave, onClose }: { title: string; onSave: (title: string) => Promise<boolean>; onClose: () => void }) {
  const [text, setText] = useState(title);
  const problem = text.trim() === "" ? "Give the session a title" : "";
  return (
    <Modal title="Rename session" onClose={onClose}>
      <form className="stack" onSubmit={(e) => { e.preventDefault(); if (!problem) void onSave(text.trim()).then((saved) => { if (saved) onClose(); }); }}>
        <label>Title<input value={text} maxLength={200} onChange={(e) => setText(e.target.value)} onFocus={(e) => e.target.select()} /></label>
        <p className="line error" role="alert">{problem}</p>
        <footer><button type="submit" className="btn primary" disabled={problem !== ""}>Rename</button><button type="button" className="btn" onClick={onClose}>Cancel</button></footer>
      </form>
    </Modal>
  );
}
