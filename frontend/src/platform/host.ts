import type {
  ApprovalDecision, ApprovalMode, ApprovalsSnapshot, ChatEvent, MCPSnapshot, ModelProfile, ServerForm,
  SessionsSnapshot, SettingsSnapshot, ToolRules, Transcript,
} from "../contract/types";

/** What each topic carries. */
export interface Topics {
  mcp: MCPSnapshot;
  sessions: SessionsSnapshot;
  approvals: ApprovalsSnapshot;
  settings: SettingsSnapshot;
  chat: ChatEvent[];
}

/** Everything the page may ask of the application. Commands return when accepted; a rejection
 *  is a CommandError. */
export interface Host {
  /** Listens to a topic; the returned function stops it and may be called twice. */
  on<T extends keyof Topics>(topic: T, listener: (value: Topics[T]) => void): () => void;

  /** The page has rendered: servers may start. */
  ready(): Promise<void>;
  mcp(): Promise<MCPSnapshot>;
  enableServer(name: string): Promise<void>;
  disableServer(name: string): Promise<void>;
  pauseServer(name: string): Promise<void>;
  resumeServer(name: string): Promise<void>;
  retryServer(name: string): Promise<void>;
  retryFailed(): Promise<void>;
  rebuildAll(): Promise<void>;
  trustServers(names: string[]): Promise<void>;
  /** The stored definition without its secret values. */
  readServer(name: string): Promise<ServerForm>;
  addServer(form: ServerForm): Promise<void>;
  editServer(name: string, form: ServerForm): Promise<void>;
  removeServer(name: string): Promise<void>;
  /** Takes the last removal back. */
  undoRemove(): Promise<void>;
  /** Writes back the fields of ours that another program dropped from mcp.json. */
  restoreFields(): Promise<void>;
  saveToolRules(name: string, rules: ToolRules): Promise<void>;
  openFile(which: "store" | "workspace", line: number): Promise<void>;

  sessions(): Promise<SessionsSnapshot>;
  newSession(workspace: string): Promise<string>;
  selectSession(id: string): Promise<void>;
  renameSession(id: string, title: string): Promise<void>;
  /** Closes a session and removes its conversation from this machine. */
  deleteSession(id: string): Promise<void>;
  /** Asks for a folder; "" when the person cancels. */
  pickWorkspace(): Promise<string>;

  transcript(sessionId: string): Promise<Transcript>;
  sendMessage(sessionId: string, text: string): Promise<void>;
  stopTurn(sessionId: string): Promise<void>;
  openLink(url: string): Promise<void>;

  approvals(): Promise<ApprovalsSnapshot>;
  answerApproval(id: string, decision: ApprovalDecision): Promise<void>;

  settings(): Promise<SettingsSnapshot>;
  setTheme(theme: string): Promise<void>;
  setApprovalMode(mode: ApprovalMode): Promise<void>;
  /** An empty key keeps the stored one. Without a keyring a key is refused unless allowFile. */
  saveProfile(profile: ModelProfile, key: string, allowFile: boolean): Promise<void>;
  /** Removes the profile and its key. */
  deleteProfile(): Promise<void>;
}
