// The wire types, as app/dto.go declares them. Slices are never null.

export type ServerState = "connected" | "disabled" | "paused" | "error" | "missing" | "busy";
export type ServerAction =
  | "enable" | "trust" | "resume" | "define" | "edit" | "retry" | "resolve" | "sign_in" | "wait";
export type ServerLayer = "definition" | "workspace" | "session" | "runtime";

export interface Conflict { tool: string; owner: string }
export interface Evidence {
  exitCode?: number; stderr: string[]; httpStatus: number; url: string; file: string; line: number; stage: string;
}
export interface ServerRow {
  name: string; type: string; state: ServerState; stage: string;
  enabled: boolean; trusted: boolean; paused: boolean; defined: boolean;
  sinceMs: number; layer?: ServerLayer; cause: string; action?: ServerAction;
  reason: string; error: string; evidence?: Evidence; conflicts: Conflict[];
  resourceCount: number; promptCount: number; libraryRev: number;
  toolCount: number; schemaTokens: number; skipped: { tool: string; reason: string }[];
  protocol: string; serverName: string; serverVersion: string; capabilities: string[]; deprecated: string[];
  connectMs: number; latencyMs: number; pid: number; recovered: number; starts: number;
  nextTryMs: number; attempt: number; progress: string; warnings: string[]; shared: string[]; lit: boolean;
  signIn?: SignIn; file: string; line: number;
}
export type SignInState = "queued" | "waiting" | "signed_in" | "failed";
/** Where sign-ins are kept without a keyring; "" is what was chosen before. */
export type SignInKeep = "" | "file" | "memory";
/** The sign-in to a server: url is what the browser was opened at, "" before it is known; untilMs is
 *  when waiting ends; kept is keyring, file or memory; wants is what the server asked for beside what was allowed. */
export interface SignIn {
  state: SignInState; url: string; sinceMs: number; untilMs: number; issuer: string; scopes: string[]; expiresMs: number; renews: boolean; kept: string; wants: string[]; message: string;
}
export interface FileError { path: string; line: number; column: number; message: string }
export interface Surface { atMs: number; tookMs: number; added: string[]; removed: string[]; changed: string[] }
/** A change of one of the two files by another program, which is in force. */
export interface OutsideEdit { path: string; atMs: number; diff: string; lostFields: string[] }

export interface MCPSnapshot {
  rev: number; sessionId: string; workspace: string; store: string; workspaceConfig: string;
  rows: ServerRow[]; settled: boolean; toolCount: number; schemaTokens: number;
  rebuild?: Surface; fileErrors: FileError[]; cutTools: string[]; outside: OutsideEdit[]; swept: string;
}
export interface SessionInfo {
  id: string; title: string; workspace: string; updatedMs: number; running: boolean; readOnly: boolean;
}
export interface SessionsSnapshot { rev: number; current: string; sessions: SessionInfo[] }
export interface Question {
  id: string; sessionId: string; callId: string; server: string; tool: string; why: string;
  previewKind: string; preview: string; workspaceGrant: boolean; atMs: number;
}
export interface ApprovalsSnapshot { rev: number; questions: Question[] }
export type ApprovalDecision = "allow_once" | "allow_session" | "allow_workspace" | "reject";
export type AskKind = "form" | "link" | "sampling";
export type AskStage = "requested" | "answering" | "review";
export type AskAction = "accept" | "decline" | "cancel";
/** What a server wants to send to the model, and in review what the model said. */
export interface AskedSample {
  stage: AskStage; model: string; system: string; messages: { role: string; content: ChatContent }[];
  maxTokens: number; temperature?: number; stop: string[]; hints: string[]; text: string;
}
/** What a server asks of the person; it is shown in the conversations of its sessions. */
export interface Ask {
  id: string; server: string; sessions: string[]; kind: AskKind; message: string; schema: string; url: string;
  sampling?: AskedSample; atMs: number;
}
export interface AsksSnapshot { rev: number; asks: Ask[] }
/** content is the JSON of a form. edited: system and messages, or in review text, stand in the
 *  place of what was shown. */
