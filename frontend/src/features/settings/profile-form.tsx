import { useState } from "react";
import type { ModelProfile, ProfileTest, SettingsSnapshot } from "../../contract/types";
import { duration } from "../../lib/format";

const SOURCES: Record<string, string> = {
  practice: "built in, works without a key; save a profile to use a real model",
  environment: "from the environment (OPENAI_…)",
  profile: "from this profile",
};

/** What the form can do. */
export interface ProfileActions {
  onProfile: (profile: ModelProfile, key: string, allowFile: boolean) => Promise<boolean>;
  onForget: () => Promise<boolean>;
  onTest: (profile: ModelProfile, key: string) => Promise<ProfileTest>;
}

/** The model profile: where the endpoint is, which model, its key; and a test that says in words
 *  what is wrong. */
export function ProfileForm({ settings, onProfile, onForget, onTest }: ProfileActions & { settings: SettingsSnapshot }) {
  const [profile, setProfile] = useState(settings.profile);
  const [key, setKey] = useState("");
  const [allowFile, setAllowFile] = useState(false);
  const [said, setSaid] = useState("");
  const [test, setTest] = useState<ProfileTest | "running">();
  const stored = settings.profile.baseUrl !== "";
  const badURL = profile.baseUrl !== "" && !/^https?:\/\/[^\s/]+/.test(profile.baseUrl);
  const incomplete = badURL || profile.baseUrl === "" || profile.model === "";
  const set = (part: Partial<ModelProfile>) => { setProfile({ ...profile, ...part }); setTest(undefined); setSaid(""); };
  const run = () => {
    setTest("running");
    void onTest(profile, key).then(setTest);
  };
  return (
    <form className="stack" onSubmit={(e) => {
      e.preventDefault();
      void onProfile(profile, key, allowFile).then((saved) => { setSaid(saved ? "Saved" : ""); if (saved) setKey(""); });
    }}>
      <h3>Model</h3>
      <p className="muted">In use: <b className="value">{settings.model.practice ? "Practice model" : settings.model.name || "none"}</b>, {SOURCES[settings.model.source] ?? settings.model.source}</p>
      <label>Base URL<input className="mono" value={profile.baseUrl} placeholder="http://localhost:11434/v1" aria-invalid={badURL} onChange={(e) => set({ baseUrl: e.target.value.trim() })} /></label>
      {badURL ? <p className="line error" role="alert">The base URL starts with http:// or https://, like http://localhost:11434/v1</p> : null}
      <div className="pair">
        <label>Model<input className="mono" value={profile.model} list="models" onChange={(e) => set({ model: e.target.value })} /></label>
        <label>Key<input type="password" autoComplete="off" value={key} placeholder={settings.profile.hasKey ? "stored; empty keeps it" : "none, or ${env:NAME}"} onChange={(e) => { setKey(e.target.value); setTest(undefined); }} /></label>
      </div>
      <datalist id="models">{typeof test === "object" ? test.models.map((each) => <option key={each} value={each} />) : null}</datalist>
      <label className="check"><input type="checkbox" checked={allowFile} onChange={(e) => setAllowFile(e.target.checked)} /> Where there is no keyring, keep the key in a file only I can read</label>
      <Verdict test={test} />
      <footer>
        <button type="submit" className="btn primary" disabled={incomplete}>Save profile</button>
        <button type="button" className="btn" disabled={incomplete || test === "running"} onClick={run}>Test</button>
        {stored ? <button type="button" className="btn ghost" onClick={() => void onForget().then((gone) => {
          if (gone) setProfile({ name: "", baseUrl: "", model: "", hasKey: false });
          setSaid(gone ? "Forgotten, key included" : "");
        })}>Forget profile</button> : null}
        <span className="muted" role="status">{said}</span>
      </footer>
    </form>
  );
}

function Verdict({ test }: { test: ProfileTest | "running" | undefined }) {
  if (test === undefined) return null;
  if (test === "running") return <p className="verdict muted" role="status">Asking the model for one word…</p>;
  return (
    <p className={test.ok ? "verdict ok" : "verdict error"} role="status">
      <b>{test.ok ? "It works. " : "It does not work. "}</b>{test.message}{test.ok && test.tookMs && !test.message ? `Answered in ${duration(test.tookMs)}` : ""}
      {test.models.length > 0 ? <span className="muted"> {test.models.length} models are listed there; the Model field offers them.</span> : null}
    </p>
  );
}
