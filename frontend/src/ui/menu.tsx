import { cloneElement, Suspense, useState, type ComponentProps, type KeyboardEvent, type ReactElement } from "react";
import { lazily } from "./lazily";

const MenuSheet = lazily(() => import("./menu-sheet"), "MenuSheet");

/** One line of a menu; checked shows a mark, detail a second, quiet text. */
export interface MenuItem { id: string; label: string; detail?: string; checked?: boolean; danger?: boolean; onSelect: () => void }

/** A menu at a button. Groups are parted by a line. */
export function Menu({ label, trigger, groups, align = "start" }: {
  label: string; trigger: ReactElement<ComponentProps<"button">>; groups: readonly (readonly MenuItem[])[]; align?: "start" | "center" | "end";
}) {
  const [used, setUsed] = useState(false);
  const [open, setOpen] = useState(true);
  const closed = cloneElement(trigger, {
    "aria-haspopup": "menu", "aria-expanded": false, onClick: () => setUsed(true),
    onKeyDown: (e: KeyboardEvent) => { if (e.key === "ArrowDown") setUsed(true); },
  });
  if (!used) return closed;
  return (
    <Suspense fallback={closed}>
      <MenuSheet label={label} trigger={trigger} groups={groups} open={open} onOpenChange={setOpen} align={align} />
    </Suspense>
  );
}