export interface AskAnswer {
  action: AskAction; content: string; forSession: boolean; edited: boolean; system: string; messages: string[]; text: string;
}
export type ApprovalMode = "auto" | "safe" | "manual";
export interface ModelProfile { name: string; baseUrl: string; model: string; hasKey: boolean }
export interface SettingsSnapshot {
  rev: number; version: string; theme: string; mode: ApprovalMode;
  model: { name: string; source: string; baseUrl: string; practice: boolean };
  profile: ModelProfile; messages: string[]; demoCommand: string; layout: Layout;
}
export type ChatKind =
  | "text" | "reasoning" | "tool_call" | "tool_result" | "approval" | "usage" | "error" | "done"
  | "user" | "asking" | "progress" | "notice" | "step" | "rewind";
export interface ChatContent {
  kind: string; text: string; mimeType: string; url: string; uri: string; name: string; json: string; size?: number;
}
export interface ChatEvent {
  sessionId: string; runId: string; seq: number; firstSeq: number; kind: ChatKind; atMs: number;
  text: string; attached?: Attachment[]; id: string; server: string; tool: string; arguments: string; ok: boolean;
  content: ChatContent[]; reason: string; warning: string; tookMs: number; frame?: number; decision: string; by: string;
  progress: number; total: number; inputTokens: number; outputTokens: number;
  code: string; message: string; stopReason: string; practice: boolean; model: string; toSeq: number;
}
export interface Transcript { sessionId: string; seq: number; runId: string; events: ChatEvent[] }
export interface CommandError { code: string; message: string; server?: string; path?: string }
export interface NamedValue { name: string; value: string; hasValue: boolean }
export interface ServerForm {
  name: string; type: string; command: string; args: string[]; cwd: string; url: string;
  env: NamedValue[]; headers: NamedValue[]; enable: boolean;
  /** Limits to connect and of a call without progress, 0 for the default; a revision of MCP, "" for the newest. */
  timeoutMs: number; callTimeoutMs: number; protocol: string;
}
export interface ToolRules { exclude: string[]; rename: Record<string, string> }
/** The way to take a change of the files back; id is "" when nothing changed. */
export interface Done { id: string; what: string }
export interface Change { id: string; atMs: number; what: string; file: "store" | "workspace"; blocked: string }
export interface Paste { forms: ServerForm[]; warnings: string[] }
export interface StageTime { stage: string; ms: number }
/** The dry run of a definition that is not saved; id is "" before the first. */
export interface Trial {
  rev: number; id: string; name: string; running: boolean; ok: boolean; stage: string; stages: StageTime[];
  startedMs: number; tookMs: number; progress: string; cause: string; reason: string; evidence?: Evidence;
  protocol: string; serverName: string; serverVersion: string; tools: ServerTool[]; schemaTokens: number; conflicts: Conflict[];
}
export interface ServerTool {
  name: string; original: string; title: string; description: string; schema: string; schemaTokens: number;
  readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean;
  held: boolean; owner: string; skipped: string;
}
export interface ServerDetail {
  name: string; form: ServerForm; rules: ToolRules; tools: ServerTool[]; stages: StageTime[]; instructions: string;
}
export interface LogLine { seq: number; atMs: number; level: string; text: string }
/** level is what was asked of the server, "" for its own choice. */
export interface LogPage { lines: LogLine[]; next: number; lost: boolean; level: string }
export interface ToolOutcome { ok: boolean; reason: string; warning: string; tookMs: number; frame: number; content: ChatContent[] }
/** One JSON-RPC message as it went over the wire, or what took its place; pair is the request that it
 *  answers, fails or cancels. */
