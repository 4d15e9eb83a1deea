import type { ChatContent, ChatEvent, ChatKind } from "../contract/types";
import { ask, event, type FakeHost } from "../platform/fake";

/** Conversations to look at: ?chat=rich|asks|thousand|words|hello|stream. */
export function chatScene(fake: FakeHost, kind: string): void {
  if (kind === "") return;
  const events: ChatEvent[] = [];
  const tell = (what: ChatKind, more: Partial<ChatEvent> = {}) => { events.push(event(events.length + 1, { kind: what, atMs: 1000 * (events.length + 1), ...more })); };
  const call = (server: string, tool: string, args: unknown, content: Partial<ChatContent>[], more: Partial<ChatEvent> = {}) => {
    const id = `c${events.length}`;
    tell("tool_call", { id, server, tool, arguments: JSON.stringify(args) });
    if (content.length > 0) tell("tool_result", { id, ok: true, tookMs: 38 + events.length * 7, content: content.map((each) => ({ kind: "text", text: "", mimeType: "", url: "", uri: "", name: "", json: "", ...each })), ...more });
    return id;
  };
  let running = "";
  if (kind === "rich") rich(tell, call);
  if (kind === "words") words(tell, call);
  if (kind === "asks") running = asks(fake, tell, call);
  else fake.state.approvals = { rev: 1, questions: [] };
  if (kind === "thousand") for (let at = 0; at < 1000; at++) {
    tell("user", { text: `Question ${at}: what about part ${at % 7}?`, runId: `r${at}` });
    if (at % 5 === 0) call("postgres", "query", { sql: `select ${at}` }, [{ text: `row ${at}\n`.repeat(1 + at % 9) }], { runId: `r${at}` });
    tell("text", { text: `Part **${at % 7}** is fine. ${"It was looked at with care. ".repeat(at % 11)}`, runId: `r${at}` });
    tell("done", { stopReason: "end_turn", model: "qwen3-coder", runId: `r${at}` });
  }
  if (kind === "streamed") { tell("user", { text: "x" }); tell("text", { text: ordinary().slice(0, 60_000) }); }
  if (kind === "stream") running = stream(fake, tell);
  if (kind === "hello") fake.state.settings.model = { name: "practice", source: "practice", baseUrl: "", practice: true };
  fake.state.transcript = { sessionId: "s1", seq: events.length, runId: running, events };
}

type Tell = (what: ChatKind, more?: Partial<ChatEvent>) => void;
type Call = (server: string, tool: string, args: unknown, content: Partial<ChatContent>[], more?: Partial<ChatEvent>) => string;

