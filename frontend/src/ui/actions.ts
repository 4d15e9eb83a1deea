import { createContext } from "react";

/** What parts deep in the conversation can do. */
export interface Actions {
  onLink: (url: string) => void; onCopy?: (text: string) => void;
  /** Shows the traffic of a server from a frame on. */
  onFrames?: (server: string, frame: number) => void;
}

/** The actions of the conversation around. */
export const ActionsContext = createContext<Actions>({ onLink: () => {} });
