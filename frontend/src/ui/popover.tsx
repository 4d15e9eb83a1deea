import * as Radix from "@radix-ui/react-popover";
import type { ReactElement, ReactNode } from "react";
import { overlays } from "./overlays";

/** A small sheet at a button; Escape and a click elsewhere close it. The trigger is one button. */
export function Popover({ label, trigger, children, open, onOpenChange, align = "start" }: {
  label: string; trigger: ReactElement; children: ReactNode; open?: boolean; onOpenChange?: (open: boolean) => void; align?: "start" | "center" | "end";
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
