import * as Dialog from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { IconButton } from "./icon-button";

/** A dialog that holds the focus, first on focus or else on its first control; Escape and the ground close it. */
export function Modal({ title, onClose, children, describe, size = "medium", focus }: {
  title: string; onClose: () => void; children: ReactNode; describe?: string; size?: "medium" | "large"; focus?: RefObject<HTMLElement | null>;
}) {
  return (
    <Dialog.Root open onOpenChange={(open) => { if (!open) onClose(); }}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className={`modal ${size}`} onOpenAutoFocus={(e) => { if (focus?.current) { e.preventDefault(); focus.current.focus(); } }} {...(describe ? {} : { "aria-describedby": undefined })}>
          <Dialog.Title className="modal-title">{title}</Dialog.Title>
          {describe ? <Dialog.Description className="muted">{describe}</Dialog.Description> : null}
          {children}
          {/* Last, so that the dialog opens with the focus on what it is about. */}
          <div className="modal-close"><IconButton label="Close" icon={X} onClick={onClose} /></div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
