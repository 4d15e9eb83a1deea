import type { LogLine, ServerTool } from "../contract/types";
import { tool, type FakeHost } from "../platform/fake";

const schema = (properties: Record<string, unknown>, required: string[] = []) => JSON.stringify({ type: "object", properties, required, additionalProperties: false });

const TOOLS: ServerTool[] = [
  tool({ name: "query", title: "Run a query", description: "Runs one read-only SQL statement against the replica and returns its rows as JSON.", readOnly: true, idempotent: true, schemaTokens: 212,
    schema: schema({
      sql: { type: "string", description: "One statement. Parameters are written $1, $2 …" }, params: { type: "array", items: { type: "string" }, description: "Values of the parameters, in order" },
      limit: { type: "integer", minimum: 1, maximum: 1000, default: 100, description: "At most so many rows" }, format: { enum: ["rows", "csv", "markdown"], default: "rows" },
      since: { type: "string", format: "date" }, explain: { type: "boolean", description: "Show the plan instead of running it" },
      connection: { type: "object", description: "Which replica", properties: { region: { type: "string" }, port: { type: "integer" } }, required: ["region"] },
      hints: { description: "Planner hints, any JSON" },
    }, ["sql"]) }),
  tool({ name: "pg_list_tables", original: "list_tables", description: "Lists tables with their size and row estimate.", readOnly: true, schemaTokens: 74, schema: schema({ schema: { type: "string", default: "public" } }) }),
  tool({ name: "describe_table", description: "Columns, types, indexes and foreign keys of a table.", readOnly: true, schemaTokens: 88, schema: schema({ table: { type: "string" } }, ["table"]) }),
  tool({ name: "execute", title: "Write", description: "Runs a statement that changes data, inside a transaction.", destructive: true, schemaTokens: 190, schema: schema({ sql: { type: "string" }, confirm: { const: true } }, ["sql", "confirm"]) }),
  tool({ name: "read_file", description: "Reads a dump.", held: true, schemaTokens: 61 }),
  tool({ name: "查询生产环境的只读副本并返回前一百行", original: "cn", description: "在只读副本上执行一条语句，并以表格形式返回结果。", schemaTokens: 133, owner: "other" }),
];

const STDERR = ["npm warn exec The following package was not found and will be installed: @acme/pg-mcp@2.4.1", "node:internal/modules/cjs/loader:1228", "Error: Cannot find module 'dist/index.js'", "    at Module._resolveFilename (node:internal/modules/cjs/loader:1225:15)"];

function lines(): LogLine[] {
  const said: [string, string][] = [["stderr", "pg-mcp 2.4.1 listening on stdio"], ["info", "connected to replica eu-west-1 (latency 12 ms)"], ["debug", "pool: 4 idle, 0 busy"], ["warning", "statement took 2.4 s: select id, last_error from deliveries where status = 'failed' and created_at > now() - interval '12 hours' order by created_at desc"], ["stderr", "DeprecationWarning: Buffer() is deprecated due to security and usability issues"], ["error", "could not refresh the catalog: permission denied for schema audit"], ["info", "完成目录刷新：共 42 张表"]];
  return Array.from({ length: 400 }, (_, at) => ({ seq: at + 1, atMs: Date.UTC(2026, 10, 9, 14, 2, 0) + at * 731, level: said[at % said.length]![0], text: said[at % said.length]![1] }));
}

/** What the detail, the form, the dry run and the resolver show: ?mcp=many pastes several servers,
 *  ok, running or failed is how the dry run goes, clashes has sixty of them. */
export function mcpScene(fake: FakeHost, kind: string): void {
  const { state } = fake;
  const form = { name: "postgres", type: "stdio", command: "npx", args: ["-y", "@acme/pg-mcp", "--read-only"], cwd: "", url: "", env: [{ name: "PG_URL", value: "", hasValue: true }, { name: "PG_POOL", value: "", hasValue: true }], headers: [], enable: true, timeoutMs: 0, callTimeoutMs: 0, protocol: "" };
  const stages = [{ stage: "resolve", ms: 2 }, { stage: "spawn", ms: 41 }, { stage: "connect", ms: 4 }, { stage: "initialize", ms: 690 }, { stage: "list", ms: 58 }, { stage: "validate", ms: 3 }, { stage: "claim", ms: 1 }];
  state.form = form;
  state.detail = { name: "postgres", form, rules: { exclude: ["read_file"], rename: { list_tables: "pg_list_tables" } }, tools: TOOLS, stages, instructions: "Ask for table names before you write a query. Never select more columns than you need.\nThe replica lags by up to five seconds." };
  state.log = { lines: lines(), next: 400, lost: false, level: "" };
  state.outcome = { ok: true, reason: "", warning: "", tookMs: 38, frame: 0, content: [{ kind: "text", text: JSON.stringify({ rows: [{ id: 71, last_error: "context deadline exceeded", tries: 1 }, { id: 72, last_error: "context deadline exceeded", tries: 1 }], count: 2 }), mimeType: "", url: "", uri: "", name: "", json: "" }] };
  state.paste = { forms: kind === "many" ? [{ ...form, name: "github", type: "streamable_http", command: "", args: [], url: "https://api.example.com/mcp" }, { ...form, name: "sqlite", args: ["-y", "@acme/sqlite-mcp", "~/data/ledger.db"] }, { ...form, name: "browser", args: ["-y", "@acme/browser"] }, { ...form, name: "broken", command: "" }] : [{ ...form, name: "pg-mcp", env: [{ name: "PG_URL", value: "postgres://localhost", hasValue: false }] }],
    warnings: kind === "many" ? ["disabled, autoApprove of browser are fields of another client and were left out"] : [] };
  const trial = { ...state.trial, rev: 9, id: "t1", name: "pg-mcp", stages, startedMs: Date.now() - 800, tookMs: 1230 };
  if (kind === "running") state.trial = { ...trial, running: true, stage: "initialize", stages: stages.slice(0, 3), progress: "npm: fetching @acme/pg-mcp 2.4.1 and 38 packages" };
  else if (kind === "failed") state.trial = { ...trial, stage: "initialize", stages: stages.slice(0, 3), cause: "exited", reason: "exited with 1: Cannot find module 'dist/index.js'", evidence: { exitCode: 1, stderr: STDERR, httpStatus: 0, url: "", file: "", line: 0, stage: "initialize" } };
  else state.trial = { ...trial, ok: true, tools: TOOLS, schemaTokens: 758, protocol: "2025-11-25", serverName: "pg-mcp", serverVersion: "2.4.1", conflicts: [{ tool: "read_file", owner: "built-in" }] };
  const mine = schema({ path: { type: "string" }, head: { type: "integer" }, tail: { type: "integer" } }, ["path"]);
  const theirs = schema({ path: { type: "string" }, offset: { type: "integer" }, limit: { type: "integer" } }, ["path"]);
  const clash = (name: string) => ({ tool: name, mine: { owner: "filesystem", original: name, description: "Read the complete contents of a file from the file system. Handles various text encodings and provides detailed error messages.", schema: mine }, theirs: { owner: "built-in", original: name, description: "Reads a text file of the workspace.", schema: theirs } });
  state.clashes = { clashes: (kind === "clashes" ? Array.from({ length: 60 }, (_, at) => `tool_${at + 1}`) : ["read_file", "write_file"]).map(clash), taken: ["read_file", "write_file", "bash", "apply_patch"] };
}
