import * as Dialog from "@radix-ui/react-dialog";
import { X } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "./icon-button";

/** A dialog that holds the focus; Escape and the ground close it. */
export function Modal({ title, onClose, children, describe, size = "medium" }: {
  title: string; onClose: () => void; children: ReactNode; describe?: string; size?: "medium" | "large";
}) {
  return (
    <Dialog.Root open onOpenChange={(open) => { if (!open) onClose(); }}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className={`modal ${size}`} {...(describe ? {} : { "aria-describedby": undefined })}>
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
