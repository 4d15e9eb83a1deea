export namespace app {
	
	export enum ApprovalDecision {
	    AllowOnce = "allow_once",
	    AllowSession = "allow_session",
	    AllowWorkspace = "allow_workspace",
	    Reject = "reject",
	    Withdrawn = "withdrawn",
	}
	export enum ApprovalMode {
	    Auto = "auto",
	    Safe = "safe",
	    Manual = "manual",
	}
	export interface ApprovalsSnapshot {
	    rev: number;
	    questions: Question[];
	}
	export interface Ask {
	    id: string;
	    server: string;
	    sessions: string[];
	    kind: AskKind;
	    message: string;
	    schema: string;
	    url: string;
	    sampling?: AskedSample;
	    atMs: number;
	}
	export enum AskAction {
	    Accept = "accept",
	    Decline = "decline",
	    Cancel = "cancel",
	}
	export interface AskAnswer {
	    action: AskAction;
	    content: string;
	    forSession: boolean;
	    edited: boolean;
	    system: string;
	    messages: string[];
	    text: string;
	}
	export enum AskKind {
	    Form = "form",
	    Link = "link",
	    Sampling = "sampling",
	}
	export interface AskMessage {
	    role: string;
	    content: ChatContent;
	}
	export enum AskStage {
	    Requested = "requested",
	    Answering = "answering",
	    Review = "review",
	}
	export interface AskedSample {
	    stage: AskStage;
	    model: string;
	    system: string;
	    messages: AskMessage[];
	    maxTokens: number;
	    temperature?: number;
	    stop: string[];
	    hints: string[];
	    text: string;
	}
	export interface ChatContent {
	    kind: string;
	    text: string;
	    mimeType: string;
	    url: string;
	    uri: string;
	    name: string;
	    json: string;
	    size: number;
	}
	export enum ChatKind {
	    Text = "text",
	    Reasoning = "reasoning",
	    ToolCall = "tool_call",
	    ToolResult = "tool_result",
	    Approval = "approval",
	    Usage = "usage",
	    Error = "error",
	    Done = "done",
	    User = "user",
	    Asking = "asking",
	    Progress = "progress",
	    Notice = "notice",
	    Step = "step",
	    Rewind = "rewind",
	}
	export enum ConfigFile {
	    Store = "store",
	    Workspace = "workspace",
	}
	export interface Question {
	    id: string;
	    sessionId: string;
	    callId: string;
	    server: string;
	    tool: string;
	    why: string;
	    previewKind: string;
	    preview: string;
	    workspaceGrant: boolean;
	    atMs: number;
	}
	export enum ServerAction {
	    Enable = "enable",
	    Trust = "trust",
	    Resume = "resume",
	    Define = "define",
	    Edit = "edit",
	    Retry = "retry",
	    Resolve = "resolve",
	    SignIn = "sign_in",
	    Wait = "wait",
	}
	export enum ServerLayer {
	    Definition = "definition",
	    Workspace = "workspace",
	    Session = "session",
	    Runtime = "runtime",
	}
	export enum ServerState {
	    Connected = "connected",
	    Disabled = "disabled",
	    Paused = "paused",
	    Error = "error",
	    Missing = "missing",
	    Busy = "busy",
	}
	export enum SignInState {
	    Queued = "queued",
	    Waiting = "waiting",
	    SignedIn = "signed_in",
	    Failed = "failed",
	}
	
	
	export interface AsksSnapshot {
	    rev: number;
	    asks: Ask[];
	}
	export interface Attachment {
	    server: string;
	    uri: string;
	    name: string;
	    mimeType: string;
	    size: number;
	}
	export interface Change {
	    id: string;
	    atMs: number;
	    what: string;
	    file: ConfigFile;
	    blocked: string;
	}
	
	export interface ChatEvent {
	    sessionId: string;
	    runId: string;
	    seq: number;
	    firstSeq: number;
	    kind: ChatKind;
	    atMs: number;
	    text: string;
	    attached: Attachment[];
	    id: string;
	    server: string;
	    tool: string;
	    arguments: string;
	    ok: boolean;
	    content: ChatContent[];
	    reason: string;
	    warning: string;
	    tookMs: number;
	    frame: number;
	    decision: string;
	    by: string;
	    progress: number;
	    total: number;
	    inputTokens: number;
	    outputTokens: number;
	    code: string;
	    message: string;
	    stopReason: string;
	    practice: boolean;
	    model: string;
	    toSeq: number;
	}
	export interface Clash {
	    tool: string;
	    mine: ClashArm;
	    theirs: ClashArm;
	}
	export interface ClashArm {
	    owner: string;
	    original: string;
	    description: string;
	    schema: string;
	}
	
	export interface Clashes {
	    clashes: Clash[];
	    taken: string[];
	}
	export interface CompletionAsk {
	    prompt: string;
	    template: string;
	    argument: string;
	    value: string;
	    known: {[key: string]: string};
	}
	export interface Conflict {
	    tool: string;
	    owner: string;
	}
	export interface DoctorProgram {
	    name: string;
	    here: FoundProgram;
	    there: FoundProgram;
	    differs: boolean;
	}
	export interface Done {
	    id: string;
	    what: string;
	}
	export interface Evidence {
	    exitCode?: number;
	    stderr: string[];
	    httpStatus: number;
	    url: string;
	    file: string;
	    line: number;
	    stage: string;
	}
	export interface FileError {
	    path: string;
	    line: number;
	    column: number;
	    message: string;
	}
	export interface FoundProgram {
	    path: string;
	    version: string;
	    problem: string;
	}
	
	export interface Frame {
	    seq: number;
	    atMs: number;
	    out: boolean;
	    kind: string;
	    method: string;
	    id: string;
	    subject: string;
	    size: number;
	    pair: number;
	    tookMs: number;
	}
	export interface FrameBody {
	    text: string;
	    size: number;
	    cut: boolean;
	    gone: boolean;
	}
	export interface FramePage {
	    frames: Frame[];
	    oldest: number;
	    newest: number;
	}
	export interface LackingFolder {
	    folder: string;
	    added: boolean;
	}
	export interface Layout {
	    sessionsWidth: number;
	    boardWidth: number;
	    sessionsHidden: boolean;
	    boardHidden: boolean;
	    boardWide: boolean;
	}
	export interface LogLine {
	    seq: number;
	    atMs: number;
	    level: string;
	    text: string;
	}
	export interface LogPage {
	    lines: LogLine[];
	    next: number;
	    lost: boolean;
	    level: string;
	}
	export interface MCPSnapshot {
	    rev: number;
	    sessionId: string;
	    workspace: string;
	    store: string;
	    workspaceConfig: string;
	    rows: ServerRow[];
	    settled: boolean;
	    toolCount: number;
	    schemaTokens: number;
	    rebuild?: Surface;
	    fileErrors: FileError[];
	    cutTools: string[];
	    outside: OutsideEdit[];
	    swept: string;
	}
	export interface Mention {
	    server: string;
	    uri: string;
	    name: string;
	    held: string;
	}
	export interface ModelInfo {
	    name: string;
	    source: string;
	    baseUrl: string;
	    practice: boolean;
	}
	export interface ModelProfile {
	    name: string;
	    baseUrl: string;
	    model: string;
	    hasKey: boolean;
	}
	export interface NamedValue {
	    name: string;
	    value: string;
	    hasValue: boolean;
	}
	export interface OutsideEdit {
	    path: string;
	    atMs: number;
	    diff: string;
	    lostFields: string[];
	}
	export interface ServerRow {
	    name: string;
	    type: string;
	    state: ServerState;
	    stage: string;
	    enabled: boolean;
	    trusted: boolean;
	    paused: boolean;
	    defined: boolean;
	    sinceMs: number;
	    layer?: ServerLayer;
	    cause: string;
	    action?: ServerAction;
	    reason: string;
	    error: string;
	    evidence?: Evidence;
	    conflicts: Conflict[];
	    toolCount: number;
	    resourceCount: number;
	    promptCount: number;
	    libraryRev: number;
	    schemaTokens: number;
	    skipped: Skip[];
	    protocol: string;
	    serverName: string;
	    serverVersion: string;
	    capabilities: string[];
	    deprecated: string[];
	    connectMs: number;
	    latencyMs: number;
	    pid: number;
	    recovered: number;
	    starts: number;
	    nextTryMs: number;
	    attempt: number;
	    progress: string;
	    warnings: string[];
	    shared: string[];
	    lit: boolean;
	    signIn?: SignIn;
	    file: string;
	    line: number;
	}
	export interface SignIn {
	    state: SignInState;
	    url: string;
	    sinceMs: number;
	    untilMs: number;
	    issuer: string;
	    scopes: string[];
	    expiresMs: number;
	    renews: boolean;
	    kept: string;
	    wants: string[];
	    message: string;
	}
	export interface Skip {
	    tool: string;
	    reason: string;
	}
	export interface Surface {
	    atMs: number;
	    tookMs: number;
	    added: string[];
	    removed: string[];
	    changed: string[];
	}
	
	export interface Paste {
	    forms: ServerForm[];
	    warnings: string[];
	}
	export interface ProcessInfo {
	    pid: number;
	    parent: number;
	    depth: number;
	    orphan: boolean;
	    zombie: boolean;
	    name: string;
	    command: string;
	    memory: number;
	    cpuMs: number;
	    startedMs: number;
	}
	export interface ProfileTest {
	    ok: boolean;
	    message: string;
	    tookMs: number;
	    models: string[];
	}
	export interface PromptArgument {
	    name: string;
	    title: string;
	    description: string;
	    required: boolean;
	}
	export interface PromptMessage {
	    role: string;
	    content: ChatContent;
	}
	export interface PromptOutcome {
	    description: string;
	    messages: PromptMessage[];
	    text: string;
	    mentions: Mention[];
	}
	export interface ServerForm {
	    name: string;
	    type: string;
	    command: string;
	    args: string[];
	    cwd: string;
	    url: string;
	    env: NamedValue[];
	    headers: NamedValue[];
	    enable: boolean;
	    timeoutMs: number;
	    callTimeoutMs: number;
	    protocol: string;
	}
	
	export interface SearchHit {
	    sessionId: string;
	    title: string;
	    workspace: string;
	    atMs: number;
	    role: string;
	    before: string;
	    match: string;
	    after: string;
	}
	export interface ServerDetail {
	    name: string;
	    form: ServerForm;
	    rules: ToolRules;
	    tools: ServerTool[];
	    stages: StageTime[];
	    instructions: string;
	}
	export interface ServerDoctor {
	    transport: string;
	    problems: string[];
	    notes: string[];
	    command: string;
	    resolved: string;
	    target: string;
	    folder: string;
	    envNames: string[];
	    shell: string;
	    lacking: LackingFolder[];
	    variables: string[];
	    programs: DoctorProgram[];
	    line: string;
	    set: string[];
	}
	export interface ServerTool {
	    name: string;
	    original: string;
	    title: string;
	    description: string;
	    schema: string;
	    schemaTokens: number;
	    readOnly: boolean;
	    destructive: boolean;
	    idempotent: boolean;
	    openWorld: boolean;
	    held: boolean;
	    owner: string;
	    skipped: string;
	}
	export interface StageTime {
	    stage: string;
	    ms: number;
	}
	export interface ToolRules {
	    exclude: string[];
	    rename: {[key: string]: string};
	}
	
	export interface ServerProcesses {
	    processes: ProcessInfo[];
	    memory: number;
	    sharedTwice: boolean;
	    cpuMs: number;
	    starts: number;
	    recovered: number;
	    lastEnd: string;
	    lastEndMs: number;
	}
	export interface ServerPrompt {
	    name: string;
	    title: string;
	    description: string;
	    arguments: PromptArgument[];
	}
	export interface ServerResource {
	    uri: string;
	    name: string;
	    title: string;
	    description: string;
	    mimeType: string;
	    size: number;
	}
	export interface ServerResources {
	    resources: ServerResource[];
	    templates: ServerTemplate[];
	    followed: string[];
	    changed: string[];
	    canSubscribe: boolean;
	}
	export interface ServerTemplate {
	    uriTemplate: string;
	    name: string;
	    title: string;
	    description: string;
	    mimeType: string;
	    variables: string[];
	    invalid: string;
	}
	
	export interface ServerStart {
	    number: number;
	    reason: string;
	    try: number;
	    beganMs: number;
	    tookMs: number;
	    stages: StageTime[];
	    stage: string;
	    stageMs: number;
	    outcome: string;
	    cause: string;
	    message: string;
	    pid: number;
	    endedMs: number;
	    end: string;
	}
	
	export interface ServerTimeline {
	    starts: ServerStart[];
	    total: number;
	}
	
	export interface SessionInfo {
	    id: string;
	    title: string;
	    workspace: string;
	    updatedMs: number;
	    running: boolean;
	    readOnly: boolean;
	}
	export interface SessionsSnapshot {
	    rev: number;
	    current: string;
	    sessions: SessionInfo[];
	}
	export interface SettingsSnapshot {
	    rev: number;
	    version: string;
	    theme: string;
	    mode: ApprovalMode;
	    model: ModelInfo;
	    profile: ModelProfile;
	    messages: string[];
	    layout: Layout;
	    demoCommand: string;
	}
	
	
	
	
	export interface ToolOutcome {
	    ok: boolean;
	    reason: string;
	    warning: string;
	    tookMs: number;
	    frame: number;
	    content: ChatContent[];
	}
	
	export interface Transcript {
	    sessionId: string;
	    seq: number;
	    runId: string;
	    events: ChatEvent[];
	}
	export interface Trial {
	    rev: number;
	    id: string;
	    name: string;
	    running: boolean;
	    ok: boolean;
	    stage: string;
	    stages: StageTime[];
	    startedMs: number;
	    tookMs: number;
	    progress: string;
	    cause: string;
	    reason: string;
	    evidence?: Evidence;
	    protocol: string;
	    serverName: string;
	    serverVersion: string;
	    tools: ServerTool[];
	    schemaTokens: number;
	    conflicts: Conflict[];
	}

}

