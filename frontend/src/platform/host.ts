import type {
  FrameBody, FramePage,
  AskAnswer, AsksSnapshot, ApprovalDecision, ApprovalMode, ApprovalsSnapshot, Change, ChatContent, ChatEvent, Clashes, CompletionAsk, Done, Layout, LogPage, MCPSnapshot, Mention, ModelProfile,
  Paste, ProfileTest, PromptOutcome, SearchHit, ServerDetail, ServerDoctor, ServerForm, ServerProcesses, ServerTimeline, ServerPrompt, ServerResources, SessionsSnapshot, SettingsSnapshot, SignInKeep, ToolOutcome, ToolRules, Transcript, Trial,
} from "../contract/types";

/** What each topic carries. */
export interface Topics {
  mcp: MCPSnapshot;
  sessions: SessionsSnapshot;
  approvals: ApprovalsSnapshot;
  asks: AsksSnapshot;
  settings: SettingsSnapshot;
  trial: Trial;
  chat: ChatEvent[];
}

/** Everything the page may ask of the application. Commands return when accepted; a rejection
 *  is a CommandError. */
export interface Host {
  /** Listens to a topic; the returned function stops it and may be called twice. */
  on<T extends keyof Topics>(topic: T, listener: (value: Topics[T]) => void): () => void;

  /** The page has rendered: servers may start. */
  ready(): Promise<void>;
  /** Whether the window has the person's attention; without it the desktop tells what needs them. */
  focused(focused: boolean): Promise<void>;
  copyText(text: string): Promise<void>;

  mcp(): Promise<MCPSnapshot>;
  enableServer(name: string): Promise<Done>;
  disableServer(name: string): Promise<Done>;
  pauseServer(name: string): Promise<void>;
  resumeServer(name: string): Promise<void>;
  retryServer(name: string): Promise<void>;
  retryFailed(): Promise<void>;
  rebuildAll(): Promise<void>;
  trustServers(names: string[]): Promise<void>;
  /** The stored definition without its secret values. */
  readServer(name: string): Promise<ServerForm>;
  addServer(form: ServerForm): Promise<Done>;
  editServer(name: string, form: ServerForm): Promise<Done>;
  removeServer(name: string): Promise<Done>;
  /** Writes back the fields of ours that another program dropped from mcp.json. */
  restoreFields(): Promise<Done>;
  /** Saves rules beside those there are. */
  resolveClash(name: string, rules: ToolRules): Promise<Done>;
  /** Saves rules instead of those there are. */
  setToolRules(name: string, rules: ToolRules): Promise<Done>;
  /** Takes a change of the two files back and says which it was. */
  undoChange(id: string): Promise<string>;
  /** What can be taken back, newest first. */
  changes(): Promise<Change[]>;
  /** Reads a command line, or another client's JSON. */
  parsePaste(text: string): Promise<Paste>;
  /** Runs a definition without saving it; topic "trial" tells its course. edits names the
   *  definition whose stored values the form keeps, "" for a new one. */
  startTrial(form: ServerForm, edits: string): Promise<string>;
  stopTrial(): Promise<void>;
  trial(): Promise<Trial>;
  serverDetail(name: string): Promise<ServerDetail>;
  /** The lines after a sequence number, 0 for all that are kept. */
  serverLog(name: string, after: number): Promise<LogPage>;
  /** Asks a connected server for log messages of a level and above. */
  setLogLevel(name: string, level: string): Promise<void>;
  serverTimeline(name: string): Promise<ServerTimeline>;
  serverProcesses(name: string): Promise<ServerProcesses>;
  frames(server: string, after: number): Promise<FramePage>;
  frameBody(server: string, seq: number): Promise<FrameBody>;
  findFrames(server: string, text: string, after: number): Promise<number[]>;
  clearFrames(server: string): Promise<void>;
  /** Resolves with the path that was written, "" when the person chose none. */
  exportFrames(server: string): Promise<string>;
  /** Examines how a server would start here and in a terminal; again asks the login shell anew. */
  serverDoctor(callId: string, name: string, again: boolean): Promise<ServerDoctor>;
  stopDoctor(callId: string): Promise<void>;
  copyDiagnosis(name: string): Promise<void>;
  /** Begins a sign-in in the system's browser; its course is in the server's row. Rejected with code
   *  no_keyring where the person has to say first where sign-ins are kept. */
  signIn(name: string, keep: SignInKeep): Promise<void>;
  cancelSignIn(name: string): Promise<void>;
  signOut(name: string): Promise<void>;
  clashes(name: string): Promise<Clashes>;
  /** Tries a tool by its name on the server; waits for it. */
  callTool(callId: string, server: string, original: string, args: string): Promise<ToolOutcome>;
  cancelTool(callId: string): Promise<void>;
  serverResources(server: string): Promise<ServerResources>;
  readResource(server: string, uri: string): Promise<ChatContent[]>;
  /** The URI that a template and values of its variables make. */
  expandTemplate(template: string, values: Record<string, string>): Promise<string>;
  /** Whether changes of a resource are told: the row's libraryRev grows with each. */
  subscribeResource(server: string, uri: string, on: boolean): Promise<void>;
  serverPrompts(server: string): Promise<ServerPrompt[]>;
  getPrompt(server: string, name: string, args: Record<string, string>): Promise<PromptOutcome>;
  completeArgument(server: string, ask: CompletionAsk): Promise<string[]>;
  /** Makes the lists of a server be read anew. */
  forgetLibrary(server: string): Promise<void>;
  openFile(which: "store" | "workspace", line: number): Promise<void>;

