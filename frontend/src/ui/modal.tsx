import * as Dialog from "@radix-ui/react-dialog";
import type { ReactNode } from "react";
import { IconButton } from "./icon-button";

/** A dialog that holds the focus; Escape and the ground close it. */
export function Modal({ title, onClose, children, describe }: {
  title: string; onClose: () => void; children: ReactNode; describe?: string;
}) {
  return (
    <Dialog.Root open onOpenChange={(open) => { if (!open) onClose(); }}>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="modal" {...(describe ? {} : { "aria-describedby": undefined })}>
          <Dialog.Title className="modal-title">{title}</Dialog.Title>
          {describe ? <Dialog.Description className="muted">{describe}</Dialog.Description> : null}
          {children}
          {/* Last, so that the dialog opens with the focus on what it is about. */}
          <div className="modal-close"><IconButton label="Close" title="Close" path="M4.5 4.5l7 7M11.5 4.5l-7 7" onClick={onClose} /></div>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
