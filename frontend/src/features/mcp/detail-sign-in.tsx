import type { ReactNode } from "react";
import type { SignIn } from "../../contract/types";
import { FactList } from "./detail-facts";
import { SigningIn, type SignInStep } from "./sign-in";

const KEPT: Readonly<Record<string, string>> = {
  keyring: "the keyring", file: "a file only you can read", memory: "memory, until Patchbay closes",
};

/** The sign-in to a server: what it waits for, or who vouches, for what and until when, and the way out. */
export function SignInFacts({ name, signIn, busy, onStep }: { name: string; signIn: SignIn; busy: boolean; onStep: (step: SignInStep) => void }) {
  if (signIn.state !== "signed_in") return (
    <div className="sign-in">
      <div className="sign-in-line"><SigningIn name={name} signIn={signIn} onStep={onStep} /></div>
      {signIn.url ? <p className="sign-in-link mono muted" title={signIn.url}>{signIn.url}</p> : null}
    </div>
  );
  const facts: [string, ReactNode][] = [
    ["Signed in at", signIn.issuer ? <span className="mono">{signIn.issuer}</span> : ""],
    ["Allowed", signIn.scopes.length > 0 ? <span className="mono">{signIn.scopes.join(" ")}</span> : ""],
    ["Asked for too", signIn.wants.length > 0 ? <span className="mono">{signIn.wants.join(" ")}</span> : ""],
    ["Token until", signIn.expiresMs > 0 ? `${moment(signIn.expiresMs)}${signIn.renews ? ", then renewed by itself" : ""}` : signIn.renews ? "it is renewed by itself" : ""],
    ["Kept in", KEPT[signIn.kept] ?? ""],
  ];
  return (
    <div className="sign-in">
      <FactList facts={facts} label="Sign-in facts" />
      <button type="button" className="btn" disabled={busy} aria-label={`Sign out ${name}`} onClick={() => onStep("out")}>Sign out</button>
    </div>
  );
}

/** A moment, with the day where it is not today. */
function moment(ms: number): string {
  const at = new Date(ms);
  const time = at.toLocaleTimeString("en-GB", { hour: "2-digit", minute: "2-digit" });
  return at.toDateString() === new Date().toDateString() ? time : `${at.toLocaleDateString("en", { day: "numeric", month: "short" })}, ${time}`;
}