  sessions(): Promise<SessionsSnapshot>;
  newSession(workspace: string): Promise<string>;
  selectSession(id: string): Promise<void>;
  /** The newest session of a workspace, or a new one. */
  showWorkspace(workspace: string): Promise<void>;
  renameSession(id: string, title: string): Promise<void>;
  /** Closes a session and removes its conversation from this machine. */
  deleteSession(id: string): Promise<void>;
  searchSessions(query: string): Promise<SearchHit[]>;
  /** Asks for a folder; "" when the person cancels. */
  pickWorkspace(): Promise<string>;

  transcript(sessionId: string): Promise<Transcript>;
  /** What the message mentions is read first; when that fails nothing is sent. */
  sendMessage(sessionId: string, text: string, mentions: Mention[]): Promise<void>;
  /** What a sent message carries, by its seq and the place. */
  attachedContent(sessionId: string, seq: number, at: number): Promise<ChatContent[]>;
  /** Puts text in the place of the user's message with that seq and begins a turn from there. */
  resendMessage(sessionId: string, seq: number, text: string): Promise<void>;
  /** Tries the server of a failed call once more and offers the call again. */
  retryCall(sessionId: string, callId: string): Promise<void>;
  /** Whether the next message opens a server. */
  lightService(sessionId: string, name: string, lit: boolean): Promise<void>;
  stopTurn(sessionId: string): Promise<void>;
  openLink(url: string): Promise<void>;

  approvals(): Promise<ApprovalsSnapshot>;
  asks(): Promise<AsksSnapshot>;
  /** The first answer wins; one that the server could not take is refused and may be corrected. */
  answerAsk(id: string, answer: AskAnswer): Promise<void>;
  /** Ends one call of a running turn; the turn goes on. */
  cancelCall(sessionId: string, callId: string): Promise<void>;
  answerApproval(id: string, decision: ApprovalDecision): Promise<void>;

  settings(): Promise<SettingsSnapshot>;
  setTheme(theme: string): Promise<void>;
  setApprovalMode(mode: ApprovalMode): Promise<void>;
  setLayout(layout: Layout): Promise<void>;
  /** An empty key keeps the stored one. Without a keyring a key is refused unless allowFile. */
  saveProfile(profile: ModelProfile, key: string, allowFile: boolean): Promise<void>;
  /** Removes the profile and its key. */
  deleteProfile(): Promise<void>;
  /** Asks the endpoint for one short answer; an empty key uses the stored one. */
  testProfile(profile: ModelProfile, key: string): Promise<ProfileTest>;
}
