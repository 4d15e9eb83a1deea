import { cloneElement, Suspense, useState, type ComponentProps, type ReactElement, type ReactNode } from "react";
import { lazily } from "./lazily";

const PopoverSheet = lazily(() => import("./popover-sheet"), "PopoverSheet");

/** A small sheet at a button; Escape and a click elsewhere close it. The trigger is one button. */
export function Popover({ label, trigger, children, open, onOpenChange, align = "start" }: {
  label: string; trigger: ReactElement<ComponentProps<"button">>; children: ReactNode; open?: boolean; onOpenChange?: (open: boolean) => void; align?: "start" | "center" | "end";
}) {
  const [own, setOwn] = useState(false);
  const [used, setUsed] = useState(false);
  const shown = open ?? own;
  const change = (to: boolean) => {
    setUsed(true);
    setOwn(to);
    onOpenChange?.(to);
  };
  const closed = cloneElement(trigger, { "aria-haspopup": "dialog", "aria-expanded": false, onClick: () => change(true) });
  if (!used && !shown) return closed;
  return (
    <Suspense fallback={closed}>
      <PopoverSheet label={label} trigger={trigger} open={shown} onOpenChange={change} align={align}>{children}</PopoverSheet>
    </Suspense>
  );
}