function rich(tell: Tell, call: Call): void {
  tell("user", { text: "Which webhooks failed last night, and is there an issue for it already?" });
  tell("reasoning", { text: "The table deliveries has the failures; the tracker may have an issue." });
  tell("text", { text: "I'll look at the failed deliveries first, then search the tracker." });
  call("postgres", "query", { sql: "select id, last_error from deliveries where status = 'failed'\n and created_at > now() - interval '12 hours'" }, [{ text: "3 rows" }]);
  call("github", "search_issues", { q: "\"webhook timeout\" is:open", page: 1 }, [{ json: JSON.stringify({ total: 1, items: [{ number: 482, title: "Webhook deliveries time out", labels: ["bug", "webhooks"], open: true, assignee: null }] }) }]);
  call("docs", "read", { topic: "retries" }, [{ kind: "resource_link", name: "Retry policy", uri: "file:///home/dev/pay/docs/retry.md", mimeType: "text/markdown" }, { kind: "resource", uri: "docs://policy/7", name: "policy", mimeType: "text/plain", text: "Back off exponentially, at most five times." }]);
  call("", "bash", { command: "go test ./internal/webhook/...", timeoutMs: 30000 }, [{ text: Array.from({ length: 40 }, (_, at) => `ok  \tinternal/webhook/case_${at}\t0.0${at % 10}s`).join("\n") }]);
  call("local-docs", "search", { query: "backoff" }, [{ text: "local-docs exited with 1: Cannot find module 'dist/index.js'" }], { ok: false, reason: "server_gone", tookMs: 71 });
  call("", "apply_patch", { patch: "*** Begin Patch\n*** Update File: internal/webhook/retry.go\n@@ func Deliver() {\n \tctx, cancel := context.WithTimeout(ctx, limit)\n-const maxAttempts = 1\n+const maxAttempts = 5\n+const backoff = 2 * time.Second\n*** Add File: docs/retry.md\n+# Retries\n+Five, with backoff.\n*** End Patch" }, [{ json: '{"changed":["internal/webhook/retry.go"],"added":["docs/retry.md"]}' }]);
  tell("step");
  tell("text", { text: "Three deliveries failed, all with `context deadline exceeded` against the same endpoint. Issue **#482** describes it.\n\n## What I changed\n\n1. The retry limit is 5, with backoff\n2. A note in `docs/retry.md`\n   - with the reasons\n\n> The endpoint itself is still slow.\n\n| delivery | endpoint | tries | last error |\n|---|---|--:|---|\n| 8121 | https://hooks.test/a | 1 | context deadline exceeded |\n| 8122 | https://hooks.test/a | 1 | context deadline exceeded |\n| 8130 | https://hooks.test/b | 1 | connection reset by peer |\n\n```go\n// Deliver sends one webhook and tries again.\nfunc Deliver(ctx context.Context, hook Hook) error {\n\tfor attempt := range maxAttempts {\n\t\tif err := send(ctx, hook); err == nil {\n\t\t\treturn nil\n\t\t}\n\t\ttime.Sleep(backoff << attempt)\n\t}\n\treturn ErrGaveUp\n}\n```\n\nSee [the policy](https://docs.test/policy) for *why*." });
  tell("usage", { inputTokens: 11800, outputTokens: 612 });
  tell("done", { stopReason: "end_turn", model: "qwen3-coder" });
}

function words(tell: Tell, call: Call): void {
  tell("user", { text: "昨晚哪些 webhook 失败了？请查询数据库并总结，同时检查是否已有相应的问题单。" });
  tell("text", { text: "我先查询失败的投递记录，然后搜索问题跟踪器。" });
  call("数据库查询服务器用于生产环境的只读副本", "查询_失败的投递记录_按时间排序", { 查询: "选择 编号, 最后错误 从 投递记录 其中 状态 = '失败'" }, [{ text: "共 3 行" }]);
  call("a-very-long-server-name-that-nobody-would-type-by-hand-but-tools-generate", "and_a_tool_with_a_name_of_the_same_kind_that_never_ends", { a: "x".repeat(300) }, [{ text: "y".repeat(500) }]);
  tell("step");
  tell("text", { text: `三次投递均因 \`context deadline exceeded\` 失败。\n\n${"Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft".repeat(3)}\n\n\`\`\`\n${"one very long line of code ".repeat(12)}\n\`\`\`\n\n| 列 | ${Array.from({ length: 12 }, (_, at) => `column ${at}`).join(" | ")} |\n|${"--|".repeat(13)}\n| 值 | ${Array.from({ length: 12 }, (_, at) => `value ${at}`).join(" | ")} |` });
  tell("notice", { text: "demo is back. Its tools can be used from the next message on." });
  tell("error", { message: "the model endpoint answered 401 Unauthorized: Incorrect API key provided" });
  tell("done", { stopReason: "error", model: "qwen3-coder" });
  tell("user", { text: "Go on", runId: "r2" });
  tell("reasoning", { text: "x".repeat(2400), runId: "r2" });
  tell("done", { stopReason: "cancelled", runId: "r2", model: "qwen3-coder" });
}

