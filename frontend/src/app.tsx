import { Suspense, useCallback, useEffect, useLayoutEffect, useMemo, useState, type CSSProperties } from "react";
import type { Insert } from "./contract/types";
import { Approval } from "./features/approvals/approvals";
import { Composer } from "./features/chat/composer";
import { Conversation } from "./features/chat/conversation";
import { ServiceChips } from "./features/chat/service-chips";
import { Board } from "./features/mcp/board";
import { StatusLine } from "./features/mcp/status-line";
import { SessionList } from "./features/sessions/session-list";
import { BOARD, divide, SESSIONS } from "./features/window/divide";
import { TopBar } from "./features/window/top-bar";
import { useAttention } from "./features/window/use-attention";
import { useLayout, useWidth } from "./features/window/use-layout";
import { useShortcuts } from "./features/window/use-shortcuts";
import { ActionsContext } from "./ui/actions";
import { lazily } from "./ui/lazily";
import { errorText } from "./lib/run";
import { useSelect, useStore } from "./lib/use-store";
import type { Host } from "./platform/host";
import { Stores } from "./stores";
import { Splitter } from "./ui/splitter";
import { Toasts } from "./ui/toasts";

const AskCard = lazily(() => import("./features/asks/ask-card"), "AskCard");
const SettingsDialog = lazily(() => import("./features/settings/settings-dialog"), "SettingsDialog");
const LinkDialog = lazily(() => import("./features/window/link-dialog"), "LinkDialog");

