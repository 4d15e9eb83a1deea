import { MODES } from "../../contract/modes";
import type { ApprovalMode, SettingsSnapshot } from "../../contract/types";
import { Modal } from "../../ui/modal";
import { ProfileForm, type ProfileActions } from "./profile-form";

/** The model, approvals and theme. */
export function SettingsDialog({ settings, onClose, onTheme, onMode, ...profile }: ProfileActions & {
  settings: SettingsSnapshot; onClose: () => void; onTheme: (theme: string) => void; onMode: (mode: ApprovalMode) => void;
}) {
  return (
    <Modal title="Settings" onClose={onClose}>
      {settings.messages.map((each) => <p key={each} className="line error" role="alert">{each}</p>)}
      <ProfileForm settings={settings} {...profile} />
      <fieldset className="stack"><legend>Approvals</legend>{MODES.map((each) => (
        <label key={each.mode}><input type="radio" name="mode" checked={settings.mode === each.mode} onChange={() => onMode(each.mode)} /> {each.label}
          <span className="muted"> {each.help}</span></label>
      ))}</fieldset>
      <fieldset><legend>Theme</legend>{["system", "light", "dark"].map((each) => (
        <label key={each}><input type="radio" name="theme" checked={settings.theme === each} onChange={() => onTheme(each)} /> {each}</label>
      ))}</fieldset>
      <p className="muted version">Patchbay {settings.version}</p>
    </Modal>
  );
}
