import { lazy, type ComponentType, type LazyExoticComponent } from "react";

/** A component that is loaded the first time it is drawn, so that the start need not read it. It
 *  needs a Suspense around it. */
export function lazily<K extends string, P>(load: () => Promise<Record<K, ComponentType<P>>>, name: K): LazyExoticComponent<ComponentType<P>> {
  return lazy(async () => ({ default: (await load())[name] }));
}
