// Pictures of every screen of the page, without the application: the scenarios of
// frontend/src/dev in headless Chromium, light and dark, in two sizes. Called by
// build/screens.sh with the folder of the built page, that for the pictures, and the browser;
// further arguments name the screens to picture.
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { extname, join } from "node:path";

const [page, out, browserPath, ...only] = process.argv.slice(2);
const { chromium } = createRequire(new URL("../frontend/package.json", import.meta.url))("playwright-core");

const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".woff": "font/woff" };
const SIZES = [{ width: 1280, height: 800, mark: "" }, { width: 1920, height: 1080, mark: "-1920" }];

const button = (view, name, role = "button") => view.getByRole(role, { name, exact: typeof name === "string" }).first();
const press = (name, role) => (view) => button(view, name, role).click();
const fill = (role, name, text) => (view) => button(view, name, role).fill(text);
const hover = (name) => (view) => button(view, name, "row").hover();
const size = (width, height) => (view) => view.setViewportSize({ width, height });
const wide = press("Widen the board");
const detail = (name, tab) => (view) => press(`Details of ${name}`)(view).then(() => tab && press(tab, "tab")(view));

/** Every screen: its name, the scenario it starts from (see frontend/src/dev), and what is done
 *  before the picture. */
const SCREENS = [
  ["empty", "empty"],
  ["busy", "busy"],
  ["failing", "failing"],
  ["many", "many"],
  ["long", "long"],
  ["hover", "busy", hover("postgres")],
  ["narrow", "busy", size(760, 700)],
  ["narrow-long", "long", size(720, 480)],
  ["wide", "busy", wide],
  ["wide-failing", "failing", wide],
  ["wide-long", "long", wide],
  ["wide-many", "many", wide],
  ["add", "busy", press("Add server")],
  ["add-advanced", "busy", press("Add server"), (view) => view.getByText("Advanced").click()],
  ["add-http", "busy", press("Add server"), (view) => view.getByRole("dialog").getByRole("radio", { name: "streamable_http" }).check({ force: true })],
  ["paste", "busy", press("Add server"), fill("textbox", "Paste a definition", "npx -y @acme/pg-mcp")],
  ["paste-many", "busy&mcp=many", press("Add server"), fill("textbox", "Paste a definition", "x")],
  ["trial-running", "busy&mcp=running", press("Edit postgres"), press("Test")],
  ["trial-failed", "busy&mcp=failed", press("Edit postgres"), press("Test")],
  ["trial-ok", "busy&mcp=ok", press("Edit postgres"), press("Test")],
  ["remove", "busy", press("Remove github")],
  ["resolve", "busy", press("Resolve filesystem")],
  ["resolve-many", "busy&mcp=clashes", press("Resolve filesystem")],
  ["detail-overview", "busy", detail("postgres")],
  ["detail-error", "busy", detail("local-docs")],
  ["detail-tools", "busy", detail("postgres", /^Tools/)],
  ["detail-try", "busy", detail("postgres", /^Tools/), press("query")],
  ["detail-log", "busy", detail("postgres", "Log")],
  ["detail-timeline", "busy", detail("postgres", "Timeline"), (view) => view.getByRole("img", { name: /^Start 13/ }).hover()],
  ["detail-process", "busy", detail("postgres", "Process"), press("Check again")],
  ["detail-process-end", "busy", detail("postgres", "Process"), (view) => view.getByRole("button", { name: "Copy line" }).scrollIntoViewIfNeeded()],
  ["detail-process-wide", "busy", wide, detail("postgres", "Process"), press("Check again")],
  ["detail-timeline-narrow", "busy", size(760, 700), detail("postgres", "Timeline"), (view) => view.getByRole("img", { name: /^Start 8/ }).scrollIntoViewIfNeeded()],
  ["detail-process-narrow", "busy", size(760, 700), detail("postgres", "Process"), press("Check again")],
  ["detail-timeline-wide", "busy", wide, detail("postgres", "Timeline"), (view) => view.getByRole("img", { name: /^Start 10/ }).hover()],
  ["detail-traffic", "busy", detail("postgres", "Traffic"), (view) => view.getByRole("listbox", { name: "Traffic of postgres" }).press("End")],
  ["detail-traffic-wide", "busy", wide, detail("postgres", "Traffic"), (view) => view.getByRole("listbox", { name: "Traffic of postgres" }).press("End"), (view) => view.getByRole("listbox", { name: "Traffic of postgres" }).press("ArrowUp")],
  ["detail-traffic-narrow", "busy", size(760, 700), detail("postgres", "Traffic"), (view) => view.getByRole("option").first().waitFor()],
  ["detail-wide", "busy", wide, detail("postgres", /^Tools/), press("query")],
  ["changes", "busy", press("Changes")],
  ["chat-rich", "busy&chat=rich"],
  ["chat-asks", "busy&chat=asks"],
  ["chat-words", "busy&chat=words"],
  ["chat-hello", "busy&chat=hello"],
  ["chat-thousand", "busy&chat=thousand"],
  ["chat-find", "busy&chat=rich", press("Find in conversation"), fill("searchbox", "Find in conversation", "the")],
  ["settings", "busy", press("Settings")],
  ["menu-workspace", "busy", press(/^Workspace/)],
  ["menu-approvals", "busy", press(/^Approvals/)],
  ["search", "busy", fill("searchbox", "Search sessions", "webhook")],
];

// A server on a free port: scripts of a page are not loaded from file addresses.
const server = createServer(async (ask, answer) => {
  try {
    const path = new URL(ask.url, "http://x").pathname;
    const bytes = await readFile(join(page, path));
    answer.writeHead(200, { "Content-Type": TYPES[extname(path)] ?? "text/plain" }).end(bytes);
  } catch {
    answer.writeHead(404).end();
  }
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const address = `http://127.0.0.1:${server.address().port}/dev.html`;

const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu"] });
let wrong = 0;
for (const theme of ["light", "dark"]) {
  for (const { mark, ...viewport } of SIZES) {
    const context = await browser.newContext({ viewport, reducedMotion: "reduce", locale: "en-GB" });
    for (const [name, scenario, ...steps] of SCREENS) {
      if (only.length > 0 && !only.includes(name)) continue;
      const view = await context.newPage();
      view.setDefaultTimeout(10_000);
      const say = (what) => { wrong++; console.error(`${name} ${theme}${mark}: ${what}`); };
      view.on("console", (line) => { if (line.type() === "error" && !line.text().includes("404")) say(line.text()); });
      view.on("pageerror", (err) => say(String(err)));
      try {
        await view.goto(`${address}?s=${scenario}&theme=${theme}`);
        await view.getByRole("grid", { name: "Servers" }).waitFor();
        for (const step of steps) await step(view);
        await view.evaluate(() => document.fonts.ready);
        await view.waitForTimeout(250);
        await view.screenshot({ path: join(out, `page-${name}-${theme}${mark}.png`) });
      } catch (err) {
        say(String(err).split("\n")[0]);
      }
      await view.close();
    }
    await context.close();
  }
}
await browser.close();
server.close();
process.exitCode = wrong > 0 ? 1 : 0;
