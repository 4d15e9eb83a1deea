import { use } from "react";
import { ActionsContext } from "./actions";

/** Leads to what went over the wire for a call; it is not there where nothing is known of that. */
export function FramesButton({ server, frame, of }: { server: string; frame: number; of: string }) {
  const { onFrames } = use(ActionsContext);
  if (!onFrames || !server || frame <= 0) return null;
  return <button type="button" className="quiet-btn" aria-label={`Frames of ${of}`} title="What went between Patchbay and the server for this call" onClick={() => onFrames(server, frame)}>Frames</button>;
}