function asks(fake: FakeHost, tell: Tell, call: Call): string {
  tell("user", { text: "Count to fifty, then raise the retry limit." });
  const id = call("demo", "demo_count", { to: 50 }, []);
  tell("progress", { id, progress: 21, total: 50, text: "21 of 50" });
  const asking = call("github", "create_issue", { title: "Raise the retry limit", labels: ["webhooks"] }, []);
  tell("asking", { id: asking });
  const q = { sessionId: "s1", callId: asking, workspaceGrant: true, atMs: 0 };
  fake.state.approvals = { rev: 1, questions: [
    { ...q, id: "q1", server: "github", tool: "create_issue", why: "Safe mode asks for every MCP tool that is not granted. github does not say whether it changes anything.", previewKind: "arguments", preview: JSON.stringify({ title: "Raise the retry limit", labels: ["webhooks"], assignee: null }) },
    { ...q, id: "q2", server: "", tool: "bash", why: "Safe mode asks for every command.", previewKind: "command", preview: "cd internal\ngo test ./..." },
    { ...q, id: "q3", server: "", tool: "apply_patch", why: "Safe mode asks for every write.", previewKind: "diff", preview: "--- a/internal/webhook/retry.go\n+++ b/internal/webhook/retry.go\n@@ -3,3 +3,3 @@\n import \"time\"\n-const maxAttempts = 1\n+const maxAttempts = 5\n" }] };
  const said = (text: string) => ({ kind: "text", text, mimeType: "", url: "", uri: "", name: "", json: "" });
  const schema = { type: "object", properties: {
    name: { type: "string", title: "Name", description: "As it stands on the card" }, email: { type: "string", title: "Email", format: "email" },
    plan: { type: "string", title: "Plan", oneOf: [{ const: "free", title: "Free" }, { const: "pro", title: "Pro, 9 € a month" }], default: "free" },
    news: { type: "array", title: "News about", items: { type: "string", enum: ["releases", "security", "events"] } }, terms: { type: "boolean", title: "I agree to the terms" },
  }, required: ["name", "terms"] };
  const sampling = { stage: "requested" as const, model: "qwen3-coder", system: "You write commit messages.", messages: [{ role: "user", content: said("Summarise this diff in one line:\n- const maxAttempts = 1\n+ const maxAttempts = 5") }], maxTokens: 200, temperature: 0.2, stop: [], hints: ["claude-3-haiku"], text: "" };
  fake.state.asks = { rev: 1, asks: [
    ask({ id: "a1", kind: "form", message: "To open an account I need some details.", schema: JSON.stringify(schema) }),
    ask({ id: "a2", kind: "link", server: "github", message: "Sign in and allow the app to read your issues.", url: "https://github.com/login/oauth/authorize?client_id=Iv1.8a61f9b3a7aba766&scope=repo&state=f00" }),
    ask({ id: "a3", kind: "sampling", sampling }), ask({ id: "a4", kind: "sampling", sampling: { ...sampling, stage: "answering" } }),
    ask({ id: "a5", kind: "sampling", sampling: { ...sampling, stage: "review", text: "Raise the retry limit to five attempts" } }),
  ] };
  return "r1";
}

/** An answer of ordinary Markdown, 2,000 tokens in a second for 30 seconds, merged each 50 ms. */
function stream(fake: FakeHost, tell: Tell): string {
  tell("user", { text: "Tell me everything." });
  const text = ordinary();
  const began = performance.now();
  let [seq, sent] = [1, 0];
  const timer = setInterval(() => {
    const end = Math.min(text.length, Math.floor((performance.now() - began) * 8));
    if (end > sent) fake.emit("chat", [event(seq + 1, { kind: "text", text: text.slice(sent, end) })]);
    if (end > sent) seq++;
    sent = end;
    if (sent < text.length) return;
    clearInterval(timer);
    fake.emit("chat", [event(seq + 1, { kind: "done", stopReason: "end_turn", model: "qwen3-coder" })]);
  }, 50);
  return "r1";
}

function ordinary(): string {
  const part = (at: number) => `## Part ${at}\n\nSome **words** about part ${at}, with \`code\` and [a link](https://docs.test/${at}). ${"And more of it. ".repeat(12)}\n\n- one\n- two, which is longer\n\n\`\`\`go\nfunc f${at}() error {\n\treturn nil\n}\n\`\`\`\n\n| name | value |\n|---|--:|\n| a | ${at} |\n| b | 2 |\n\n`;
  return Array.from({ length: 500 }, (_, at) => part(at)).join("").slice(0, 240_000);
}
