import * as Radix from "@radix-ui/react-popover";
import type { ReactElement, ReactNode } from "react";
import { overlays } from "./overlays";

/** What a Popover is once it was opened. */
export function PopoverSheet({ label, trigger, children, open, onOpenChange, align }: {
  label: string; trigger: ReactElement; children: ReactNode; open: boolean; onOpenChange: (open: boolean) => void; align: "start" | "center" | "end";
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={overlays()}>
        <Radix.Content className="popover" aria-label={label} align={align} sideOffset={6} collisionPadding={8}>{children}</Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
