import type { ServerStart, StageTime } from "../contract/types";
import { start, type FakeHost } from "../platform/fake";

const stages = (...ms: number[]): StageTime[] => ["resolve", "spawn", "connect", "initialize", "list", "validate", "claim"].slice(0, ms.length).map((stage, at) => ({ stage, ms: ms[at] ?? 0 }));

/** What the timeline and the processes of a server show: three failed starts before the last one. */
export function processScene(fake: FakeHost): void {
  const now = Date.now();
  const failed = (number: number, at: number, part: Partial<ServerStart>) => start({ number, reason: "reconnect", try: number - 1, beganMs: now - at, outcome: "failed", stage: "initialize", cause: "exited", message: "exited (exit status 1): Error: connect ECONNREFUSED 127.0.0.1:5432, while the pool was being opened for the first time", pid: 41_000 + number, ...part });
  fake.state.timeline = { total: 14, starts: [
    start({ number: 14, reason: "reconnect", try: 4, beganMs: now - 754_000, tookMs: 799, stages: stages(2, 41, 4, 690, 58, 3, 1), pid: 41_882 }),
    failed(13, 784_000, { tookMs: 912, stages: stages(2, 38, 3), try: 3 }), failed(12, 801_000, { tookMs: 880, stages: stages(1, 39, 3), try: 2 }), failed(11, 812_000, { tookMs: 1903, stages: stages(2, 44, 3), try: 1 }),
    start({ number: 10, reason: "edited", beganMs: now - 4_000_000, tookMs: 1420, stages: stages(3, 47, 6, 1240, 120, 3, 1), pid: 40_112, endedMs: now - 818_000, end: "was ended by signal killed" }),
    start({ number: 9, reason: "retry", beganMs: now - 4_100_000, tookMs: 5210, stages: stages(2, 51, 4), stage: "initialize", outcome: "cut", message: "its definition was edited", pid: 40_001 }),
    start({ number: 8, reason: "first", beganMs: now - 4_200_000, tookMs: 3920, stages: stages(2, 60, 5, 3720, 130, 2, 1), pid: 39_874, endedMs: now - 4_105_000, end: "restarted by Retry" }),
  ] };
  const process = (pid: number, depth: number, name: string, command: string, memory: number, cpuMs: number, more = {}) => ({ pid, parent: pid - 1, depth, orphan: false, zombie: false, name, command, memory, cpuMs, startedMs: now - 754_000, ...more });
  fake.state.processes = { starts: 14, recovered: 2, lastEnd: "exited (exit status 1): Error: connect ECONNREFUSED 127.0.0.1:5432", lastEndMs: now - 783_000, memory: 141_400_000, sharedTwice: false, cpuMs: 4230, processes: [
    process(41_882, 0, "npm exec", "npm exec @acme/pg-mcp --read-only --api-key •••", 52_100_000, 910), process(41_901, 1, "sh", 'sh -c "pg-mcp --read-only --api-key •••"', 1_400_000, 4),
    process(41_902, 2, "node", "node /home/dev/.npm/_npx/4f9d/node_modules/.bin/pg-mcp --read-only --api-key •••", 83_900_000, 3316), process(41_950, 1, "watcher", "", 4_000_000, 0, { orphan: true }),
  ] };
  fake.state.doctor = { transport: "stdio", problems: [], notes: ["Node is v18.19.0 here and v22.14.0 in the login shell.", "The login shell's PATH has 2 folders that Patchbay was not started with; the server gets them all the same."],
    command: "npx", resolved: "/usr/bin/npx", target: "/usr/lib/node_modules/npm/bin/npx-cli.js", folder: "/home/dev/payments-api", envNames: ["PG_POOL", "PG_URL"], shell: "/bin/zsh",
    lacking: [{ folder: "/home/dev/.nvm/versions/node/v22.14.0/bin", added: true }, { folder: "/home/dev/.local/bin", added: true }], variables: ["HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "PGPASSFILE"],
    programs: [{ name: "npx", differs: true, here: { path: "/usr/bin/npx", version: "9.2.0", problem: "" }, there: { path: "/home/dev/.nvm/versions/node/v22.14.0/bin/npx", version: "10.9.2", problem: "" } }, { name: "node", differs: true, here: { path: "/usr/bin/node", version: "v18.19.0", problem: "" }, there: { path: "/home/dev/.nvm/versions/node/v22.14.0/bin/node", version: "v22.14.0", problem: "" } }],
    line: `cd /home/dev/payments-api && { printf '%s\\n' '{"id":1,"jsonrpc":"2.0","method":"initialize","params":{"capabilities":{},"clientInfo":{"name":"terminal","version":"1"},"protocolVersion":"2025-11-25"}}'; sleep 10; } | env PG_POOL="$PG_POOL" PG_URL="$PG_URL" npx -y @acme/pg-mcp --read-only`, set: ["PG_POOL", "PG_URL"] };
}
