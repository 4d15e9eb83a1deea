import type { Mention } from "../../contract/types";

/** Keeps a text as long as the window lives: over a crash of the page, not over a new start. */
type Keeper = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** What was written and not sent, by session. */
export class Drafts extends Map<string, string> {
  constructor(private readonly keeper: Keeper | undefined = sessionKeeper(), private readonly prefix = "draft ") { super(); }

  override get(sessionId: string): string | undefined {
    return super.get(sessionId) ?? this.kept(() => this.keeper?.getItem(this.prefix + sessionId) ?? undefined);
  }

  override set(sessionId: string, text: string): this {
    this.kept(() => this.keeper?.setItem(this.prefix + sessionId, text));
    return super.set(sessionId, text);
  }

  override delete(sessionId: string): boolean {
    this.kept(() => this.keeper?.removeItem(this.prefix + sessionId));
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

/** The resources of the messages that were not sent, by session. */
export class MentionDrafts {
  private readonly texts: Drafts;
  constructor(keeper?: Keeper) { this.texts = new Drafts(keeper ?? sessionKeeper(), "mentions "); }

  get(sessionId: string): readonly Mention[] {
    try {
      const kept = JSON.parse(this.texts.get(sessionId) ?? "[]") as unknown;
      return Array.isArray(kept) ? (kept as Mention[]) : [];
    } catch {
      return []; // of another version
    }
  }

  set(sessionId: string, mentions: readonly Mention[]): void {
    if (mentions.length === 0) this.texts.delete(sessionId);
    else this.texts.set(sessionId, JSON.stringify(mentions));
  }
}

function sessionKeeper(): Keeper | undefined {
  try {
    return window.sessionStorage;
  } catch {
    return undefined; // forbidden
  }
}
