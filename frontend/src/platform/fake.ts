import type { ApprovalsSnapshot, ChatEvent, MCPSnapshot, ServerForm, ServerRow, SessionsSnapshot, SettingsSnapshot, Transcript } from "../contract/types";
import type { Host, Topics } from "./host";

/** A row with everything at its zero value. */
export function row(part: Partial<ServerRow> & { name: string }): ServerRow {
  return {
    type: "stdio", state: "connected", stage: "", enabled: true, trusted: true, paused: false, defined: true, sinceMs: 0, cause: "", reason: "", error: "",
    conflicts: [], toolCount: 0, schemaTokens: 0, skipped: [], protocol: "", serverName: "", serverVersion: "", connectMs: 0, latencyMs: 0, pid: 0, recovered: 0,
    nextTryMs: 0, attempt: 0, progress: "", warnings: [], shared: [], file: "/home/dev/.ai4j/mcp.json", line: 1, ...part,
  };
}

/** An event of session s1, turn r1. */
export function event(seq: number, part: Partial<ChatEvent> & { kind: ChatEvent["kind"] }): ChatEvent {
  return {
    sessionId: "s1", runId: "r1", seq, firstSeq: seq, atMs: 0, text: "", id: "", server: "", tool: "", arguments: "", ok: false, content: [], reason: "", tookMs: 0,
    decision: "", by: "", progress: 0, total: 0, inputTokens: 0, outputTokens: 0, code: "", message: "", stopReason: "", practice: false, model: "", ...part,
  };
}

/** A host without an application: it records the commands and says what it was told to say. */
export class FakeHost {
  readonly calls: unknown[][] = [];
  /** Rejections by command name. */
  readonly refuse: Record<string, unknown> = {};
  state = {
    mcp: { rev: 1, sessionId: "s1", workspace: "/home/dev/pay", store: "/home/dev/.ai4j/mcp.json", workspaceConfig: "/home/dev/pay/.ai4j/workspace.json", rows: [], settled: true, toolCount: 0, schemaTokens: 0, fileErrors: [], cutTools: [], outside: [] } as MCPSnapshot,
    sessions: { rev: 1, current: "s1", sessions: [{ id: "s1", title: "First", workspace: "/home/dev/pay", updatedMs: 0, running: false, readOnly: false }] } as SessionsSnapshot,
    approvals: { rev: 1, questions: [] } as ApprovalsSnapshot,
    settings: { rev: 1, version: "test", theme: "system", mode: "safe", messages: [], demoCommand: "/opt/patchbay/patchbay", model: { name: "qwen3-coder", source: "profile", baseUrl: "", practice: false }, profile: { name: "", baseUrl: "", model: "", hasKey: false } } as SettingsSnapshot,
    transcript: { sessionId: "s1", seq: 0, runId: "", events: [] } as Transcript,
    form: { name: "", type: "stdio", command: "npx", args: [], cwd: "", url: "", env: [], headers: [], enable: false } as ServerForm,
  };
  private readonly listeners = new Map<string, Set<(value: never) => void>>();

  /** Publishes on a topic. */
  emit<T extends keyof Topics>(topic: T, value: Topics[T]): void {
    for (const each of this.listeners.get(topic) ?? []) each(value as never);
  }

  /** The host the page sees. */
  host(): Host {
    const answers: Record<string, () => unknown> = {
      mcp: () => this.state.mcp, sessions: () => this.state.sessions, approvals: () => this.state.approvals, settings: () => this.state.settings,
      transcript: () => this.state.transcript, readServer: () => this.state.form,
    };
    const on: Host["on"] = (topic, listener) => {
      const fan = this.listeners.get(topic) ?? new Set();
      this.listeners.set(topic, fan.add(listener as (value: never) => void));
      return () => { fan.delete(listener as (value: never) => void); };
    };
    return new Proxy({ on } as Host, {
      get: (target, name: string) => name === "on" ? target.on : (...args: unknown[]) => {
        this.calls.push([name, ...args]);
        return name in this.refuse ? Promise.reject(this.refuse[name]) : Promise.resolve(answers[name]?.());
      },
    });
  }
}
