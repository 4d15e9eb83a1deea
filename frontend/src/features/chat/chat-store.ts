import type { ChatEvent, Insert } from "../../contract/types";
import { errorText } from "../../lib/run";
import { Cell } from "../../lib/store";
import type { Host } from "../../platform/host";
import { Drafts, MentionDrafts } from "./drafts";
import { applyAll, empty, fromTranscript, type Conversation } from "./reducer";
import type { Offer } from "./suggestions";

/** A hidden window draws no frames; what came is shown after so long all the same. */
const LATEST_MS = 200;

/** Kinds that only continue something: they may wait for the next frame. */
const CONTINUES: readonly string[] = ["text", "reasoning", "progress", "usage"];

/** The conversation of the shown session. Events that arrive while the transcript is being read
 *  wait for it; a gap reads it again. Text that streams is published once per frame. */
export class ChatStore {
  readonly conversation = new Cell<Conversation>(empty(""));
  /** Why the transcript could not be read, "" when it was. */
  readonly problem = new Cell("");
  /** Whether the transcript of the shown session is still being read for the first time. */
  readonly loading = new Cell(false);
  /** What was written and not sent, by session. */
  readonly drafts = new Drafts();
  /** What the messages that were not sent are to carry. */
  readonly mentions = new MentionDrafts();
  /** What servers offered to "@" and "/", by trigger, server and revision. */
  readonly offers = new Map<string, Offer>();
  /** What another part of the window wants in the message; the composer takes it. */
  readonly insert = new Cell<Insert | undefined>(undefined);
  private newest: Conversation = empty(""); // conversation follows it, a frame later while text streams
  private waiting: ChatEvent[] = [];
  private reading = 0; // grows with each read; only the newest may end
  private ready = false;
  private frame: (() => void) | undefined; // takes a publication that is under way back

  constructor(private readonly host: Host) {}

  /** Listens until the returned function is called. */
  start = (): (() => void) => {
    const off = this.host.on("chat", this.receive);
    return () => { off(); this.frame?.(); };
  };

  /** Shows another session. */
  show = (sessionId: string): void => {
    if (sessionId === this.newest.sessionId) return;
    this.publish(empty(sessionId));
    this.waiting = [];
    this.loading.set(sessionId !== "");
    void this.read();
  };

  /** Takes one batch. */
  receive = (batch: ChatEvent[]): void => {
    const mine = batch.filter((each) => each.sessionId === this.newest.sessionId);
    if (mine.length === 0) return;
    if (!this.ready) {
      this.waiting.push(...mine);
      return;
    }
    const { conv, rest } = applyAll(this.newest, mine);
    if (rest.length > 0) {
      this.waiting = rest;
      this.ready = false;
      // Not at once: a gap that stays must not become a busy loop.
      setTimeout(() => void this.read(), 50);
    }
    if (rest.length > 0 || mine.some((each) => !CONTINUES.includes(each.kind))) this.publish(conv);
    else this.publishLater(conv);
  };

  /** Reads the transcript again, e.g. after reading it went wrong. */
  read = async (): Promise<void> => {
    const { sessionId } = this.newest;
    const mine = ++this.reading;
    this.ready = false;
    if (sessionId === "") return;
    try {
      const transcript = await this.host.transcript(sessionId);
      if (mine !== this.reading) return;
      this.publish(fromTranscript(transcript));
      this.problem.set("");
      this.ready = true;
      const missed = this.waiting.filter((each) => each.seq > transcript.seq);
      this.waiting = [];
      this.receive(missed);
    } catch (err) {
      if (mine === this.reading) this.problem.set(errorText(err));
    } finally {
      if (mine === this.reading) this.loading.set(false);
    }
  };

  private publish(conv: Conversation): void {
    this.frame?.();
    this.newest = conv;
    this.conversation.set(conv);
  }

  private publishLater(conv: Conversation): void {
    this.newest = conv;
    if (this.frame) return;
    const show = () => this.publish(this.newest);
    const frame = requestAnimationFrame(show);
    const timer = setTimeout(show, LATEST_MS);
    this.frame = () => {
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      this.frame = undefined;
    };
  }
}
