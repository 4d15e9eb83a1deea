import * as Radix from "@radix-ui/react-dropdown-menu";
import { Check } from "lucide-react";
import type { ReactElement } from "react";
import { overlays } from "./overlays";

/** One line of a menu; checked shows a mark, detail a second, quiet text. */
export interface MenuItem { id: string; label: string; detail?: string; checked?: boolean; danger?: boolean; onSelect: () => void }

/** A menu at a button. Groups are parted by a line. */
export function Menu({ label, trigger, groups, align = "start" }: {
  label: string; trigger: ReactElement; groups: readonly (readonly MenuItem[])[]; align?: "start" | "center" | "end";
}) {
  return (
    <Radix.Root modal={false}>
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
