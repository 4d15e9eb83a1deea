import type { CommandError } from "../contract/types";
import type { Host, Topics } from "./host";

type Bound = (...args: unknown[]) => Promise<unknown>;
interface WailsWindow {
  go?: { app?: Record<string, Record<string, Bound> | undefined> };
  runtime?: { EventsOn(name: string, callback: (value: unknown) => void): () => void };
}

/** Bound struct and method of each command; the one place that names them. */
const METHODS: Record<Exclude<keyof Host, "on">, readonly [string, string]> = {
  mcp: ["MCP", "Snapshot"],
  enableServer: ["MCP", "EnableServer"],
  disableServer: ["MCP", "DisableServer"],
  pauseServer: ["MCP", "PauseServer"],
  resumeServer: ["MCP", "ResumeServer"],
  retryServer: ["MCP", "RetryServer"],
  retryFailed: ["MCP", "RetryFailed"],
  rebuildAll: ["MCP", "RebuildAll"],
  trustServers: ["MCP", "TrustServers"],
  readServer: ["MCP", "ReadServer"],
  addServer: ["MCP", "AddServer"],
  editServer: ["MCP", "EditServer"],
  removeServer: ["MCP", "RemoveServer"],
  undoRemove: ["MCP", "UndoRemove"],
  addDemoServer: ["MCP", "AddDemoServer"],
  saveToolRules: ["MCP", "SaveToolRules"],
  openFile: ["MCP", "OpenFile"],
  sessions: ["Chat", "Sessions"],
  newSession: ["Chat", "NewSession"],
  selectSession: ["Chat", "SelectSession"],
  openWorkspace: ["Chat", "OpenWorkspace"],
  transcript: ["Chat", "Transcript"],
  sendMessage: ["Chat", "SendMessage"],
  stopTurn: ["Chat", "StopTurn"],
  openLink: ["Chat", "OpenLink"],
  approvals: ["Chat", "Approvals"],
  answerApproval: ["Chat", "AnswerApproval"],
  settings: ["Settings", "Snapshot"],
  setTheme: ["Settings", "SetTheme"],
  setApprovalMode: ["Settings", "SetApprovalMode"],
  saveProfile: ["Settings", "SaveProfile"],
};

/** A call has no time limit of its own and an unknown method never settles. */
export const CALL_LIMIT_MS = 30_000;
/** A folder dialog waits for a person. */
const DIALOG_LIMIT_MS = 3_600_000;

function call(name: keyof typeof METHODS, args: unknown[]): Promise<unknown> {
  const [area, method] = METHODS[name];
  const bound = (window as unknown as WailsWindow).go?.app?.[area]?.[method];
  if (!bound) {
    return Promise.reject<unknown>(rejection(`the application has no ${area}.${method}: the window and the page are of different versions, reinstall Patchbay`));
  }
  const limit = name === "openWorkspace" ? DIALOG_LIMIT_MS : CALL_LIMIT_MS;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(rejection(`${area}.${method} did not answer in ${limit / 1000} s; try again`)), limit);
    bound(...args).then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function rejection(message: string): CommandError {
  return { code: "internal", message };
}

/** The host of the real window. One listener per topic for the life of the page: removing the
 *  last one would also remove listeners of that name in the application. */
export function wailsHost(): Host {
  const fans = new Map<keyof Topics, Set<(value: never) => void>>();
  const on: Host["on"] = (topic, listener) => {
    let fan = fans.get(topic);
    if (!fan) {
      fan = new Set();
      fans.set(topic, fan);
      const listeners = fan;
      (window as unknown as WailsWindow).runtime?.EventsOn(topic, (value) => {
        for (const each of [...listeners]) {
          // One that throws must not keep the others from hearing.
          try { each(value as never); } catch (err) { console.error(`listener of ${topic}`, err); }
        }
      });
    }
    const owned = fan;
    owned.add(listener as (value: never) => void);
    return () => { owned.delete(listener as (value: never) => void); };
  };
  const host: Record<string, unknown> = { on };
  for (const name of Object.keys(METHODS) as (keyof typeof METHODS)[]) {
    host[name] = (...args: unknown[]) => call(name, args);
  }
  return host as unknown as Host;
}