/** The whole window; early is what was started before there was something to draw. */
export function App({ host, early }: { host: Host; early?: Stores }) {
  const stores = useMemo(() => early ?? new Stores(host), [host, early]);
  // Before the first frame, which is then one of the two that painted waits for.
  useLayoutEffect(() => {
    const stop = stores.start();
    void stores.painted().then(() => stores.runner.run("ready", () => host.ready()));
    return stop;
  }, [stores, host]);
  const { runner, chat } = stores;
  const sessions = useStore(stores.sessions);
  const settings = useStore(stores.settings);
  const approvals = useStore(stores.approvals);
  const asks = useStore(stores.asks).asks;
  const busy = useStore(runner.busy);
  const toasts = useStore(runner.toasts);
  const turning = useSelect(chat.conversation, (each) => each.runId !== "");
  const [showSettings, setShowSettings] = useState(false);
  const [link, setLink] = useState("");
  const [frames, setFrames] = useState<{ server: string; frame: number }>();
  const [layout, change] = useLayout(settings.layout, (next) => void runner.run("layout", () => host.setLayout(next)));
  const panes = divide(useWidth(), layout);
  useAttention(host);
  useTheme(settings.theme);
  const id = sessions.current;
  const onRetryCall = useCallback((call: { id: string }) => void runner.run(`call ${call.id}`, () => host.retryCall(id, call.id)), [host, runner, id]);
  const onCancelCall = useCallback((call: { id: string }) => void runner.run(`call ${call.id}`, () => host.cancelCall(id, call.id)), [host, runner, id]);
  const onResend = useCallback((seq: number, text: string) => runner.run("send", () => host.resendMessage(id, seq, text)), [host, runner, id]);
  const onAttached = useCallback((seq: number, at: number) => host.attachedContent(id, seq, at), [host, id]);
  const library = useMemo(() => ({ mcp: stores.mcp, host }), [stores.mcp, host]);
  const onCopy = useCallback((text: string) => void runner.run("copy", () => host.copyText(text)), [host, runner]);
  const current = sessions.sessions.find((each) => each.id === id);
  const blocked = id === "" ? "Start a session first" : current?.readOnly ? "Another process holds this session: it is read-only here" : "";
  const workspace = current?.workspace ?? "";
  const open = approvals.questions.filter((each) => each.sessionId === id);
  const asked = asks.filter((each) => each.sessions.includes(id));
  const newSession = () => void runner.run("session", () => host.newSession(workspace));
  const showBoard = () => change(panes.board > 0 || panes.wide ? { boardHidden: true } : { boardHidden: false });
  const showSessions = () => change({ sessionsHidden: panes.sessions > 0 });
  const onInsert = (insert: Insert) => {
    chat.insert.set(insert);
    if (panes.wide) change({ boardWide: false });
  };
  // The same for the life of the window: every card of the conversation has it.
  const onFrames = useCallback((server: string, frame: number) => setFrames({ server, frame }), []);
  const onFramesShown = useCallback(() => setFrames(undefined), []);
  useEffect(() => {
    if (frames && panes.board === 0 && !panes.wide) change({ boardHidden: false });
  }, [frames]);
  const actions = useMemo(() => ({ onLink: setLink, onCopy, onFrames }), [onCopy, onFrames]);
  useShortcuts({ n: newSession, ",": () => setShowSettings(true), b: showSessions, j: showBoard });
  return (
    <ActionsContext value={actions}><div className="window" style={{ "--left": `${panes.sessions}px`, "--right": `${panes.board}px` } as CSSProperties}>
      <TopBar sessions={sessions} settings={settings} workspace={workspace} sessionsShown={panes.sessions > 0} boardShown={panes.board > 0 || panes.wide}
        onWorkspace={(to) => void runner.run("session", () => host.showWorkspace(to))} onSettings={() => setShowSettings(true)}
        onPick={() => void runner.run("session", async () => {
          const folder = await host.pickWorkspace();
          if (folder) await host.showWorkspace(folder);
        })}
        asking={panes.wide && open.length + asked.length > 0} onAnswer={() => change({ boardWide: false })}
        onMode={(mode) => void runner.run("mode", () => host.setApprovalMode(mode))} onSessions={showSessions} onBoard={showBoard} />
      {panes.sessions > 0 ? <div className="pane left">
        <SessionList snapshot={sessions} asking={new Set([...approvals.questions.map((each) => each.sessionId), ...asks.flatMap((each) => each.sessions)])} busy={busy.has("session")} onNew={newSession} onSearch={(query) => host.searchSessions(query)}
          onSelect={(to) => void runner.run(`select ${to}`, () => host.selectSession(to))}
          onRename={(which, title) => runner.run(`session ${which}`, () => host.renameSession(which, title))}
          onDelete={(which) => runner.run(`session ${which}`, () => host.deleteSession(which))} />
      </div> : null}
      <main hidden={panes.wide}>
        {panes.sessions > 0 ? <Splitter label="Width of the sessions" size={panes.sessions} {...SESSIONS} side="left" onSize={(to) => change({ sessionsWidth: to })} /> : null}
        {panes.board > 0 ? <Splitter label="Width of the server board" size={panes.board} {...BOARD} side="right" onSize={(to) => change({ boardWidth: to })} /> : null}
        <Conversation store={chat} onLink={setLink} onRetryCall={onRetryCall} onCancelCall={onCancelCall} onResend={blocked ? undefined : onResend} onAttached={onAttached} onCopy={onCopy} onFrames={onFrames} mcp={stores.mcp} workspace={workspace}
          practice={settings.model.practice} onExample={blocked ? undefined : (text) => void runner.run("send", () => host.sendMessage(id, text, []))}>
          {open.map((each) => (
            <Approval key={each.id} question={each} busy={busy.has(each.id)} onAnswer={(decision) => void runner.run(each.id, () => host.answerApproval(each.id, decision))} />
          ))}
          {asked.length > 0 ? <Suspense>{asked.map((each) => (
            <AskCard key={each.id} ask={each} busy={busy.has(each.id)} onLink={setLink} onAnswer={(answer) => void runner.run(each.id, () => host.answerAsk(each.id, answer))} />
          ))}</Suspense> : null}
        </Conversation>
        <Composer key={id} store={chat} sessionId={id} running={turning || (current?.running ?? false)} disabled={blocked}
          library={library}
          onSend={(text, mentions) => runner.run("send", () => host.sendMessage(id, text, [...mentions]))} onStop={() => void runner.run("stop", () => host.stopTurn(id))}>
          {settings.messages[0] ? <p className="line error practice" role="status">{settings.messages[0]}</p> : null}
          {settings.model.practice ? <p className="muted practice">The built-in practice model answers. Settings has real ones.</p> : null}
          <ServiceChips mcp={stores.mcp} workspace={workspace} onLight={(name, lit) => void runner.run(`light ${name}`, () => host.lightService(id, name, lit))} />
        </Composer>
      </main>
      {panes.board > 0 || panes.wide ? <div className={panes.wide ? "pane right wide" : "pane right"} role={panes.wide ? "main" : undefined}>
        <Board store={stores.mcp} host={host} runner={runner} demoCommand={settings.demoCommand} wide={panes.wide} onWide={(wide) => change({ boardWide: wide })} onInsert={blocked ? undefined : onInsert} frames={frames} onFramesShown={onFramesShown} />
      </div> : null}
      <StatusLine store={stores.mcp} onRetry={() => void runner.run("retry failed", () => host.retryFailed())} />
      <Suspense>
        {showSettings ? <SettingsDialog settings={settings} onClose={() => setShowSettings(false)} onTheme={(theme) => void runner.run("theme", () => host.setTheme(theme))}
          onMode={(mode) => void runner.run("mode", () => host.setApprovalMode(mode))} onProfile={(profile, key, allowFile) => runner.run("profile", () => host.saveProfile(profile, key, allowFile))}
          onForget={() => runner.run("profile", () => host.deleteProfile())}
          onTest={(profile, key) => host.testProfile(profile, key).catch((err: unknown) => ({ ok: false, message: errorText(err), tookMs: 0, models: [] }))} /> : null}
        {link ? <LinkDialog link={link} onClose={() => setLink("")} onOpen={() => { setLink(""); void runner.run("link", () => host.openLink(link)); }} /> : null}
      </Suspense>
      <Toasts toasts={toasts} onDismiss={runner.dismiss} />
    </div></ActionsContext>
  );
}

/** Shows the chosen theme; "system" follows the desktop. */
function useTheme(theme: string): void {
  useEffect(() => {
    const root = document.documentElement;
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  }, [theme]);
}
