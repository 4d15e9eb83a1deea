import { useState } from "react";
import type { FileError } from "../../contract/types";
import { Banner } from "./board-banner";
import { capitalised } from "./words";

/** The files that cannot be read: where it is wrong, and the way there. */
export function FileBanner({ errors, onFile }: { errors: readonly FileError[]; onFile: (path: string, line: number) => void }) {
  return errors.map((each) => (
    <Banner key={each.path} kind="error" role="alert" actions={<button type="button" className="btn" onClick={() => onFile(each.path, each.line)}>Open</button>}>
      <b>{each.path}</b> line {each.line}, column {each.column}: {each.message}. The last good value stays in force.
    </Banner>
  ));
}

/** Tools that no request can carry. */
export function CutBanner({ tools }: { tools: readonly string[] }) {
  if (tools.length === 0) return null;
  const named = tools.slice(0, 5).join(", ");
  return (
    <Banner kind="news" title={tools.join("\n")}>
      <b>{tools.length} {tools.length === 1 ? "tool is" : "tools are"} beyond what a request may carry</b>: {named}{tools.length > 5 ? ` and ${tools.length - 5} more` : ""}. Pause a server to make room.
    </Banner>
  );
}

/** What a Patchbay that was killed had left behind, and this one ended. */
export function SweptBanner({ text }: { text: string }) {
  const [seen, setSeen] = useState("");
  if (text === "" || text === seen) return null;
  return (
    <Banner kind="news" role="status" actions={<button type="button" className="btn ghost" onClick={() => setSeen(text)}>Dismiss</button>}>{capitalised(text)}.</Banner>
  );
}
