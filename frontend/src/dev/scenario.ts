import { event, FakeHost, row, signIn } from "../platform/fake";
import { chatScene } from "./scenes-chat";
import { mcpScene } from "./scenes-mcp";
import { processScene } from "./scenes-process";
import { trafficScene } from "./scenes-traffic";

/** A window to look at: ?s=empty|busy|failing|many|long and ?theme=light|dark. */
export function scenario(query: URLSearchParams): FakeHost {
  const fake = new FakeHost();
  const kind = query.get("s") ?? "busy";
  fake.state.settings = { ...fake.state.settings, theme: query.get("theme") ?? "light" };
  if (kind === "empty") {
    fake.state.settings.model = { name: "practice", source: "practice", baseUrl: "", practice: true };
    return fake;
  }
  const text = (content: string) => [{ kind: "text", text: content, mimeType: "", url: "", uri: "", name: "", json: "" }];
  const rows = [
    row({ name: "github", type: "streamable_http", toolCount: 41, connectMs: 212 }),
    row({ name: "postgres", toolCount: 6, connectMs: 380 }),
    row({ name: "playwright", state: "busy", stage: "initialize", sinceMs: Date.now() - 3200, progress: "npm: fetching playwright 1.61 and the browsers it drives" }),
    row({ name: "filesystem", state: "error", action: "resolve", cause: "tool_builtin", reason: "Tool names taken by built-ins: read_file, write_file", conflicts: [{ tool: "read_file", owner: "built-in" }, { tool: "write_file", owner: "built-in" }], connectMs: 410 }),
    row({ name: "local-docs", state: "error", action: "retry", cause: "exited", layer: "runtime", evidence: { exitCode: 1, stderr: ["node:internal/modules/cjs/loader:1228", "Error: Cannot find module 'dist/index.js'"], httpStatus: 0, url: "", file: "", line: 0, stage: "initialize" }, reason: "exited with 1: Cannot find module 'dist/index.js'" }),
    row({ name: "sentry", type: "streamable_http", state: "error", action: "wait", cause: "lost", nextTryMs: Date.now() + 42_000, reason: "the connection was lost: no answer to a ping in 10 s" }),
    row({ name: "time", type: "streamable_http", toolCount: 2, connectMs: 45, recovered: 2 }),
    row({ name: "fetch", state: "paused", paused: true, action: "resume", cause: "paused", reason: "Paused in this session only" }),
    row({ name: "memory", state: "disabled", enabled: false, action: "enable", cause: "not_enabled", reason: "Not enabled in this workspace" }),
    row({ name: "from-the-repo", state: "disabled", trusted: false, action: "trust", cause: "untrusted", reason: "Came with the repository and is not trusted here" }),
    row({ name: "linear", type: "", state: "missing", defined: false, file: "", action: "define", cause: "undefined", reason: "Enabled in workspace.json line 6, defined nowhere" }),
  ];
  if (kind === "failing") rows.splice(0, 2,
    row({ name: "github", type: "streamable_http", state: "error", action: "sign_in", cause: "sign_in", reason: "https://mcp.test/github asks for sign-in (HTTP 401). Sign in, or add an Authorization header to its definition" }),
    row({ name: "notes", type: "streamable_http", state: "error", action: "sign_in", cause: "sign_in", reason: "https://mcp.test/notes asks for sign-in", signIn: signIn({ state: "waiting", url: "https://login.test/authorize?client_id=patchbay", untilMs: Date.now() + 200_000 }) }),
    row({ name: "calendar", type: "streamable_http", state: "error", action: "sign_in", cause: "sign_in", reason: "https://mcp.test/calendar asks for sign-in", signIn: signIn({ state: "queued" }) }),
    row({ name: "issues", type: "streamable_http", toolCount: 12, connectMs: 120, signIn: signIn({ state: "signed_in", issuer: "https://login.test", scopes: ["issues:read"], wants: ["issues:write"] }) }),
    row({ name: "postgres", state: "error", action: "edit", cause: "not_found", reason: "command \"npxx\" was not found. Searched: /usr/bin, /bin. Install it, or write its full path as the command" }),
    row({ name: "browser", state: "error", action: "retry", cause: "timeout", reason: "initialize took longer than 30 s" }));
  if (kind === "long") rows.unshift(row({ name: "数据库查询服务器用于生产环境的只读副本", state: "error", action: "retry", cause: "lost", reason: "连接已断开：服务器进程意外退出，退出代码 137，正在等待下一次重试" }), row({ name: "a-very-long-server-name-that-nobody-would-type-by-hand-but-tools-generate", toolCount: 12345, connectMs: 61000 }));
  mcpScene(fake, query.get("mcp") ?? "");
  processScene(fake);
  trafficScene(fake);
  fake.state.mcp = { ...fake.state.mcp, rows: kind === "many" ? Array.from({ length: 300 }, (_, at) => ({ ...(rows[at % rows.length] ?? rows[0]!), name: `server-${at}` })) : rows, toolCount: 47, schemaTokens: 6100, rebuild: { atMs: Date.now(), tookMs: 640, added: ["a", "b"], removed: [], changed: [] },
    fileErrors: kind === "long" ? [{ path: "/home/dev/pay/.ai4j/workspace.json", line: 6, column: 12, message: "a comma or ] is expected" }] : [] };
  fake.state.sessions = { ...fake.state.sessions, sessions: ["Retry webhook deliveries", "Why does the ledger test fail on Tuesdays", "升级数据库驱动"].map((title, at) => ({ id: `s${at + 1}`, title, workspace: at < 2 ? "/home/dev/payments-api" : "", updatedMs: Date.now() - at * 7.2e6, running: false, readOnly: false })) };
  fake.state.transcript = { sessionId: "s1", seq: 9, runId: "r1", events: [
    event(1, { kind: "user", text: "Which webhooks failed last night, and is there an issue for it already?" }), event(2, { kind: "reasoning", text: "First the table." }), event(3, { kind: "text", text: "I'll look at the failed deliveries first." }),
    event(4, { kind: "tool_call", id: "1", server: "postgres", tool: "query", arguments: '{"sql":"select id from deliveries"}' }), event(5, { kind: "tool_result", id: "1", ok: true, tookMs: 38, content: text("3 rows") }),
    event(6, { kind: "tool_call", id: "2", server: "local-docs", tool: "search", arguments: "{}" }), event(7, { kind: "tool_result", id: "2", ok: false, reason: "server_gone", tookMs: 71, content: text("local-docs exited with 1") }),
    event(8, { kind: "step" }), event(9, { kind: "text", text: "Three failed with `context deadline exceeded`. Issue **#482** describes it:\n\n| id | tries |\n|--|--|\n| 1 | 1 |\n\n```go\nconst maxAttempts = 5\n```" }),
  ] };
  fake.state.hits = [
    { sessionId: "s1", title: "Retry webhook deliveries", workspace: "/home/dev/payments-api", atMs: Date.now() - 60_000, role: "user", before: "Which ", match: "webhooks", after: " failed last night, and is there an issue for it already?" },
    { sessionId: "s2", title: "Why does the ledger test fail on Tuesdays", workspace: "/home/dev/payments-api", atMs: Date.now() - 7.2e6, role: "assistant", before: "…because the fixture is built from the ", match: "webhook", after: " of last week, which Tuesday's job has removed" },
    { sessionId: "s3", title: "升级数据库驱动", workspace: "", atMs: Date.now() - 1e9, role: "tool", before: "internal/", match: "webhook", after: "/retry.go:12: const maxAttempts = 1" },
  ];
  fake.state.changes = [
    { id: "3", atMs: Date.now() - 60_000, what: "Enabled postgres", file: "workspace", blocked: "" },
    { id: "2", atMs: Date.now() - 3.6e6, what: "Set the tools of filesystem", file: "store", blocked: "" },
    { id: "1", atMs: Date.now() - 9e7, what: "Added github", file: "store", blocked: "a later change, “set the tools of filesystem”, comes first: undo that before" },
  ];
  fake.state.approvals = { rev: 1, questions: [{ id: "q", sessionId: "s1", callId: "3", server: "", tool: "apply_patch", why: "writes 1 file · safe mode asks for every write", previewKind: "diff", preview: "internal/webhook/retry.go\n- const maxAttempts = 1\n+ const maxAttempts = 5", workspaceGrant: true, atMs: 0 }] };
  chatScene(fake, query.get("chat") ?? "");
  return fake;
}
