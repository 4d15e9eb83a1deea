import { useSyncExternalStore } from "react";
import type { Store } from "./store";

/** Reads a store in a component. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}

/** Reads one plain value out of a store: the component is drawn again only when that changes. */
export function useSelect<T, V extends string | number | boolean>(store: Store<T>, select: (value: T) => V): V {
  return useSyncExternalStore(store.subscribe, () => select(store.get()));
}
