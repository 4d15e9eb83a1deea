import { useState } from "react";
import type { ApprovalMode, ModelProfile, SettingsSnapshot } from "../../contract/types";
import { Modal } from "../../ui/modal";

const MODES: readonly { mode: ApprovalMode; label: string; help: string }[] = [
  { mode: "auto", label: "Auto", help: "never ask" },
  { mode: "safe", label: "Safe", help: "ask for what writes or executes, and for servers' tools" },
  { mode: "manual", label: "Manual", help: "ask for every call" },
];
const SOURCES: Record<string, string> = {
  practice: "the built-in practice model: save a profile to use a real one",
  environment: "from the environment (OPENAI_…)",
  profile: "from the profile below",
};

/** Theme, approvals and the model. */
export function SettingsDialog({ settings, onClose, onTheme, onMode, onProfile, onForget }: {
  settings: SettingsSnapshot; onClose: () => void; onTheme: (theme: string) => void;
  onMode: (mode: ApprovalMode) => void; onProfile: (profile: ModelProfile, key: string, allowFile: boolean) => Promise<boolean>;
  onForget: () => Promise<boolean>;
}) {
  const [profile, setProfile] = useState(settings.profile);
  const [key, setKey] = useState("");
  const [allowFile, setAllowFile] = useState(false);
  const [said, setSaid] = useState("");
  const stored = settings.profile.baseUrl !== "";
  const badURL = profile.baseUrl !== "" && !/^https?:\/\/[^\s/]+/.test(profile.baseUrl);
  const problem = badURL ? "The base URL starts with http:// or https://, like http://localhost:11434/v1" : "";
  return (
    <Modal title="Settings" onClose={onClose}>
      {settings.messages.map((each) => <p key={each} className="line error" role="alert">{each}</p>)}
      <fieldset><legend>Theme</legend>{["system", "light", "dark"].map((each) => (
        <label key={each}><input type="radio" name="theme" checked={settings.theme === each} onChange={() => onTheme(each)} /> {each}</label>
      ))}</fieldset>
      <fieldset className="stack"><legend>Approvals</legend>{MODES.map((each) => (
        <label key={each.mode}><input type="radio" name="mode" checked={settings.mode === each.mode} onChange={() => onMode(each.mode)} /> {each.label}
          <span className="muted"> {each.help}</span></label>
      ))}</fieldset>
      <form className="stack" onSubmit={(e) => {
        e.preventDefault();
        void onProfile(profile, key, allowFile).then((saved) => { setSaid(saved ? "Saved" : ""); if (saved) setKey(""); });
      }}>
        <h3>Model</h3>
        <p className="muted">In use: {settings.model.name || "none"}, {SOURCES[settings.model.source] ?? settings.model.source}</p>
        <label>Base URL<input value={profile.baseUrl} aria-invalid={badURL} onChange={(e) => setProfile({ ...profile, baseUrl: e.target.value })} /></label>
        <label>Model<input value={profile.model} onChange={(e) => setProfile({ ...profile, model: e.target.value })} /></label>
        <label>Key<input type="password" autoComplete="off" value={key} placeholder={profile.hasKey ? "stored; empty keeps it" : ""} onChange={(e) => setKey(e.target.value)} /></label>
        <label className="check"><input type="checkbox" checked={allowFile} onChange={(e) => setAllowFile(e.target.checked)} /> Where there is no keyring, keep the key in a file only I can read</label>
        {problem ? <p className="line error" role="alert">{problem}</p> : null}
        <footer><button type="submit" className="btn primary" disabled={badURL || profile.baseUrl === "" || profile.model === ""}>Save profile</button>
          {stored ? <button type="button" className="btn ghost" onClick={() => void onForget().then((gone) => {
            if (gone) setProfile({ name: "", baseUrl: "", model: "", hasKey: false });
            setSaid(gone ? "Forgotten, key included" : "");
          })}>Forget profile</button> : null}
          <span className="muted" role="status">{said}</span><span className="grow" /><span className="muted">Patchbay {settings.version}</span></footer>
      </form>
    </Modal>
  );
}
