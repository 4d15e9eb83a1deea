import { useMemo, useState } from "react";
import type { CommandError, Done, MCPSnapshot, ServerForm, ServerRow } from "../../contract/types";
import type { Runner } from "../../lib/run";
import type { Latest } from "../../lib/store";
import type { Host } from "../../platform/host";
import { blank } from "./server-form-rules";
import type { RowCommands } from "./server-row";

/** The dialog over the board. */
export type Open = { kind: "form"; form: ServerForm; edits?: string } | { kind: "remove" | "resolve"; row: ServerRow } | { kind: "keep"; name: string; file: string };

/** Runs a command that changes one of the two files and offers to take it back. */
export async function change(host: Host, runner: Runner, key: string, command: () => Promise<Done>): Promise<boolean> {
  return runner.run(key, async () => {
    const { id, what } = await command();
    if (what) runner.show(what, false, id ? () => void undo(host, runner, id) : undefined);
  });
}

/** Takes a change back and says which; whether it could. */
export function undo(host: Host, runner: Runner, id: string): Promise<boolean> {
  return runner.run(`undo ${id}`, async () => { runner.show(`Undone: ${await host.undoChange(id)}`); });
}

/** Runs a sign-in. Where the person has to say first where it is kept, it resolves to the file it could be. */
async function noKeyring(signIn: () => Promise<void>): Promise<string | undefined> {
  try {
    await signIn();
  } catch (err) {
    const { code, path } = err as CommandError;
    if (code !== "no_keyring") throw err;
    return path ?? "";
  }
  return undefined;
}

/** What the board can do, under one identity for as long as it is there. */
export function useBoardActions(store: Latest<MCPSnapshot>, host: Host, runner: Runner, onDetail: RowCommands["onDetail"]) {
  const [open, setOpen] = useState<Open>();
  const actions = useMemo(() => {
    const go = (key: string, command: () => Promise<unknown>) => void runner.run(key, command);
    const commands: RowCommands = {
      onDetail,
      onFile: (path, line) => go(`file ${path}`, () => host.openFile(path === store.get().workspaceConfig ? "workspace" : "store", line)),
      onCopy: (name) => go(`copy ${name}`, async () => {
        await host.copyDiagnosis(name);
        runner.show(`Copied the diagnosis of ${name}`);
      }),
      onSignIn: (step, { name, signIn }) => {
        switch (step) {
          case "cancel": return go(name, () => host.cancelSignIn(name));
          case "copy": return go(`copy ${name}`, async () => {
            await host.copyText(signIn?.url ?? "");
            runner.show(`Copied the sign-in link of ${name}: open it in a browser on this machine`);
          });
          case "out": return go(name, async () => {
            await host.signOut(name);
            runner.show(`Signed out of ${name}`);
          });
        }
      },
      onVerb: (verb, row) => {
        switch (verb) {
          case "Enable": return void change(host, runner, row.name, () => host.enableServer(row.name));
          case "Disable": return void change(host, runner, row.name, () => host.disableServer(row.name));
          case "Pause": return go(row.name, () => host.pauseServer(row.name));
          case "Resume": return go(row.name, () => host.resumeServer(row.name));
          case "Retry": return go(row.name, () => host.retryServer(row.name));
          case "Sign in": return go(row.name, async () => {
            const file = await noKeyring(() => host.signIn(row.name, ""));
            if (file !== undefined) setOpen({ kind: "keep", name: row.name, file });
          });
          case "Trust": return go(row.name, () => host.trustServers([row.name]));
          case "Define": return setOpen({ kind: "form", form: blank(row.name) });
          case "Edit": return go(row.name, async () => { setOpen({ kind: "form", form: await host.readServer(row.name), edits: row.name }); });
          case "Remove": return setOpen({ kind: "remove", row });
          case "Resolve": return setOpen({ kind: "resolve", row });
        }
      },
    };
    return {
      commands,
      onRestore: () => void change(host, runner, "restore", () => host.restoreFields()),
      onTrust: (names: string[]) => go("trust", () => host.trustServers(names)),
      onRetryFailed: () => go("retry failed", () => host.retryFailed()),
      onRebuildAll: () => go("rebuild all", () => host.rebuildAll()),
    };
  }, [store, host, runner, onDetail]);
  return { ...actions, open, setOpen };
}
