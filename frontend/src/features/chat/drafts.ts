/** Keeps a text as long as the window lives: over a crash of the page, not over a new start. */
type Keeper = Pick<Storage, "getItem" | "setItem" | "removeItem">;

const PREFIX = "draft ";

/** What was written and not sent, by session. */
export class Drafts extends Map<string, string> {
  constructor(private readonly keeper: Keeper | undefined = sessionKeeper()) { super(); }

  override get(sessionId: string): string | undefined {
    return super.get(sessionId) ?? this.kept(() => this.keeper?.getItem(PREFIX + sessionId) ?? undefined);
  }

  override set(sessionId: string, text: string): this {
    this.kept(() => this.keeper?.setItem(PREFIX + sessionId, text));
    return super.set(sessionId, text);
  }

  override delete(sessionId: string): boolean {
    this.kept(() => this.keeper?.removeItem(PREFIX + sessionId));
    return super.delete(sessionId);
  }

  /** Storage may be full or forbidden: then a draft lives as long as the page. */
  private kept<T>(use: () => T): T | undefined {
    try {
      return use();
    } catch {
      return undefined;
    }
  }
}

function sessionKeeper(): Keeper | undefined {
  try {
    return window.sessionStorage;
  } catch {
    return undefined; // forbidden
  }
}
