import type { ChatEvent } from "../../contract/types";
import { Cell } from "../../lib/store";
import { errorText } from "../../lib/run";
import type { Host } from "../../platform/host";
import { apply, empty, fromTranscript, type Conversation } from "./reducer";

/** The conversation of the shown session. Events that arrive while the transcript is being read
 *  wait for it; a gap reads it again. */
export class ChatStore {
  readonly conversation = new Cell<Conversation>(empty(""));
  /** Why the transcript could not be read, "" when it was. */
  readonly problem = new Cell("");
  private waiting: ChatEvent[] = [];
  private reading = 0; // grows with each read; only the newest may end
  private ready = false;

  constructor(private readonly host: Host) {}

  /** Listens until the returned function is called. */
  start = (): (() => void) => this.host.on("chat", this.receive);

  /** Shows another session. */
  show = (sessionId: string): void => {
    if (sessionId === this.conversation.get().sessionId) return;
    this.conversation.set(empty(sessionId));
    this.waiting = [];
    void this.read();
  };

  /** Takes one batch. */
  receive = (batch: ChatEvent[]): void => {
    const mine = batch.filter((each) => each.sessionId === this.conversation.get().sessionId);
    if (mine.length === 0) return;
    if (!this.ready) {
      this.waiting.push(...mine);
      return;
    }
    let conv = this.conversation.get();
    for (let at = 0; at < mine.length; at++) {
      const next = apply(conv, mine[at] as ChatEvent);
      if (next === "gap") {
        this.conversation.set(conv);
        this.waiting = mine.slice(at);
        this.ready = false;
        // Not at once: a gap that stays must not become a busy loop.
        setTimeout(() => void this.read(), 50);
        return;
      }
      conv = next;
    }
    this.conversation.set(conv);
  };

  /** Reads the transcript again, e.g. after reading it went wrong. */
  read = async (): Promise<void> => {
    const { sessionId } = this.conversation.get();
    const mine = ++this.reading;
    this.ready = false;
    if (sessionId === "") return;
    try {
      const transcript = await this.host.transcript(sessionId);
      if (mine !== this.reading) return;
      this.conversation.set(fromTranscript(transcript));
      this.problem.set("");
      this.ready = true;
      const missed = this.waiting.filter((each) => each.seq > transcript.seq);
      this.waiting = [];
      this.receive(missed);
    } catch (err) {
      if (mine === this.reading) this.problem.set(errorText(err));
    }
  };
}
