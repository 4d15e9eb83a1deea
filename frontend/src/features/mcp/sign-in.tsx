import { useEffect, useRef } from "react";
import type { ServerRow, SignIn, SignInState } from "../../contract/types";
import type { Runner } from "../../lib/run";
import { Left } from "./ticking";

/** What can be done about a sign-in once it has begun. */
export type SignInStep = "cancel" | "copy" | "out";

/** What a sign-in that has begun waits for. */
export function waitsFor(signIn: SignIn): string {
  if (signIn.state === "queued") return "Waiting until another sign-in is over";
  if (!signIn.url) return "Asking how to sign in";
  return signIn.message || "Waiting for the browser";
}

/** A sign-in under way: what it waits for, the link where no browser opened, and the way out. In the grid
 *  (still) its controls are no stops of the Tab key. */
export function SigningIn({ name, signIn, still = false, onStep }: { name: string; signIn: SignIn; still?: boolean; onStep: (step: SignInStep) => void }) {
  const stop = still ? { tabIndex: -1 } : {};
  return <>
    <span className="words" role="status"><span className="reason">{waitsFor(signIn)}</span>{signIn.state === "waiting" ? <Left untilMs={signIn.untilMs} /> : null}</span>
    {signIn.url ? <button type="button" className="btn ghost" {...stop} aria-label={`Copy link of ${name}`} title="Copy the link, for another browser on this machine" onClick={() => onStep("copy")}>Copy link</button> : null}
    <button type="button" className="btn" {...stop} aria-label={`Cancel sign-in to ${name}`} onClick={() => onStep("cancel")}>Cancel</button>
  </>;
}

/** Says when a sign-in has come to its good end: the person looks at the browser meanwhile. */
export function useSignedIn(rows: readonly ServerRow[], runner: Runner): void {
  const before = useRef(new Map<string, SignInState>());
  useEffect(() => {
    const now = new Map<string, SignInState>();
    for (const { name, signIn } of rows) {
      if (!signIn) continue;
      now.set(name, signIn.state);
      if (signIn.state === "signed_in" && before.current.get(name) === "waiting") runner.show(`Signed in to ${name}`);
    }
    before.current = now;
  }, [rows, runner]);
}
