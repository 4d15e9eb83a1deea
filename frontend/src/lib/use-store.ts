import { useSyncExternalStore } from "react";
import type { Store } from "./store";

/** Reads a store in a component. */
export function useStore<T>(store: Store<T>): T {
  return useSyncExternalStore(store.subscribe, store.get);
}
