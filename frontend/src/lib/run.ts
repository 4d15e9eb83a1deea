import type { CommandError } from "../contract/types";
import { Cell } from "./store";

/** A line at the bottom of the window: an error, or something that can be taken back. */
export interface Toast { id: number; text: string; error: boolean; undo?: () => void }

/** How long a line stays that is no error, and one that can be taken back. */
const STAY_MS = 8_000;
const UNDO_MS = 20_000;

/** Runs commands: knows which are under way and shows what was rejected. */
export class Runner {
  readonly busy = new Cell<ReadonlySet<string>>(new Set());
  readonly toasts = new Cell<readonly Toast[]>([]);
  private last = 0;

  /** Runs command under key; a second one with the key of a running one is dropped. Resolves to
   *  whether it was accepted; never rejects. */
  run = async (key: string, command: () => Promise<unknown>): Promise<boolean> => {
    if (this.busy.get().has(key)) return false;
    this.busy.set(new Set(this.busy.get()).add(key));
    try {
      await command();
      return true;
    } catch (err) {
      this.show(errorText(err), true);
      return false;
    } finally {
      const rest = new Set(this.busy.get());
      rest.delete(key);
      this.busy.set(rest);
    }
  };

  /** Shows a line; the same text is not shown twice at once. Of those that can be taken back the
   *  newest is shown; what is no error goes by itself. */
  show = (text: string, error = false, undo?: () => void): void => {
    const id = ++this.last;
    const others = this.toasts.get().filter((each) => each.text !== text && !(undo && each.undo));
    this.toasts.set([...others.slice(-3), { id, text, error, undo }]);
    if (!error) setTimeout(() => this.dismiss(id), undo ? UNDO_MS : STAY_MS);
  };

  dismiss = (id: number): void => {
    this.toasts.set(this.toasts.get().filter((each) => each.id !== id));
  };
}

/** The sentence of a rejection, whatever shape it has. */
export function errorText(err: unknown): string {
  if (typeof err === "string" && err !== "") return err;
  if (err && typeof err === "object" && "message" in err) {
    const { message } = err as CommandError;
    if (message) return message;
  }
  return "the application refused without saying why; see its log";
}
