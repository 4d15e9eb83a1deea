import type { ApprovalsSnapshot, Ask, AsksSnapshot, ChatContent, ChatEvent, MCPSnapshot, Change, Clashes, Done, FrameBody, FramePage, LogPage, Paste, ProfileTest, PromptOutcome, SearchHit, ServerDetail, ServerDoctor, ServerForm, ServerProcesses, ServerStart, ServerTimeline, ServerPrompt, ServerResources, ServerRow, ServerTool, SessionsSnapshot, SettingsSnapshot, SignIn, ToolOutcome, Transcript, Trial } from "../contract/types";
import type { Host, Topics } from "./host";

/** A row with everything at its zero value. */
export function row(part: Partial<ServerRow> & { name: string }): ServerRow {
  return {
    type: "stdio", state: "connected", stage: "", enabled: true, trusted: true, paused: false, defined: true, sinceMs: 0, cause: "", reason: "", error: "",
    conflicts: [], resourceCount: -1, promptCount: -1, libraryRev: 0, toolCount: 0, schemaTokens: 0, skipped: [], protocol: "", serverName: "", serverVersion: "", capabilities: [], deprecated: [], connectMs: 0, latencyMs: 0, pid: 0, recovered: 0, starts: 0,
    nextTryMs: 0, attempt: 0, progress: "", warnings: [], shared: [], lit: true, file: "/home/dev/.ai4j/mcp.json", line: 1, ...part,
  };
}

/** A tool with everything at its zero value. */
export function tool(part: Partial<ServerTool> & { name: string }): ServerTool {
  return {
    original: part.name, title: "", description: "", schema: '{"type":"object","properties":{}}', schemaTokens: 0,
    readOnly: false, destructive: false, idempotent: false, openWorld: false, held: false, owner: "", skipped: "", ...part,
  };
}

/** A start with everything at its zero value. */
export function start(part: Partial<ServerStart> & { number: number }): ServerStart {
  return {
    reason: "first", try: 0, beganMs: 0, tookMs: 100, stages: [], stage: "", stageMs: 0, outcome: "connected", cause: "", message: "", pid: 0, endedMs: 0, end: "", ...part,
  };
}

/** A sign-in with everything at its zero value. */
export function signIn(part: Partial<SignIn> & { state: SignIn["state"] }): SignIn {
  return { url: "", sinceMs: 0, untilMs: 0, issuer: "", scopes: [], expiresMs: 0, renews: false, kept: "", wants: [], message: "", ...part };
}

/** A part of a result with everything at its zero value. */
export function content(part: Partial<ChatContent> & { kind: string }): ChatContent {
  return { text: "", mimeType: "", url: "", uri: "", name: "", json: "", size: 0, ...part };
}

/** A question of a server in session s1 with everything at its zero value. */
export function ask(part: Partial<Ask> & { id: string }): Ask {
  return { server: "everything", sessions: ["s1"], kind: "form", message: "", schema: "", url: "", atMs: 0, ...part };
}

/** Commands that answer with a Done. */
const CHANGING = ["enableServer", "disableServer", "addServer", "editServer", "removeServer", "restoreFields", "resolveClash", "setToolRules"];

/** An event of session s1, turn r1. */
export function event(seq: number, part: Partial<ChatEvent> & { kind: ChatEvent["kind"] }): ChatEvent {
  return {
    sessionId: "s1", runId: "r1", seq, firstSeq: seq, atMs: 0, text: "", attached: [], id: "", server: "", tool: "", arguments: "", ok: false, content: [], reason: "", warning: "", tookMs: 0,
    decision: "", by: "", progress: 0, total: 0, inputTokens: 0, outputTokens: 0, code: "", message: "", stopReason: "", practice: false, model: "", toSeq: 0, ...part,
  };
}

