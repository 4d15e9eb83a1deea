import * as app from "../../wailsjs/go/app/App";
import * as chat from "../../wailsjs/go/app/Chat";
import * as mcp from "../../wailsjs/go/app/MCP";
import * as sessions from "../../wailsjs/go/app/Sessions";
import * as settings from "../../wailsjs/go/app/Settings";
import { EventsOn } from "../../wailsjs/runtime/runtime";
import type { CommandError } from "../contract/types";
import type { Host, Topics } from "./host";

/** A call has no time limit of its own and an unknown method never settles. */
export const CALL_LIMIT_MS = 30_000;
const HOUR_MS = 3_600_000;

function call<T>(what: string, command: () => Promise<T>, limit = CALL_LIMIT_MS): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(rejection(`${what}: no answer in ${limit / 1000} s; try again`)), limit);
    const end = () => clearTimeout(timer);
    try {
      command().then(resolve, reject).finally(end);
    } catch {
      end(); // the bindings name a method that this window has not
      reject(rejection(`${what}: the window and the page are of different versions; reinstall Patchbay`));
    }
  });
}

function rejection(message: string): CommandError {
  return { code: "internal", message };
}

// The wire enums are string enums in the bindings and unions in the contract: same values.
const COMMANDS: Omit<Host, "on"> = {
  ready: () => app.Ready(),
  focused: (focused) => app.Focused(focused),
  copyText: (text) => app.CopyText(text),
  mcp: () => mcp.Snapshot() as Promise<never>,
  enableServer: (name) => mcp.EnableServer(name),
  disableServer: (name) => mcp.DisableServer(name),
  pauseServer: (name) => mcp.PauseServer(name),
  resumeServer: (name) => mcp.ResumeServer(name),
  retryServer: (name) => mcp.RetryServer(name),
  retryFailed: () => mcp.RetryFailed(),
  rebuildAll: () => mcp.RebuildAll(),
  trustServers: (names) => mcp.TrustServers(names),
  readServer: (name) => mcp.GetServer(name),
  addServer: (form) => mcp.AddServer(form),
  editServer: (name, form) => mcp.EditServer(name, form),
  removeServer: (name) => mcp.RemoveServer(name),
  restoreFields: () => mcp.RestoreFields(),
  resolveClash: (name, rules) => mcp.ResolveClash(name, rules),
  setToolRules: (name, rules) => mcp.SetToolRules(name, rules),
  undoChange: (id) => mcp.UndoChange(id),
  changes: () => mcp.Changes() as Promise<never>,
  parsePaste: (text) => mcp.ParsePaste(text),
  startTrial: (form, edits) => mcp.StartTrial(form, edits),
  stopTrial: () => mcp.StopTrial(),
  trial: () => mcp.Trial(),
  serverDetail: (name) => mcp.ServerDetail(name),
  serverLog: (name, after) => mcp.ServerLog(name, after),
  setLogLevel: (name, level) => mcp.SetLogLevel(name, level),
  serverTimeline: (name) => mcp.ServerTimeline(name) as Promise<never>,
  serverProcesses: (name) => mcp.ServerProcesses(name),
  frames: (server, after) => mcp.Frames(server, after) as Promise<never>,
  frameBody: (server, seq) => mcp.FrameBody(server, seq),
  findFrames: (server, text, after) => mcp.FindFrames(server, text, after),
  clearFrames: (server) => mcp.ClearFrames(server),
  exportFrames: (server) => mcp.ExportFrames(server),
  serverDoctor: (callId, name, again) => mcp.ServerDoctor(callId, name, again),
  stopDoctor: (callId) => mcp.StopDoctor(callId),
  copyDiagnosis: (name) => mcp.CopyDiagnosis(name),
  signIn: (name, keep) => mcp.SignIn(name, keep),
  cancelSignIn: (name) => mcp.CancelSignIn(name),
  signOut: (name) => mcp.SignOut(name),
  clashes: (name) => mcp.Clashes(name),
  callTool: (callId, server, original, args) => mcp.CallTool(callId, server, original, args),
  cancelTool: (callId) => mcp.CancelTool(callId),
  serverResources: (server) => mcp.ServerResources(server),
  readResource: (server, uri) => mcp.ReadResource(server, uri),
  expandTemplate: (template, values) => mcp.ExpandTemplate(template, values),
  subscribeResource: (server, uri, on) => mcp.SubscribeResource(server, uri, on),
  serverPrompts: (server) => mcp.ServerPrompts(server) as Promise<never>,
  getPrompt: (server, name, args) => mcp.GetPrompt(server, name, args) as Promise<never>,
  completeArgument: (server, ask) => mcp.CompleteArgument(server, ask),
  forgetLibrary: (server) => mcp.ForgetLibrary(server),
  openFile: (which, line) => mcp.OpenFile(which as never, line),
  sessions: () => sessions.List(),
  newSession: (workspace) => sessions.NewSession(workspace),
  selectSession: (id) => sessions.OpenSession(id),
  showWorkspace: (workspace) => sessions.ShowWorkspace(workspace),
  renameSession: (id, title) => sessions.RenameSession(id, title),
  deleteSession: (id) => sessions.DeleteSession(id),
  searchSessions: (query) => sessions.SearchSessions(query),
  pickWorkspace: () => sessions.PickWorkspace(),
  transcript: (id) => chat.Transcript(id) as Promise<never>,
  sendMessage: (id, text, mentions) => chat.SendMessage(id, text, mentions),
  attachedContent: (id, seq, at) => chat.AttachedContent(id, seq, at),
  resendMessage: (id, seq, text) => chat.ResendMessage(id, seq, text),
  retryCall: (id, callId) => chat.RetryCall(id, callId),
  lightService: (id, name, lit) => chat.LightService(id, name, lit),
  stopTurn: (id) => chat.StopTurn(id),
  openLink: (url) => settings.OpenLink(url),
  approvals: () => chat.Approvals(),
  asks: () => chat.Asks(),
  answerAsk: (id, answer) => chat.AnswerAsk(id, answer as never),
  cancelCall: (id, callId) => chat.CancelCall(id, callId),
  answerApproval: (id, decision) => chat.AnswerQuestion(id, decision as never),
  settings: () => settings.Get() as Promise<never>,
  setTheme: (theme) => settings.SetTheme(theme),
  setApprovalMode: (mode) => settings.SetMode(mode as never),
  setLayout: (layout) => settings.SetLayout(layout),
  saveProfile: (profile, key, allowFile) => settings.SaveProfile(profile, key, allowFile),
  deleteProfile: () => settings.DeleteProfile(),
  testProfile: (profile, key) => settings.TestProfile(profile, key),
};

/** Commands that wait for a person or for a tool; every other is answered within CALL_LIMIT_MS. */
const PATIENT: Partial<Record<keyof Host, number>> = { pickWorkspace: HOUR_MS, callTool: HOUR_MS, testProfile: 120_000 };

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
      EventsOn(topic, (value: unknown) => {
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
  for (const [name, command] of Object.entries(COMMANDS)) {
    const limit = PATIENT[name as keyof Host] ?? CALL_LIMIT_MS;
    host[name] = (...args: unknown[]) => call(name, () => (command as (...all: unknown[]) => Promise<unknown>)(...args), limit);
  }
  return host as unknown as Host;
}