export interface Frame {
  seq: number; atMs: number; out: boolean; kind: "request" | "response" | "error" | "notification" | "noise" | "failed";
  method: string; id: string; subject: string; size: number; pair: number; tookMs: number;
}
/** Frames after the number that was asked for; none up to oldest is kept any more, newest is the last there is. */
export interface FramePage { frames: Frame[]; oldest: number; newest: number }
/** What a frame holds, secrets hidden; gone when it is no longer kept. */
export interface FrameBody { text: string; size: number; cut: boolean; gone: boolean }
/** Why a server was started, and what became of it. */
export type StartReason = "first" | "again" | "edited" | "retry" | "reconnect";
export type StartOutcome = "running" | "connected" | "failed" | "cut";
/** One attempt to connect a server. stageMs is when stage began; endedMs is 0 while its connection lives. */
export interface ServerStart {
  number: number; reason: StartReason; try: number; beganMs: number; tookMs: number; stages: StageTime[]; stage: string; stageMs: number;
  outcome: StartOutcome; cause: string; message: string; pid: number; endedMs: number; end: string;
}
/** The last starts of a server, newest first, and how many there were since the application opened. */
export interface ServerTimeline { starts: ServerStart[]; total: number }
export interface ProcessInfo {
  pid: number; parent: number; depth: number; orphan: boolean; zombie: boolean; name: string; command: string;
  memory: number; cpuMs: number; startedMs: number;
}
/** What runs of a server, parents before children. sharedTwice: pages that several share count for each. */
export interface ServerProcesses {
  processes: ProcessInfo[]; memory: number; sharedTwice: boolean; cpuMs: number; starts: number; recovered: number; lastEnd: string; lastEndMs: number;
}
export interface FoundProgram { path: string; version: string; problem: string }
/** In what a server's start differs from one in a terminal; line starts it there, set are variables that it needs. */
export interface ServerDoctor {
  transport: string; problems: string[]; notes: string[]; command: string; resolved: string; target: string; folder: string; envNames: string[];
  shell: string; lacking: { folder: string; added: boolean }[]; variables: string[];
  programs: { name: string; here: FoundProgram; there: FoundProgram; differs: boolean }[]; line: string; set: string[];
}
/** What a server offers to read. changed are those told to have changed since they were last read. */
export interface ServerResources {
  resources: ServerResource[]; templates: ServerTemplate[]; followed: string[]; changed: string[]; canSubscribe: boolean;
}
export interface ServerResource { uri: string; name: string; title: string; description: string; mimeType: string; size: number }
export interface ServerTemplate {
  uriTemplate: string; name: string; title: string; description: string; mimeType: string; variables: string[]; invalid: string;
}
export interface PromptArgument { name: string; title: string; description: string; required: boolean }
export interface ServerPrompt { name: string; title: string; description: string; arguments: PromptArgument[] }
/** A resource that a message is to carry; held is the id of content that came along with a prompt. */
export interface Mention { server: string; uri: string; name: string; held: string }
/** What is put into the message that is being written. */
export interface Insert { text: string; mentions: readonly Mention[] }
export interface PromptOutcome {
  description: string; messages: { role: string; content: ChatContent }[]; text: string; mentions: Mention[];
}
/** Asks for values of an argument of a prompt, or of a variable of a template. */
export interface CompletionAsk { prompt: string; template: string; argument: string; value: string; known: Record<string, string> }
/** A resource that a sent message carries. */
export interface Attachment { server: string; uri: string; name: string; mimeType: string; size: number }
export interface ClashArm { owner: string; original: string; description: string; schema: string }
export interface Clash { tool: string; mine: ClashArm; theirs: ClashArm }
export interface Clashes { clashes: Clash[]; taken: string[] }
export interface SearchHit {
  sessionId: string; title: string; workspace: string; atMs: number; role: string; before: string; match: string; after: string;
}
export interface ProfileTest { ok: boolean; message: string; tookMs: number; models: string[] }
/** How the window is divided: pixels, 0 is the default. */
export interface Layout {
  sessionsWidth: number; boardWidth: number; sessionsHidden: boolean; boardHidden: boolean; boardWide: boolean;
}
