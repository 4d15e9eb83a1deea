/** A value with listeners; the value is replaced, never changed in place. */
export interface Store<T> {
  get(): T;
  subscribe(listener: () => void): () => void;
}

/** A Store whose owner can replace the value. */
export class Cell<T> implements Store<T> {
  private readonly listeners = new Set<() => void>();
  constructor(private value: T) {}
  get = (): T => this.value;
  set = (value: T): void => {
    if (Object.is(value, this.value)) return;
    this.value = value;
    for (const each of [...this.listeners]) each();
  };
  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => { this.listeners.delete(listener); };
  };
}

/** Holds the newest snapshot: the higher rev wins whatever order they arrive in. */
export class Latest<T extends { rev: number }> extends Cell<T> {
  take = (next: T): void => { if (next.rev > this.get().rev) this.set(next); };
}