/** A host without an application: it records the commands and says what it was told to say. */
export class FakeHost {
  readonly calls: unknown[][] = [];
  /** Rejections by command name. */
  readonly refuse: Record<string, unknown> = {};
  state = {
    mcp: { rev: 1, sessionId: "s1", workspace: "/home/dev/pay", store: "/home/dev/.ai4j/mcp.json", workspaceConfig: "/home/dev/pay/.ai4j/workspace.json", rows: [], settled: true, toolCount: 0, schemaTokens: 0, fileErrors: [], cutTools: [], outside: [], swept: "" } as MCPSnapshot,
    sessions: { rev: 1, current: "s1", sessions: [{ id: "s1", title: "First", workspace: "/home/dev/pay", updatedMs: 0, running: false, readOnly: false }] } as SessionsSnapshot,
    approvals: { rev: 1, questions: [] } as ApprovalsSnapshot,
    asks: { rev: 1, asks: [] } as AsksSnapshot,
    settings: { rev: 1, version: "test", theme: "system", mode: "safe", messages: [], demoCommand: "/opt/patchbay/patchbay", model: { name: "qwen3-coder", source: "profile", baseUrl: "", practice: false }, profile: { name: "", baseUrl: "", model: "", hasKey: false }, layout: { sessionsWidth: 0, boardWidth: 0, sessionsHidden: false, boardHidden: false, boardWide: false } } as SettingsSnapshot,
    transcript: { sessionId: "s1", seq: 0, runId: "", events: [] } as Transcript,
    form: { name: "", type: "stdio", command: "npx", args: [], cwd: "", url: "", env: [], headers: [], enable: false, timeoutMs: 0, callTimeoutMs: 0, protocol: "" } as ServerForm,
    done: { id: "c1", what: "change" } as Done,
    changes: [] as Change[],
    paste: { forms: [], warnings: [] } as Paste,
    trial: { rev: 1, id: "", name: "", running: false, ok: false, stage: "", stages: [], startedMs: 0, tookMs: 0, progress: "", cause: "", reason: "", protocol: "", serverName: "", serverVersion: "", tools: [], schemaTokens: 0, conflicts: [] } as Trial,
    detail: { name: "", form: { name: "", type: "stdio", command: "npx", args: [], cwd: "", url: "", env: [], headers: [], enable: true, timeoutMs: 0, callTimeoutMs: 0, protocol: "" }, rules: { exclude: [], rename: {} }, tools: [], stages: [], instructions: "" } as ServerDetail,
    log: { lines: [], next: 0, lost: false, level: "" } as LogPage,
    timeline: { starts: [], total: 0 } as ServerTimeline,
    processes: { processes: [], memory: 0, sharedTwice: false, cpuMs: 0, starts: 0, recovered: 0, lastEnd: "", lastEndMs: 0 } as ServerProcesses,
    doctor: { transport: "stdio", problems: [], notes: [], command: "npx", resolved: "/usr/bin/npx", target: "", folder: "/home/dev/pay", envNames: [], shell: "/bin/bash", lacking: [], variables: [], programs: [], line: "npx", set: [] } as ServerDoctor,
    clashes: { clashes: [], taken: [] } as Clashes,
    outcome: { ok: true, reason: "", warning: "", tookMs: 12, frame: 0, content: [] } as ToolOutcome,
    frames: { frames: [], oldest: 0, newest: 0 } as FramePage,
    body: { text: "{}", size: 2, cut: false, gone: false } as FrameBody,
    found: [] as number[],
    exported: "",
    resources: { resources: [], templates: [], followed: [], changed: [], canSubscribe: false } as ServerResources,
    read: [] as ChatContent[],
    uri: "",
    prompts: [] as ServerPrompt[],
    prompt: { description: "", messages: [], text: "", mentions: [] } as PromptOutcome,
    completions: [] as string[],
    hits: [] as SearchHit[],
    profileTest: { ok: true, message: "", tookMs: 0, models: [] } as ProfileTest,
  };
  private readonly listeners = new Map<string, Set<(value: never) => void>>();

  /** Publishes on a topic. */
  emit<T extends keyof Topics>(topic: T, value: Topics[T]): void {
    for (const each of this.listeners.get(topic) ?? []) each(value as never);
  }

  /** The host the page sees. */
  host(): Host {
    const answers: Record<string, () => unknown> = {
      mcp: () => this.state.mcp, sessions: () => this.state.sessions, approvals: () => this.state.approvals, asks: () => this.state.asks, settings: () => this.state.settings,
      transcript: () => this.state.transcript, readServer: () => this.state.form,
      changes: () => this.state.changes, parsePaste: () => this.state.paste, trial: () => this.state.trial, startTrial: () => "t1", serverDetail: () => this.state.detail,
      serverTimeline: () => this.state.timeline, serverProcesses: () => this.state.processes, serverDoctor: () => this.state.doctor,
      frames: () => this.state.frames, frameBody: () => this.state.body, findFrames: () => this.state.found, exportFrames: () => this.state.exported,
      serverLog: () => this.state.log, clashes: () => this.state.clashes, callTool: () => this.state.outcome, searchSessions: () => this.state.hits,
      serverResources: () => this.state.resources, readResource: () => this.state.read, attachedContent: () => this.state.read, expandTemplate: () => this.state.uri,
      serverPrompts: () => this.state.prompts, getPrompt: () => this.state.prompt, completeArgument: () => this.state.completions,
      testProfile: () => this.state.profileTest, undoChange: () => this.state.done.what,
      ...Object.fromEntries(CHANGING.map((name) => [name, () => this.state.done])),
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
