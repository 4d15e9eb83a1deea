import type { ApprovalsSnapshot, AsksSnapshot, MCPSnapshot, SessionsSnapshot, SettingsSnapshot } from "./contract/types";
import { ChatStore } from "./features/chat/chat-store";
import { Runner } from "./lib/run";
import { Latest } from "./lib/store";
import type { Host } from "./platform/host";

/** Everything the page knows, fed by one listener per topic. */
export class Stores {
  readonly runner = new Runner();
  readonly chat: ChatStore;
  readonly mcp = new Latest<MCPSnapshot>({
    rev: 0, sessionId: "", workspace: "", store: "", workspaceConfig: "", rows: [], settled: false,
    toolCount: 0, schemaTokens: 0, fileErrors: [], cutTools: [], outside: [], swept: "",
  });
  readonly sessions = new Latest<SessionsSnapshot>({ rev: 0, current: "", sessions: [] });
  readonly approvals = new Latest<ApprovalsSnapshot>({ rev: 0, questions: [] });
  readonly asks = new Latest<AsksSnapshot>({ rev: 0, asks: [] });
  readonly settings = new Latest<SettingsSnapshot>({
    rev: 0, version: "", theme: "system", mode: "safe", messages: [], demoCommand: "",
    model: { name: "", source: "", baseUrl: "", practice: false },
    profile: { name: "", baseUrl: "", model: "", hasKey: false },
    layout: { sessionsWidth: 0, boardWidth: 0, sessionsHidden: false, boardHidden: false, boardWide: false },
  });

  /** Settles when what there was at the start is here, or could not be read. */
  first: Promise<unknown> = Promise.resolve();
  private stop?: () => void;

  constructor(private readonly host: Host) {
    this.chat = new ChatStore(host);
  }

  /** Settles when what there was at the start, or the news that it could not be read, is on the screen. */
  painted = async (): Promise<void> => {
    await this.first;
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)));
  };

  /** Listens, then reads what there was before: both ways go through take. Further calls give
   *  the same way to stop. */
  start = (): (() => void) => {
    if (this.stop) return this.stop;
    const { host } = this;
    const off = [
      host.on("mcp", this.mcp.take), host.on("sessions", this.sessions.take), host.on("approvals", this.approvals.take),
      host.on("asks", this.asks.take),
      host.on("settings", this.settings.take), this.chat.start(),
      this.sessions.subscribe(() => this.chat.show(this.sessions.get().current)),
    ];
    const read = <T>(what: string, get: () => Promise<T>, take: (value: T) => void) =>
      this.runner.run(`read ${what}`, async () => take(await get()));
    this.first = Promise.all([
      read("servers", () => host.mcp(), this.mcp.take), read("sessions", () => host.sessions(), this.sessions.take),
      read("approvals", () => host.approvals(), this.approvals.take), read("what servers ask", () => host.asks(), this.asks.take), read("settings", () => host.settings(), this.settings.take),
    ]);
    return this.stop = () => {
      this.stop = undefined;
      for (const each of off) each();
    };
  };
}
