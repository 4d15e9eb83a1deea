import { useEffect, useRef, useState } from "react";
import type { Layout } from "../../contract/types";

/** How the window is divided: what is stored, and over it what is being changed. Changes are
 *  stored a moment after the last one. */
export function useLayout(stored: Layout, save: (layout: Layout) => void): [Layout, (part: Partial<Layout>) => void] {
  const [mine, setMine] = useState<Layout>();
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  const layout = mine ?? stored;
  useEffect(() => () => clearTimeout(waiting.current), []);
  const change = (part: Partial<Layout>) => {
    const next = { ...layout, ...part };
    setMine(next);
    clearTimeout(waiting.current);
    waiting.current = setTimeout(() => save(next), 400);
  };
  return [layout, change];
}

/** The inner width of the window, anew when it changes. */
export function useWidth(): number {
  const [width, setWidth] = useState(() => window.innerWidth);
  useEffect(() => {
    const read = () => setWidth(window.innerWidth);
    window.addEventListener("resize", read);
    return () => window.removeEventListener("resize", read);
  }, []);
  return width;
}
