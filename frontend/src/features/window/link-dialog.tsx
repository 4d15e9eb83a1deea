import { Modal } from "../../ui/modal";

/** Shows where a link leads before the browser opens it. */
export function LinkDialog({ link, onOpen, onClose }: { link: string; onOpen: () => void; onClose: () => void }) {
  return (
    <Modal title="Open this link in the browser?" describe={link} onClose={onClose}>
      <footer><button type="button" className="btn primary" onClick={onOpen}>Open</button>
        <button type="button" className="btn" onClick={onClose}>Cancel</button></footer>
    </Modal>
  );
}
