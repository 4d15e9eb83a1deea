import * as Radix from "@radix-ui/react-dropdown-menu";
import { Check } from "lucide-react";
import type { ReactElement } from "react";
import type { MenuItem } from "./menu";
import { overlays } from "./overlays";

/** What a Menu is once it was opened. */
export function MenuSheet({ label, trigger, groups, open, onOpenChange, align }: {
  label: string; trigger: ReactElement; groups: readonly (readonly MenuItem[])[]; open: boolean; onOpenChange: (open: boolean) => void; align: "start" | "center" | "end";
}) {
  return (
    <Radix.Root modal={false} open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal container={overlays()}>
        <Radix.Content className="menu" aria-label={label} align={align} sideOffset={6} collisionPadding={8}>
          {groups.filter((group) => group.length > 0).map((group, at) => (
            <Radix.Group key={group[0]?.id ?? at} className="menu-group">{group.map((item) => (
              <Radix.Item key={item.id} className={item.danger ? "menu-item danger" : "menu-item"} onSelect={item.onSelect}>
                <span className="menu-mark">{item.checked ? <Check aria-hidden="true" size={14} /> : null}</span>
                <span className="menu-label">{item.label}{item.detail ? <span className="muted menu-detail">{item.detail}</span> : null}</span>
                {item.checked ? <span className="sr">chosen</span> : null}
              </Radix.Item>
            ))}</Radix.Group>
          ))}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
