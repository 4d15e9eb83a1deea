import { createContext, use, useState } from "react";

/** What the person opened or closed, by item: it outlives the item's leaving the page while it is out of sight. */
export const OpenedContext = createContext<Map<string, boolean>>(new Map());

/** Whether a part of an item is open, and how to change that. */
export function useOpened(key: string, initial: boolean): [boolean, (open: boolean) => void] {
  const opened = use(OpenedContext);
  const [open, setOpen] = useState(() => opened.get(key) ?? initial);
  return [open, (next) => { opened.set(key, next); setOpen(next); }];
}
