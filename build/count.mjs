// Counts what build/test.sh kept: node build/count.mjs DIR prints "N passed, M failed" and
// ends with 1 when anything failed or nothing ran. With --failures FILE it prints the
// output of the tests that failed in a file of go test -json.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const events = (file) =>
  readFileSync(file, "utf8").split("\n").filter((line) => line.startsWith("{")).map((line) => JSON.parse(line));

function failures(file) {
  const all = events(file);
  const key = (e) => `${e.Package ?? e.ImportPath} ${e.Test ?? ""}`;
  const failed = new Set(all.filter((e) => e.Action === "fail").map(key));
  for (const e of all) {
    if (e.Action === "build-output" || (e.Action === "output" && failed.has(key(e)))) process.stdout.write(e.Output);
  }
}

function count(dir) {
  let passed = 0;
  let failed = 0;
  for (const name of readdirSync(dir)) {
    const file = join(dir, name);
    if (name.endsWith(".step")) {
      readFileSync(file, "utf8").trim() === "pass" ? passed++ : failed++;
    } else if (name === "page.json") {
      const page = JSON.parse(readFileSync(file, "utf8"));
      passed += page.numPassedTests;
      failed += page.numFailedTests + page.numPendingTests;
    } else if (name === "conformance.json") {
      const suite = JSON.parse(readFileSync(join(dir, name), "utf8"));
      passed += suite.passed;
      failed += suite.failed;
    } else if (name.endsWith(".json")) {
      for (const e of events(file)) {
        if (!e.Test) continue;
        if (e.Action === "pass") passed++;
        if (e.Action === "fail" || (e.Action === "skip" && name === "window.json")) failed++;
      }
    }
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

const [first, second] = process.argv.slice(2);
first === "--failures" ? failures(second) : count(first);
