import type { AskAction, AskAnswer } from "../../contract/types";

/** An answer with nothing beside its action but what is given. */
export function answer(action: AskAction, part: Partial<AskAnswer> = {}): AskAnswer {
  return { action, content: "", forSession: false, edited: false, system: "", messages: [], text: "", ...part };
}
