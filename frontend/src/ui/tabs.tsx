import * as Radix from "@radix-ui/react-tabs";
import type { ReactNode } from "react";

/** One tab; the count stands behind its label. */
export interface Tab<Id extends string> { id: Id; label: string; count?: number; content: ReactNode }

/** Tabs with arrow keys; only the content of the chosen one is in the page. */
export function Tabs<Id extends string>({ label, tabs, value, onChange }: {
  label: string; tabs: readonly Tab<Id>[]; value: Id; onChange: (id: Id) => void;
}) {
  return (
    <Radix.Root className="tabs" value={value} onValueChange={(id) => onChange(id as Id)}>
      <Radix.List className="tab-list" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger key={tab.id} value={tab.id} className="tab">{tab.label}{tab.count === undefined ? null : <span className="muted"> {tab.count}</span>}</Radix.Trigger>
        ))}
      </Radix.List>
      {tabs.map((tab) => <Radix.Content key={tab.id} value={tab.id} className="tab-content">{tab.content}</Radix.Content>)}
    </Radix.Root>
  );
}
