import { useCallback, useEffect, useMemo, useState } from "react";
import { Approval } from "./features/approvals/approvals";
import { Composer } from "./features/chat/composer";
import { Conversation } from "./features/chat/conversation";
import { Board } from "./features/mcp/board";
import { StatusLine } from "./features/mcp/status-line";
import { SessionList } from "./features/sessions/session-list";
import { SettingsDialog } from "./features/settings/settings-dialog";
import { baseName } from "./lib/format";
import { useSelect, useStore } from "./lib/use-store";
import type { Host } from "./platform/host";
import { Stores } from "./stores";
import { Modal } from "./ui/modal";
import { Toasts } from "./ui/toasts";

/** The whole window. */
export function App({ host }: { host: Host }) {
  const stores = useMemo(() => new Stores(host), [host]);
  useEffect(() => {
    const stop = stores.start();
    void stores.runner.run("ready", () => host.ready());
    return stop;
  }, [stores, host]);
  const { runner, chat } = stores;
  const sessions = useStore(stores.sessions);
  const settings = useStore(stores.settings);
  const approvals = useStore(stores.approvals);
  const busy = useStore(runner.busy);
  const toasts = useStore(runner.toasts);
  const turning = useSelect(chat.conversation, (each) => each.runId !== "");
  const [showSettings, setShowSettings] = useState(false);
  const [wide, setWide] = useState(false);
  const [link, setLink] = useState("");
  const onRetry = useCallback((server: string) => void runner.run(server, () => host.retryServer(server)), [host, runner]);
  useEffect(() => {
    const root = document.documentElement;
    if (settings.theme === "light" || settings.theme === "dark") root.dataset.theme = settings.theme;
    else delete root.dataset.theme;
  }, [settings.theme]);
  const id = sessions.current;
  const current = sessions.sessions.find((each) => each.id === id);
  const blocked = id === "" ? "Start a session first" : current?.readOnly ? "Another process holds this session: it is read-only here" : "";
  const workspace = current?.workspace ?? "";
  return (
    <div className={wide ? "window wide" : "window"}>
      <header className="top">
        <span className="brand">Patchbay</span>
        <span className="pill" title={workspace}><span className="muted">Workspace</span> {workspace ? baseName(workspace) : "none"}</span>
        <button type="button" className="pill" onClick={() => setShowSettings(true)}><span className="muted">Model</span> {settings.model.practice ? "Practice model" : settings.model.name || "none"}</button>
        <button type="button" className="pill" onClick={() => setShowSettings(true)}><span className="muted">Approvals</span> <span className="first">{settings.mode}</span></button>
        <span className="grow" />
        <button type="button" className="btn" onClick={() => setShowSettings(true)}>Settings</button>
      </header>
      <SessionList snapshot={sessions} busy={busy.has("session")} onNew={() => void runner.run("session", () => host.newSession(workspace))}
        onOpen={() => void runner.run("session", async () => {
          const folder = await host.pickWorkspace();
          if (folder) await host.newSession(folder);
        })} onSelect={(to) => void runner.run(`select ${to}`, () => host.selectSession(to))}
        onRename={(which, title) => runner.run(`session ${which}`, () => host.renameSession(which, title))}
        onDelete={(which) => runner.run(`session ${which}`, () => host.deleteSession(which))} />
      <main>
        <Conversation store={chat} onLink={setLink} onRetry={onRetry}>
          {approvals.questions.filter((each) => each.sessionId === id).map((each) => (
            <Approval key={each.id} question={each} busy={busy.has(each.id)} onAnswer={(decision) => void runner.run(each.id, () => host.answerApproval(each.id, decision))} />
          ))}
        </Conversation>
        <Composer key={id} running={turning || (current?.running ?? false)} disabled={blocked}
          onSend={(text) => runner.run("send", () => host.sendMessage(id, text))} onStop={() => void runner.run("stop", () => host.stopTurn(id))}>
          {settings.model.practice ? <p className="muted practice">The built-in practice model answers. Settings has real ones.</p> : null}
        </Composer>
      </main>
      <Board store={stores.mcp} host={host} runner={runner} demoCommand={settings.demoCommand} wide={wide} onWide={setWide} />
      <StatusLine store={stores.mcp} />
      {showSettings ? <SettingsDialog settings={settings} onClose={() => setShowSettings(false)} onTheme={(theme) => void runner.run("theme", () => host.setTheme(theme))}
        onMode={(mode) => void runner.run("mode", () => host.setApprovalMode(mode))} onProfile={(profile, key, allowFile) => runner.run("profile", () => host.saveProfile(profile, key, allowFile))}
        onForget={() => runner.run("profile", () => host.deleteProfile())} /> : null}
      {link ? <Modal title="Open this link in the browser?" describe={link} onClose={() => setLink("")}>
        <footer><button type="button" className="btn primary" onClick={() => { setLink(""); void runner.run("link", () => host.openLink(link)); }}>Open</button>
          <button type="button" className="btn" onClick={() => setLink("")}>Cancel</button></footer></Modal> : null}
      <Toasts toasts={toasts} onDismiss={runner.dismiss} />
    </div>
  );
}
